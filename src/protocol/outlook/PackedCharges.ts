import type { Address, Hex } from 'viem'
import type { RemitStep } from '../remit/forecastRemit.ts'
import type { SeenCharge } from './judgePayer.ts'

/**
 * The charges of everybody, by account in lower case. Each account's are one string: JSON of rows with the day, the place
 * of the subscription in `ids`, and 1 where remit drops the account. So a hundred thousand charges pass from one thread to
 * another within milliseconds, and only what is asked for is decoded.
 */
export interface PackedCharges {
  readonly ids: readonly Hex[]
  readonly byAccount: ReadonlyMap<string, string>
}

/** A charge that a simulation of remit has shown, with its day. */
export interface SeenDayCharge extends SeenCharge {
  readonly dayNumber: number
}

type Row = readonly [dayNumber: number, place: number, failed: 0 | 1]

export function packCharges(steps: readonly RemitStep[]): PackedCharges {
  const places = new Map<Hex, number>()
  const rows = new Map<string, Row[]>()
  for (const { dayNumber, charges } of steps) {
    for (const { id, subscriber, outcome } of charges) {
      const place = places.get(id) ?? places.size
      places.set(id, place)
      const account = subscriber.toLowerCase()
      const row: Row = [dayNumber, place, outcome === 'failed' ? 1 : 0]
      const known = rows.get(account)
      if (known === undefined) rows.set(account, [row])
      else known.push(row)
    }
  }
  const byAccount = new Map([...rows].map(([account, own]) => [account, JSON.stringify(own)]))
  return { ids: [...places.keys()], byAccount }
}

/** The charges of one account, in the order in which remit makes them. */
export function chargesOf({ ids, byAccount }: PackedCharges, account: Address): SeenDayCharge[] {
  const packed = byAccount.get(account.toLowerCase())
  if (packed === undefined) return []
  // Safe: packCharges wrote it.
  const rows = JSON.parse(packed) as Row[]
  return rows.flatMap(([dayNumber, place, failed]) => {
    const id = ids[place]
    return id === undefined ? [] : [{ dayNumber, id, hasFailed: failed === 1 }]
  })
}
