import { toEvents } from '@remit/engine/indexing/logs/decodeLogs'
import type { ChainNodes, NodeLog } from '@remit/engine/ports/nodes'
import { type PlacedEvent, SourceError } from '@remit/engine/ports/source'
import type { ChainBlocks } from './ChainBlocks.ts'
import { SubgraphFailedError, UnusableRowsError } from './subgraphErrors.ts'

/** The range that is compared, with the contract's logs in it. */
interface Sample {
  readonly from: number
  readonly to: number
  readonly logs: readonly NodeLog[]
}

/**
 * Compares the subgraph's rows in a range with the chain's logs. This finds a subgraph of another contract, and one
 * whose handlers leave events out or place them wrongly.
 *
 * Throws UnusableRowsError if they differ. Throws SubgraphFailedError if the nodes' own logs cannot be read or contradict
 * the block's bloom: then nothing is known of the subgraph, and it can be compared again later.
 */
export async function compareWithLogs(
  nodes: ChainNodes,
  events: readonly PlacedEvent[],
  sample: Sample,
  blocks: ChainBlocks,
  signal: AbortSignal,
): Promise<void> {
  const { from, to, logs } = sample
  const inRange = events.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to)
  const given = textsByBlock(inRange)
  const logged = textsByBlock(readable(nodes, logs))
  for (const number of new Set([...logged.keys(), ...given.keys()])) {
    if (logged.get(number) === given.get(number)) continue
    // The node may have left logs out. The block's receipts decide, if they match the block's bloom.
    const header = blocks.get(number)
    const receipts = await nodes.receiptLogs(header, signal)
    if (textsByBlock(readable(nodes, receipts.logs)).get(number) === given.get(number)) continue
    if (!receipts.fitBloom) {
      throw new SubgraphFailedError(
        `The nodes of chain ${nodes.chainId} contradict themselves at block ${number}.`,
      )
    }
    throw new UnusableRowsError(
      `The subgraph of chain ${nodes.chainId} differs from the chain's own logs at block ${number}: it follows another contract, or is wrong.`,
      number,
    )
  }
}

/**
 * The events of a node's logs. Where the node gives logs that cannot be read, SubgraphFailedError says only that the
 * subgraph cannot be compared now. A SourceError would end its use for good.
 */
function readable({ chainId }: ChainNodes, logs: readonly NodeLog[]): PlacedEvent[] {
  try {
    return toEvents(logs)
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    throw new SubgraphFailedError(`The nodes of chain ${chainId} give logs that cannot be read.`)
  }
}

/** Each block's events as a text, which is the same for the same events in the same order. */
function textsByBlock(events: readonly PlacedEvent[]): ReadonlyMap<number, string> {
  const byBlock = new Map<number, string>()
  for (const { blockNumber, logIndex, transactionHash, event } of events) {
    const fields = Object.entries(event).sort(([a], [b]) => (a < b ? -1 : 1))
    const text = JSON.stringify([logIndex, transactionHash, fields], (_, value: unknown) =>
      typeof value === 'bigint' ? `${value}` : value,
    )
    byBlock.set(blockNumber, `${byBlock.get(blockNumber) ?? ''}${text}\n`)
  }
  return byBlock
}
