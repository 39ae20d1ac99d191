import type * as z from 'zod'
import type { ChainView } from '../../../core/ports/chains.ts'
import { toDay } from '../../../presentation/day.ts'
import type { Day } from '../../../schema/numbers.ts'
import type { RemitFindings } from './remitFindings.ts'
import { stoppedDay } from './remitStop.ts'

/** How far a forecast was simulated. */
interface RemitSight {
  readonly calls: number
  /** `null` where not even the first unchecked day was simulated completely. */
  readonly through: z.output<typeof Day> | null
}

/** How many calls were tried, and the last day up to which everything was tried. */
export function remitSight(
  chain: ChainView,
  { backlog, probed, triedCalls, stop }: RemitFindings,
): RemitSight {
  const first = backlog.settings.nextUncheckedDay
  const { steps, gaps } = probed
  const isWhole = triedCalls === steps.length && !gaps.includes('unseen') && !gaps.includes('unprobed')
  const nextDay = steps[triedCalls - 1]?.nextUncheckedDay ?? first
  const whole = stop === undefined ? chain.today : stoppedDay(stop) - 1
  const last = isWhole ? whole : nextDay - 1
  return { calls: triedCalls, through: last < first && first <= chain.today ? null : toDay(last) }
}
