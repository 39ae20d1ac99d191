import { UpstreamError } from '../errors/chain.ts'
import type { NodeRequest } from '../ports/nodes.ts'
import { BatchSender } from '../rpc/BatchSender.ts'
import { NodeLimits } from '../rpc/limits/NodeLimits.ts'
import { RequestSender } from '../rpc/RequestSender.ts'
import { RPC_TIMEOUT_MS } from '../rpc/rpc.ts'

/** What a node says of itself, asked before its chain is known. Asked at once, both go in one request. */
export interface NodeReader {
  /** The chain that it says it is on. Throws UpstreamError where it says none. */
  chainId(): Promise<number>
  /**
   * The time of the block that it would make now, in milliseconds of unix time: its own clock. `undefined` where it tells none,
   * as some do not know of pending blocks.
   */
  clock(): Promise<number | undefined>
}

/** @param node a URL, or a function that asks a node */
export function openReader(node: string | NodeRequest): NodeReader {
  const limits = new NodeLimits({ endpoint: 1, set: {} })
  const sender =
    typeof node === 'string'
      ? new BatchSender({ url: node, timeoutMs: RPC_TIMEOUT_MS, limits })
      : new RequestSender(node)
  return {
    async chainId() {
      const { answer } = await sender.send('eth_chainId', []).catch((cause: unknown) => {
        throw new UpstreamError(undefined, { cause })
      })
      const chainId = /^0x[0-9a-f]{1,14}$/i.test(String(answer.result)) ? Number(answer.result) : 0
      // A development chain's node may have any id; none has 0.
      if (chainId === 0) throw new UpstreamError(undefined, { cause: answer.error })
      return chainId
    },
    async clock() {
      const told = await sender.send('eth_getBlockByNumber', ['pending', false]).catch(() => undefined)
      const timestamp: unknown = Object(told?.answer.result).timestamp
      return /^0x[0-9a-f]{1,10}$/i.test(String(timestamp)) ? Number(timestamp) * 1_000 : undefined
    },
  }
}
