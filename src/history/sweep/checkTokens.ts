import type { Address } from 'viem'
import type { ChainView } from '../../core/ports/chains.ts'
import type { BlockRef } from '../../core/ports/history.ts'
import { SECONDS_PER_DAY } from '../../protocol/calendar.ts'
import { statesWhatMoves } from '../../protocol/payments/creditTrial.ts'
import type { TokenTransfer } from '../../protocol/remit/TokenBalances.ts'
import type { Lease, TokenCheck, VerdictStore } from '../projection.ts'

/** How long a check counts. A token's code or settings may change. */
const CHECK_AGAIN_AFTER = 7 * SECONDS_PER_DAY
/** Tokens that one page checks, all by one question. */
const MOST_TOKENS = 4

/**
 * Tries one transfer of each token that was not checked for a week, and keeps whether its logs state what it moves. A
 * token whose transfer cannot be tried stays as it was.
 *
 * @param page.transfers what remit would make, of those that their tokens do not refuse
 * @param page.onAsk called before the node is asked, if it is
 */
export async function checkTokens(
  store: Pick<VerdictStore, 'tokensToCheck' | 'writeTokenChecks'>,
  lease: Lease,
  block: BlockRef,
  page: {
    readonly view: ChainView
    readonly transfers: readonly TokenTransfer[]
    readonly onAsk: () => void
  },
): Promise<void> {
  // A share that is kept shows best on the largest amount.
  const largest = new Map<Address, TokenTransfer>()
  for (const transfer of page.transfers) {
    const known = largest.get(transfer.token)
    if (transfer.amountRaw > (known?.amountRaw ?? 0n)) largest.set(transfer.token, transfer)
  }
  const since = block.timestamp - CHECK_AGAIN_AFTER
  const due = new Set(await store.tokensToCheck(lease.chainId, [...largest.keys()], since))
  const tried = [...largest.values()].filter(({ token }) => due.has(token)).slice(0, MOST_TOKENS)
  if (tried.length === 0) return
  page.onAsk()
  const trials = await page.view.remit.credits(tried)
  const checks = tried.flatMap(({ token }, index): TokenCheck[] => {
    const trial = trials[index]
    return trial === undefined ? [] : [{ token, differs: !statesWhatMoves(trial) }]
  })
  await store.writeTokenChecks(lease, block, checks)
}
