import type { RemitAhead } from '@remit/protocol/outlook/outlook'
import { chargesOf } from '@remit/protocol/outlook/PackedCharges'
import { type Address, zeroAddress } from 'viem'
import type { AskIndex } from '../../declare/contexts.ts'
import type { ChainView } from '../../ports/chains.ts'
import type { Blocker, ChainForecast, ForeseenStop } from '../../ports/forecasts.ts'
import type { BlockedCharge } from '../../ports/verdicts.ts'
import { isoTime, toDay } from '../../presentation/day.ts'
import type { Issue } from '../../schema/envelope.ts'

/** What remit does up to a day, for one account that it charges. */
export interface AccountRemitForecast
  extends RemitAhead<Blocker>,
    Pick<ChainForecast, 'madeAt' | 'calls' | 'through'> {
  readonly stop?: ForeseenStop
  /** The block of the verdict, where only the sweep knows of the stop. */
  readonly sweptAt?: { readonly blockNumber: number; readonly timestamp: number }
}

/** What the chain's forecast says of remit and of one account's charges, from the first unchecked day of the view on. */
export async function remitAhead(
  chain: ChainView,
  account: Address,
  throughDay: number,
): Promise<AccountRemitForecast> {
  const [{ nextUncheckedDay, maxRemits }, forecast] = await Promise.all([
    chain.read.protocol(),
    chain.forecast(throughDay),
  ])
  // The forecast is shared by all accounts: it may begin before this view, and reach further than is asked for.
  const { madeAt, fromDay, beforeDay, calls, stop, through } = forecast
  const charges = chargesOf(forecast.charges, account)
  const isSimulated = (day: number) => day >= fromDay && day < beforeDay
  return {
    madeAt,
    calls,
    through: through === undefined ? undefined : Math.min(through, throughDay),
    // Left out where its day is after the answer's last one, or the contract has finished that day since the forecast was made.
    ...(stop && stop.dayNumber >= nextUncheckedDay && stop.dayNumber <= throughDay && { stop }),
    chargesOn: (day) =>
      isSimulated(day) || day === stop?.dayNumber
        ? charges.filter(({ dayNumber }) => dayNumber === day)
        : undefined,
    // Remit stops at maxRemits before it looks at the next position, also where that is an account that has left. So a day with just
    // as many charges may be cut.
    mayBreak: (day, more) => !isSimulated(day) || (forecast.charges.counts.get(day) ?? 0) + more >= maxRemits,
  }
}

/** What stops remit up to a day, for all accounts alike: asked for an account that is charged for nothing. */
export function remitStopAhead(chain: ChainView, throughDay: number): Promise<AccountRemitForecast> {
  return remitAhead(chain, zeroAddress, throughDay)
}

/**
 * Adds the first stop after the last simulated day that the sweep knows. The sweep is the index's pass that tries the next
 * transfer of every membership: a transfer that its token refuses makes remit revert for everybody. Without an index, the
 * forecast comes back as it is, and only the rules tell of those days.
 */
export async function withSweep(
  remit: AccountRemitForecast,
  range: { readonly nextUncheckedDay: number; readonly throughDay: number },
  askIndex: AskIndex,
): Promise<AccountRemitForecast> {
  const { throughDay } = range
  const fromDay = unseenFrom(remit, range.nextUncheckedDay)
  if (remit.stop !== undefined || fromDay > throughDay) return remit
  const [blocked] = (await askIndex((history) => history.blockedCharges(throughDay, 1, fromDay))) ?? []
  return blocked === undefined ? remit : stoppedBy(remit, blocked)
}

/** The first day for which the sweep is asked: the day after the last simulated one, or the first unchecked day where none was. */
export function unseenFrom({ through = 0 }: AccountRemitForecast, nextUncheckedDay: number): number {
  return Math.max(nextUncheckedDay, through + 1)
}

/** Adds to the simulated days the first later charge that, by the sweep, will make remit revert. */
export function stoppedBy(remit: AccountRemitForecast, blocked: BlockedCharge): AccountRemitForecast {
  return {
    ...remit,
    // If that day takes several calls, those before the blocked one are made, and which they are is unknown.
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
