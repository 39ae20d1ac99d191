import type { ChainView } from '../../../core/ports/chains.ts'
import { toDay } from '../../../presentation/day.ts'
import { SECONDS_PER_DAY } from '../../../protocol/calendar.ts'
import type { Warning } from '../../../schema/answer.ts'

/** What is signed in the last ten minutes of a day may be mined on the next one. */
const SOON_SECONDS = 600

/** The next midnight UTC by the chain's clock. Proration and due days change then. */
export function midnightAfter({ today }: Pick<ChainView, 'today'>): number {
  return (today + 1) * SECONDS_PER_DAY
}

/** Whether an answer about today holds for less than ten minutes. */
export function endsSoon(chain: Pick<ChainView, 'today' | 'now'>): boolean {
  return midnightAfter(chain) - chain.now < SOON_SECONDS
}

/** Says what changes at the next midnight. */
export function dayEndsSoon(chain: ChainView, message: string, facts: Record<string, unknown>): Warning {
  const dayAfter = toDay(chain.today + 1)
  return { code: 'DAY_ENDS_SOON', message, validUntil: midnightAfter(chain), dayAfter, ...facts }
}
