import type { Address } from 'viem'
import { sleep } from '../../request/sleep.ts'
import type { ChainReads, ChainTerms } from '../chain/ChainReads.ts'
import { ChainReadError } from '../errors.ts'

/** The wallet that is about to commit itself, and how its own node is read. */
export interface Committing {
  readonly chainId: number
  readonly account: Address
  readonly reads: Pick<ChainReads, 'head' | 'subscribed'>
  /** The block of the client's last transaction on the chain, which the node has to have. */
  readonly lastBlock: () => number | undefined
  readonly pollingIntervalMs: number
  readonly signal?: AbortSignal | undefined
}

/** Behind one address there can be several nodes, one of which is a moment behind. */
const MOST_LOOKS = 5

/**
 * All that remit charges the wallet for, at one block. For a while after the client's own transactions that block has to
 * have them.
 */
export async function activeSubscriptions(
  { account, reads, lastBlock, pollingIntervalMs, signal }: Committing,
  onWait: (forMs: number) => void,
): Promise<{ readonly active: ChainTerms[]; readonly blockNumber: number }> {
  for (let look = 1; ; look += 1) {
    const { blockNumber } = await reads.head()
    const active = await reads.subscribed(account, blockNumber)
    // Asked after reading: another flow's transaction may have been mined meanwhile.
    const own = lastBlock() ?? 0
    if (own <= blockNumber) return { active, blockNumber }
    if (look === MOST_LOOKS) {
      const cause = new Error(`The node is at block ${blockNumber}, and the last transaction is in ${own}.`)
      throw new ChainReadError(`What ${account} subscribes to`, cause)
    }
    onWait(pollingIntervalMs)
    await sleep(pollingIntervalMs, signal)
  }
}
