// Generated from src/protocol/coverage/coverage.ts by client/generate/main.ts. Do not edit.
import type { Hex } from 'viem'
import { ChargeSchedule, type ChargeScheduleInput } from './ChargeSchedule.ts'

/** How far a wallet carries a subscription. All are `null` where it has no end. */
export interface Coverage {
  /** Charges by remit that are paid. */
  readonly periods: number | null
  /** Due day of the last of them; `null` also where not one is. */
  readonly until: number | null
  /** What the first charge that fails lacks. Where it lacks both: the balance, which no approval mends. */
  readonly limitedBy: 'allowance' | 'balance' | null
  /** Due day of the charge that fails, with which remit drops the subscriber. */
  readonly failsOn: number | null
}

export const ENDLESS: Coverage = { periods: null, until: null, limitedBy: null, failsOn: null }

/** How far the wallet carries each of its subscriptions in one token, by id (see ChargeSchedule). */
export function coverageOf(input: ChargeScheduleInput): ReadonlyMap<Hex, Coverage> {
  const coverage = new Map<Hex, Coverage>(input.subscriptions.map(({ id }) => [id, ENDLESS]))
  for (const { id, dayNumber, missing, periodsBefore, paidUntil } of new ChargeSchedule(input).failures()) {
    coverage.set(id, {
      periods: periodsBefore,
      until: paidUntil,
      limitedBy: missing.balance > 0n ? 'balance' : 'allowance',
      failsOn: dayNumber,
    })
  }
  return coverage
}
