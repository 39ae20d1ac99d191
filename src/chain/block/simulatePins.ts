import { numberToHex } from 'viem'
import { BlockHeader } from '../head/head.ts'
import { type Rpc, RpcResponseError, UnknownBlockError } from '../rpc/rpc.ts'
import type { BlockView, PinnedView } from './simulateBlock.ts'

const INVALID_PARAMS = -32602
const REFUSED_HASH = /block ?hash|unmarshal|deserializ|invalid (block|argument|param|type)/i

/**
 * Names views' blocks to a chain's nodes: by hash, so that no other block can answer in its place.
 *
 * Where a node takes only numbers, the header comes along with the answers and must be the view's.
 */
export class BlockPins {
  readonly #rpc: Rpc
  #byHash = true

  constructor(rpc: Rpc) {
    this.#rpc = rpc
  }

  /** Throws UnknownBlockError where the view's block is gone. */
  async at<T>(view: BlockView, use: (pinned: PinnedView) => Promise<T>): Promise<T> {
    if (this.#byHash) {
      try {
        return await use({ ...view, pin: { blockHash: view.asOf.blockHash } })
      } catch (error) {
        if (!refusesHash(error)) throw error
        this.#byHash = false
      }
    }
    const number = numberToHex(view.asOf.blockNumber)
    const [answer, header] = await Promise.all([
      use({ ...view, pin: number }),
      this.#rpc.request('eth_getBlockByNumber', [number, false], BlockHeader.nullable(), view),
    ])
    if (header?.hash === view.asOf.blockHash) return answer
    throw new UnknownBlockError({ code: -32001, message: 'the node answered at another block' })
  }
}

function refusesHash(error: unknown): boolean {
  if (!(error instanceof RpcResponseError) || error instanceof UnknownBlockError) return false
  if (error.data !== undefined) return false
  return error.code === INVALID_PARAMS || REFUSED_HASH.test(error.message)
}
