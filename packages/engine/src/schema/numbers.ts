import { LAST_DAY } from '@remit/protocol/calendar'
import * as z from 'zod'

/** A uint256 as a decimal string on the wire, a bigint inside. */
export const Uint256 = z.codec(z.string().regex(/^(0|[1-9]\d{0,77})$/), z.bigint(), {
  decode(text, context) {
    const value = BigInt(text)
    if (value >= 2n ** 256n) {
      context.issues.push({ code: 'custom', message: 'must be at most 2^256 - 1', input: text })
    }
    return value
  },
  encode: (value) => value.toString(),
})

/** A signed integer as a decimal string on the wire, a bigint inside. */
export const Int256 = z.codec(z.string().regex(/^(0|-?[1-9]\d{0,77})$/), z.bigint(), {
  decode: (text) => BigInt(text),
  encode: (value) => value.toString(),
})

/** A small unsigned quantity as JSON-RPC and wallets write it ("0x0"), a bigint inside. */
export const HexQuantity = z.codec(z.string().regex(/^0x(0|[1-9a-f][0-9a-f]{0,63})$/), z.bigint(), {
  decode: (text) => BigInt(text),
  encode: (value) => `0x${value.toString(16)}`,
})

export const DayNumber = z.int().min(0).max(LAST_DAY).describe('Unix time / 86400, in UTC days.')

export const CalendarDate = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, { error: 'must be a date as YYYY-MM-DD', abort: true })
  .describe('UTC date as YYYY-MM-DD.')

export const Day = z.object({ dayNumber: DayNumber, date: CalendarDate }).meta({ id: 'Day' })

export const Timestamp = z.int().min(0).describe('Unix time in seconds.')

/** The end of the year 9999. */
export const LAST_SECOND = 253_402_300_799

/** A time as answers state it, of one in milliseconds; `null` where there is none. */
export function toSeconds(unixMs: number): number
export function toSeconds(unixMs: number | null): number | null
export function toSeconds(unixMs: number | null): number | null {
  return unixMs === null ? null : Math.floor(unixMs / 1_000)
}

export const IsoTime = z
  .string()
  .meta({ format: 'date-time', description: 'The same moment in ISO 8601, UTC.' })

export const BlockNumber = z.int().min(0)

export const FrequencyNumber = z
  .literal([0, 1, 2, 3], 'must be 0 (weekly), 1 (monthly), 2 (quarterly) or 3 (yearly)')
  .describe('0 weekly, 1 monthly, 2 quarterly, 3 yearly.')

export const FrequencyLabel = z.enum(['WEEKLY', 'MONTHLY', 'QUARTERLY', 'YEARLY'])

export const StatusNumber = z.literal([0, 1, 2]).describe('0 active, 1 cancelled, 2 unsubscribed.')

export const StatusLabel = z.enum(['ACTIVE', 'CANCELLED', 'UNSUBSCRIBED'])
