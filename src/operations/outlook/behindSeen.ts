import type { AskIndex } from '../../core/operation.ts'
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
  const { throughDay } = range
  const fromDay = unseenFrom(remit, range.nextUncheckedDay)
  if (remit.stop !== undefined || fromDay > throughDay) return remit
  const [blocked] = (await askIndex((history) => history.blockedCharges(throughDay, 1, fromDay))) ?? []
  return blocked === undefined ? remit : stoppedBy(remit, blocked)
}

/** The first day of which the sweep knows more: up to there, the simulation is newer than any verdict. */
export function unseenFrom({ through = 0 }: RemitSeen, nextUncheckedDay: number): number {
  return Math.max(nextUncheckedDay, through + 1)
}

/** What is known of remit with a charge that the sweep knows to stop it, behind what was simulated. */
export function stoppedBy(remit: RemitSeen, blocked: BlockedCharge): RemitSeen {
  return {
    ...remit,
    // Where that day takes several calls, those before the blocked one are made. Which they are is not known.
    chargesOn: (dayNumber) => (dayNumber < blocked.dayNumber ? remit.chargesOn?.(dayNumber) : undefined),
    stop: {
      dayNumber: blocked.dayNumber,
      blockedBy: 'sweptTransfer',
      payer: blocked,
      issues: [issueOf(blocked)],
    },
    sweptAt: { blockNumber: blocked.blockNumber, timestamp: blocked.blockTimestamp },
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
