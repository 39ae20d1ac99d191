import { INFINITE_ALLOWANCE } from '@remit/protocol/allowance'
import { strangersText } from './strangersText.ts'

/** What the collecting reserve is. The API calls it the fee balance. */
export const RESERVE_MEANS =
  'The contract keeps it for each subscription and pays out of it whoever collects. What is left goes to the provider when the member leaves, and back to the member when the provider ends the subscription. When a payment fails, the provider gets what is left in it less one fee; a rest no larger than that fee stays in the contract.'

/** A later payment of which a part, or all, stays in that reserve. */
export const FILLS_RESERVE = 'Payment that fills the collecting reserve'

/**
 * What the contract may keep of a reserve that goes back because its plan was cancelled. Whether its fee is switched on it does not tell.
 * @param percent its fee for itself; 0 also where that is not known
 */
export function ownFeeWords(percent = 0): string {
  return `and the contract may keep ${percent === 0 ? 'a fee of its own' : `up to ${percent} % of it as its own fee`}`
}

/** What an amount is in: its symbol as a stranger wrote it, and its address where it has none. */
export interface MoneyToken {
  readonly symbol: string | null
  readonly address: string
}

/** An exact amount as people read it: "1,250.50". Nothing is rounded; whole cents are filled up. */
export function amountWords(amount: string): string {
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? []
  if (whole === '') return amount
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  const cents = rest === '' ? '' : `.${rest.padEnd(2, '0')}`
  return `${sign === '' ? '' : '−'}${grouped}${cents}`
}

/** Which way an amount is rounded: up where less would not do, down where it says what is there. */
export type Rounding = 'nearest' | 'up' | 'down'

/** Currencies that people count in cents, by how the symbols of their tokens are written. */
const IN_CENTS = /USD|EUR|GBP|CHF|CAD|AUD|NZD|SGD|BRL|MXN|DAI|FRAX|GHO/i
const CENTS = 2
/** The most digits of a fraction that a reader needs of another token. */
const READABLE = 6

/**
 * An amount as it is read at a glance: to cents in a currency that has them, else to six places. An amount that is too
 * small to be seen so keeps its first digits.
 */
export function shortAmountWords(amount: string, token: MoneyToken, rounding: Rounding = 'nearest'): string {
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? []
  const places = placesOf(whole, rest, IN_CENTS.test(token.symbol ?? '') ? CENTS : READABLE)
  if (rest.length <= places) return amountWords(amount)
  const shown = BigInt(`${whole}${rest.slice(0, places)}`)
  const isMore = /[1-9]/.test(rest.slice(places))
  const isUp = rounding === 'up' ? isMore : rounding === 'nearest' && Number(rest[places]) >= 5
  const digits = String(isUp ? shown + 1n : shown).padStart(places + 1, '0')
  const fraction = digits.slice(-places)
  const isWhole = /^0*$/.test(fraction)
  return amountWords(`${sign}${digits.slice(0, -places)}${isWhole ? '' : `.${trimmed(fraction)}`}`)
}

/** How many digits of the fraction are shown: `places`, or for an amount too small for those, up to its second digit. */
function placesOf(whole: string, rest: string, places: number): number {
  const leading = /^0*/.exec(rest)?.[0].length ?? 0
  return /^0+$/.test(whole) && leading >= places ? leading + 2 : places
}

/** Without needless zeros at its end; two digits stay. */
function trimmed(fraction: string): string {
  return fraction.length <= CENTS ? fraction : fraction.replace(/0+$/, '').padEnd(CENTS, '0')
}

const MOST_SYMBOL = 12

/** What a token is called: its symbol, as a stranger wrote it, or its address. */
export function symbolOf(token: MoneyToken): string {
  const symbol = strangersText(token.symbol ?? '', MOST_SYMBOL)
  return symbol !== '' ? symbol : `${token.address.slice(0, 6)}…${token.address.slice(-4)}`
}

/** "12.50 USDC", exactly. */
export function moneyWords(amount: string, token: MoneyToken): string {
  return `${amountWords(amount)} ${symbolOf(token)}`
}

/** "2.86 USDC": for sentences. What is signed, or must be exact, is written by `moneyWords`. */
export function shortMoneyWords(amount: string, token: MoneyToken, rounding: Rounding = 'nearest'): string {
  return `${shortAmountWords(amount, token, rounding)} ${symbolOf(token)}`
}

/** Whether a permission is without limit: nobody can spend so much. */
export function isEndless({ amountRaw }: { readonly amountRaw: bigint }): boolean {
  return amountRaw >= INFINITE_ALLOWANCE
}
