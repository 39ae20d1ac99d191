import type { AskIndex } from '../../core/contexts.ts'
import type { BlockedCharge } from '../../core/ports/verdicts.ts'
import { isoTime, toDay } from '../../presentation/day.ts'
import type { Issue } from '../../schema/answer.ts'
import type { RemitSeen } from './remitAhead.ts'

/**
 * Looks behind the last day that was simulated. The sweep of the index tries everybody's next transfer, so it knows who
 * blocks remit there. Without an index, nothing is known of those days but the rules.
 */
export async function withSweep(
  remit: RemitSeen,
  range: { readonly nextUncheckedDay: number; readonly throughDay: number },
  askIndex: AskIndex,
): Promise<RemitSeen> {
  const { nextUncheckedDay, throughDay } = range
  // Up to there, the simulation is newer than any verdict.
  const fromDay = Math.max(nextUncheckedDay, (remit.through ?? 0) + 1)
  if (remit.stop !== undefined || fromDay > throughDay) return remit
  const [blocked] = (await askIndex((history) => history.blockedCharges(throughDay, 1, fromDay))) ?? []
  if (blocked === undefined) return remit
  return {
    ...remit,
    // Where that day takes several calls, those before the blocked one are made. Which they are is not known.
    chargesOn: (dayNumber) => (dayNumber < blocked.dayNumber ? remit.chargesOn?.(dayNumber) : undefined),
    stop: { dayNumber: blocked.dayNumber, blockedBy: 'sweptTransfer' },
    sweptAt: { blockNumber: blocked.blockNumber, timestamp: blocked.blockTimestamp },
    issues: [issueOf(blocked)],
  }
}

function issueOf(blocked: BlockedCharge): Issue {
  const { subscriptionId, subscriber, token, dayNumber, blockNumber, blockTimestamp } = blocked
  const day = toDay(dayNumber)
  return {
    code: 'REMIT_BLOCKED_BY_TRANSFER',
    message:
      `The charge of ${subscriber} for ${subscriptionId} on ${day.date} cannot be made: the token ${token} refused the ` +
      `transfer when the sweep last tried it, at block ${blockNumber} (${isoTime(blockTimestamp)}). While it does, that ` +
      'reverts every remit. The simulation of this answer did not come that far.',
    day,
    subscriptionId,
    subscriber,
    token,
  }
}
