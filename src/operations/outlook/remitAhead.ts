import { type Address, zeroAddress } from 'viem'
import type { ChainView } from '../../core/ports/chains.ts'
import type { Blocker, ChainForecast, ForeseenStop } from '../../core/ports/forecasts.ts'
import type { RemitAhead } from '../../protocol/outlook/outlook.ts'
import { chargesOf } from '../../protocol/outlook/PackedCharges.ts'

/** What remit does up to a day, for one of those whom it charges. */
export interface RemitSeen extends RemitAhead<Blocker>, Pick<ChainForecast, 'madeAt' | 'calls' | 'through'> {
  readonly stop?: ForeseenStop
  /** The block of the verdict, where only the sweep knows of the stop. */
  readonly sweptAt?: { readonly blockNumber: number; readonly timestamp: number }
}

/** What the chain's forecast says of remit and of one account's charges, from the first unchecked day of the view on. */
export async function remitAhead(chain: ChainView, account: Address, throughDay: number): Promise<RemitSeen> {
  const [{ nextUncheckedDay, maxRemits }, forecast] = await Promise.all([
    chain.read.protocol(),
    chain.forecast(throughDay),
  ])
  const { madeAt, fromDay, beforeDay, calls, stop, through } = forecast
  const charges = chargesOf(forecast.charges, account)
  const isWhole = (day: number) => day >= fromDay && day < beforeDay
  return {
    madeAt,
    calls,
    through: through === undefined ? undefined : Math.min(through, throughDay),
    // It reaches further than this answer, and the contract may have gone on since it was made.
    ...(stop && stop.dayNumber >= nextUncheckedDay && stop.dayNumber <= throughDay && { stop }),
    chargesOn: (day) =>
      isWhole(day) || day === stop?.dayNumber
        ? charges.filter(({ dayNumber }) => dayNumber === day)
        : undefined,
    // Remit looks for its limit before each position, listed accounts included: a full page may break at its end.
    mayBreak: (day, more) => !isWhole(day) || (forecast.charges.counts.get(day) ?? 0) + more >= maxRemits,
  }
}

/** What stops remit up to a day, whoever is charged. */
export function remitStopAhead(chain: ChainView, throughDay: number): Promise<RemitSeen> {
  return remitAhead(chain, zeroAddress, throughDay)
}
