import type { BlockRef } from '../../../core/ports/history.ts'
import type { ChainNode } from '../../../core/ports/node.ts'
import { SourceError } from '../../source.ts'

/** What is final goes only where no node that works still has it. Throws SourceError where one has. */
export async function assertLost(node: ChainNode, block: BlockRef, signal: AbortSignal): Promise<void> {
  for (const each of node.working()) {
    const [header] = await node.headers([block.number], signal, each).catch(() => [])
    if (header?.hash !== block.hash) continue
    throw new SourceError(
      `The nodes of chain ${node.chainId} disagree about its final blocks: RPC ${each + 1} still has block ${block.number}.`,
    )
  }
}
