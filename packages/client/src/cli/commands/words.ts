/** How commands read options and operands that several have, and how they write amounts, days and times. Readers throw UsageError. */

import type { Token } from '../../generated/api.ts'
import { UsageError } from '../errors.ts'

const FREQUENCIES = ['weekly', 'monthly', 'quarterly', 'yearly'] as const
const WEEK_DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const

/** Reads `weekly` or `0`. `undefined` gives `undefined`. Throws UsageError. */
export function readFrequency(text: string | undefined): 0 | 1 | 2 | 3 | undefined {
  if (text === undefined) return undefined
  const known = [0, 1, 2, 3] as const
  const found = known.find((each) => text === String(each) || text.toLowerCase() === FREQUENCIES[each])
  if (found !== undefined) return found
  throw new UsageError(`--frequency must be weekly, monthly, quarterly, yearly or 0 to 3, not "${text}".`)
}

const SORTS = ['newest', 'relevance', 'lowest_amount', 'highest_amount', 'most_subscribers'] as const

/** Reads the order of a search. Throws UsageError. */
export function readSort(text: string): (typeof SORTS)[number] {
  const found = SORTS.find((each) => text === each)
  if (found === undefined) throw new UsageError(`--sort must be ${SORTS.join(', ')}, not "${text}".`)
  return found
}

const FEW_DIGITS = 3

/** A human amount in few digits, rounded up because it shows a cost: "0.00012345" is "0.000124". */
export function fewDigits(amount: string): string {
  const [, whole = '0', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(amount) ?? []
  const zeros = whole === '0' ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0
  const kept = whole === '0' ? zeros + FEW_DIGITS : Math.max(0, FEW_DIGITS - whole.length)
  const digits = BigInt(whole + fraction.slice(0, kept).padEnd(kept, '0'))
  const isExact = /^0*$/.test(fraction.slice(kept))
  const text = String(isExact ? digits : digits + 1n).padStart(kept + 1, '0')
  const split = text.length - kept
  return `${text.slice(0, split)}.${text.slice(split)}`.replace(/\.?0*$/, '') || '0'
}

/** "12.5 USDC"; the token's address where it has no symbol. */
export function amountOf(amount: string, token: Pick<Token, 'symbol' | 'address'>): string {
  return `${amount} ${token.symbol ?? token.address}`
}

/** "weekly, Wed", "monthly, day 15" */
export function rhythmOf(frequencyLabel: string, dueDay: number): string {
  const weekDay = frequencyLabel === 'WEEKLY' ? WEEK_DAYS[dueDay - 1] : undefined
  return `${frequencyLabel.toLowerCase()}, ${weekDay ?? `day ${dueDay}`}`
}

/** 2026-03-02 12:00:05Z */
export function timeOf(time: Date): string {
  return time
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z')
}

/** A day with its number, as the routes take both. */
export function dayOf({ date, dayNumber }: { readonly date: string; readonly dayNumber: number }): string {
  return `${date} (day ${dayNumber})`
}

/** "2026-11-07, 2026-11-14": due days that remit has not checked yet, the oldest first. Only some are named if there are many. */
export function overdueOf(overdue: readonly { readonly date: string }[], count: number): string {
  const dates = overdue.map(({ date }) => date).join(', ')
  return count > overdue.length ? `${dates} and ${count - overdue.length} more` : dates
}

export function isId(text: string): text is `0x${string}` {
  return /^0x[0-9a-fA-F]{64}$/.test(text)
}

export function isAddress(text: string): text is `0x${string}` {
  return /^0x[0-9a-fA-F]{40}$/.test(text)
}

/** The value of `--name`. Throws UsageError. */
export function readAddress(name: string, text: string): `0x${string}` {
  if (isAddress(text)) return text
  throw new UsageError(`--${name} must be an address (0x and 40 hex digits), not "${text}".`)
}

/** The one operand of a command: a subscription's id or an account's address. Throws UsageError. */
export function readTarget(name: string, operands: readonly string[]): `0x${string}` {
  const [target = '', surplus] = operands
  if (surplus !== undefined) throw new UsageError(`${name} takes one id or address: remove "${surplus}".`)
  if (isId(target) || isAddress(target)) return target
  const given = target === '' ? '' : `, and "${target}" is neither`
  throw new UsageError(
    `${name} takes a subscription’s id (0x and 64 hex digits) or an address (0x and 40)${given}.`,
  )
}

/** Throws UsageError where a command that takes no operand has one. */
export function refuseOperands(name: string, [surplus]: readonly string[]): void {
  if (surplus !== undefined) throw new UsageError(`${name} takes options only: remove "${surplus}".`)
}
