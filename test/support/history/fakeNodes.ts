import { UpstreamError } from '@remit/engine/errors/chain'
import type { BlockRef } from '@remit/engine/ports/history'
import type { ChainNodes, NodeHeader, NodeLog } from '@remit/engine/ports/nodes'
import type { IndexTip } from '@remit/engine/ports/source'
import { type Hex, pad } from 'viem'
import { encodeLog } from '../models/encodeLog.ts'

const CONTRACT = pad('0xc1', { size: 20 })

/** What one of several nodes says. Everything that is left out is as the chain has it. */
export interface FakeNode {
  /** The last block that it has. */
  readonly has?: number
  /** From which block on it follows a branch of its own. */
  readonly forkFrom?: number
  readonly logs?: readonly NodeLog[]
  /** What the receipts of blocks hold; default its logs. */
  readonly receipts?: readonly NodeLog[]
  /** Whether its receipts match the header's bloom. */
  readonly fitBloom?: boolean
  readonly bloom?: Hex
  readonly finalizedBlock?: number
  /** Changes its headers. */
  readonly header?: Partial<NodeHeader>
  /** The questions that it does not answer. */
  readonly fails?: readonly ('headers' | 'logs' | 'receiptLogs')[]
}

/** The hash of a block, of the chain or of a branch. */
export const hashAt = (number: number, branch = ''): Hex =>
  pad(`0x${branch}${(number + 1).toString(16).padStart(6, '0')}`)

export function blockAt(number: number, branch?: string): BlockRef {
  const [hash, parentHash] = [hashAt(number, branch), hashAt(number - 1, branch)]
  return { number, hash, parentHash, timestamp: 1_000 + number }
}

/** A log that the index keeps, the only one of its block. */
export const logAt = (blockNumber: number, isFinished = true): NodeLog => ({
  ...encodeLog(CONTRACT, 'CallerLog', { timestamp: 1, checkedDay: 5, caller: CONTRACT, isFinished }),
  ...{ blockNumber, blockHash: hashAt(blockNumber), transactionHash: hashAt(blockNumber, 'aa'), logIndex: 0 },
})

/** A chain's nodes, of which the first one names the head and what is final. */
export function fakeNodes(chain: { head: number; finalizedBlock: number; nodes: FakeNode[] }): ChainNodes {
  const answering = (node: number | undefined, question: 'headers' | 'logs' | 'receiptLogs') => {
    const one = chain.nodes[node ?? 0] ?? {}
    if (one.fails?.includes(question)) throw new UpstreamError(1)
    return one
  }
  const headerOf = (one: FakeNode, number: number): NodeHeader | undefined => {
    if (number > (one.has ?? chain.head)) return undefined
    const branchOf = (of: number) => (of >= (one.forkFrom ?? Number.POSITIVE_INFINITY) ? 'bb' : '')
    const { hash } = blockAt(number, branchOf(number))
    const { hash: parentHash } = blockAt(number - 1, branchOf(number - 1))
    const logsBloom = one.bloom ?? (`0x${'00'.repeat(256)}` as const)
    return { ...blockAt(number), hash, parentHash, logsBloom, ...one.header }
  }
  const nodes: Partial<ChainNodes> = {
    ...{ chainId: 1, contract: CONTRACT, count: chain.nodes.length, rollbackAfterMs: 100 },
    working: () => chain.nodes.map((_, place) => place),
    mostBlocks: () => undefined,
    async head() {
      const head = headerOf(chain.nodes[0] ?? {}, chain.head) ?? blockAt(chain.head)
      return { head, finalizedBlock: chain.finalizedBlock }
    },
    async headers(numbers, _signal, asked) {
      const one = answering(asked, 'headers')
      return numbers.map((number) => headerOf(one, number))
    },
    async logs({ from, to, headers, node: asked }) {
      const one = answering(asked, 'logs')
      const logs = (one.logs ?? []).filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to)
      const { finalizedBlock = chain.finalizedBlock } = one
      return { logs, headers: headers.map((number) => headerOf(one, number)), finalizedBlock }
    },
    async receiptLogs({ number }, _signal, asked) {
      const { receipts, logs = [], fitBloom = true } = answering(asked, 'receiptLogs')
      return { logs: (receipts ?? logs).filter(({ blockNumber }) => blockNumber === number), fitBloom }
    },
    onHead: () => () => {},
  }
  // Safe: a source asks nothing else of a node.
  return nodes as ChainNodes
}

/** An index that ends at a block, and remembers the hashes of all before it. */
export const tipAt = (number: number, finalizedBlock: number): IndexTip => ({
  block: blockAt(number),
  finalizedBlock,
  approvalsOf: [],
  rememberedBlocks: async (below, most) =>
    Array.from({ length: Math.min(most, below + 1) }, (_, back) => blockAt(below - back)),
})
