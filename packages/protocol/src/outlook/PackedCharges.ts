import type { Address, Hex } from 'viem'
import type { SeenCharge } from '../charges/ChargeSchedule.ts'
import type { RemitStep } from '../remit/forecastRemit.ts'

/**
 * What a forecast, made in a worker thread, hands to the outlooks and verdicts of single accounts: the charges of everybody, by account
 * in lower case. Each account's are one string: JSON of rows with the day, the place of the subscription in `ids`, 1 where remit drops the account, and what leaves it where the token logs that. So a hundred thousand
 * charges pass between threads within milliseconds, and a reader decodes only the accounts that it needs.
 */
export interface PackedCharges {
  readonly ids: readonly Hex[]
  readonly byAccount: ReadonlyMap<string, string>
  /** How many charges there are on each day. */
  readonly counts: ReadonlyMap<number, number>
}

/** A charge that a simulation of remit has shown, with its day. */
export interface SeenDayCharge extends SeenCharge {
  readonly dayNumber: number
}

type Row = readonly [dayNumber: number, idIndex: number, failed: 0 | 1, taken?: string]

/** @param steps the simulated calls of remit, in order */
export function packCharges(steps: readonly RemitStep[]): PackedCharges {
  const indexes = new Map<Hex, number>()
  const rows = new Map<string, Row[]>()
  const counts = new Map<number, number>()
  for (const { dayNumber, charges } of steps) {
    counts.set(dayNumber, (counts.get(dayNumber) ?? 0) + charges.length)
    for (const { id, subscriber, outcome, taken } of charges) {
      const idIndex = indexes.get(id) ?? indexes.size
      indexes.set(id, idIndex)
      const account = subscriber.toLowerCase()
      const failed = outcome === 'failed' ? 1 : 0
      const row: Row =
        taken === undefined ? [dayNumber, idIndex, failed] : [dayNumber, idIndex, failed, `${taken}`]
      const known = rows.get(account)
      if (known === undefined) rows.set(account, [row])
      else known.push(row)
    }
  }
  const byAccount = new Map([...rows].map(([account, own]) => [account, JSON.stringify(own)]))
  return { ids: [...indexes.keys()], byAccount, counts }
}

/** The charges of one account, in the order in which remit makes them. */
export function chargesOf({ ids, byAccount }: PackedCharges, account: Address): SeenDayCharge[] {
  const packed = byAccount.get(account.toLowerCase())
  if (packed === undefined) return []
  // Safe: packCharges wrote it.
  const rows = JSON.parse(packed) as Row[]
  return rows.flatMap(([dayNumber, idIndex, failed, taken]) => {
    const id = ids[idIndex]
    if (id === undefined) return []
    return [{ dayNumber, id, hasFailed: failed === 1, ...(taken !== undefined && { taken: BigInt(taken) }) }]
  })
}
