import type { Hex } from 'viem'
import { ChargeSchedule, type ChargeScheduleInput, type UnreachedVerdict } from '../charges/ChargeSchedule.ts'

/** How long a wallet can pay for a subscription. All fields are `null` where there is no end. */
export interface Coverage {
  /** Charges by remit that are paid. */
  readonly periods: number | null
  /** Due day of the last paid charge; `null` also where none is paid. */
  readonly until: number | null
  /** What is missing for the first charge that fails; the balance if both are, because no approval helps then. */
  readonly limitedBy: 'allowance' | 'balance' | null
  /** Due day of the charge that fails, with which remit drops the subscriber. */
  readonly failsOn: number | null
}

const ENDLESS: Coverage = { periods: null, until: null, limitedBy: null, failsOn: null }

/** The coverage of each subscription that was asked about, by its id. Throws RangeError for any other one. */
export type CoverageById = (id: Hex) => Coverage

/** How long the wallet can pay for each of its subscriptions in one token (see ChargeSchedule). */
export function coverageOf(input: ChargeScheduleInput<UnreachedVerdict>): CoverageById {
  const coverage = new Map<Hex, Coverage>(input.subscriptions.map(({ id }) => [id, ENDLESS]))
  for (const { id, dayNumber, verdict, periodsBefore, paidUntil } of new ChargeSchedule(input).failures()) {
    coverage.set(id, {
      periods: periodsBefore,
      until: paidUntil,
      limitedBy: verdict.reason === 'allowance' ? 'allowance' : 'balance',
      failsOn: dayNumber,
    })
  }
  return (id) => {
    const found = coverage.get(id)
    if (found === undefined) throw new RangeError(`no coverage of ${id}, which was not asked about`)
    return found
  }
}
