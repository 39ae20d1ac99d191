import type { ChainView } from '@remit/engine/ports/chains'
import type { BlockRef } from '@remit/engine/ports/history'
import { SECONDS_PER_DAY } from '@remit/protocol/calendar'
import { statesWhatMoves } from '@remit/protocol/payments/Payment'
import type { TokenTransfer } from '@remit/protocol/remit/remitState'
import type { Address } from 'viem'
import type { Lease, TokenCheck, VerdictStore } from '../projection.ts'

/** Seconds for which a check counts. A token's code or settings may change. */
const CHECK_AGAIN_AFTER = 7 * SECONDS_PER_DAY
/** Tokens that are checked at once, by one request. */
const MOST_TOKENS = 4

/**
 * Part of a page of the sweep. Simulates one transfer of each token that was not checked for a week, and stores whether its logs
 * state what it moves: some tokens keep a share of each transfer. A token whose transfer cannot be tried stays as it was.
 * @param page.transfers that remit would make at this block, without those that their tokens refuse
 * @param page.onAsk called before a node is asked, if one is
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
  // A share that a token keeps shows best on the largest amount.
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
  const trials = await page.view.remit.tryCredits(tried)
  const checks = tried.flatMap(({ token }, index): TokenCheck[] => {
    const trial = trials[index]
    return trial === undefined ? [] : [{ token, differs: !statesWhatMoves(trial) }]
  })
  await store.writeTokenChecks(lease, block, checks)
}
