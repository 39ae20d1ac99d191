/**
 * Converts amounts between their three forms, exactly or not at all: protocol units (18 decimals, as the contract keeps them), raw (the
 * token's smallest unit) and human (a decimal text).
 */

import { maxUint256 } from 'viem'

/** Decimals of the units in which the contract keeps every amount and fee balance. */
export const PROTOCOL_DECIMALS = 18

/** Why an amount cannot be converted exactly. */
export interface AmountRefusal {
  readonly ok: false
  readonly reason: 'malformed' | 'too-precise' | 'too-large'
  readonly message: string
}

export type RawAmount = { readonly ok: true; readonly raw: bigint } | AmountRefusal
export type ProtocolAmount = { readonly ok: true; readonly amount: bigint } | AmountRefusal

/**
 * Converts protocol units to the token's smallest unit, as the contract does.
 *
 * @param decimals those of the contract's entry for the token, which need not be the token's own
 */
export function toRaw(amount: bigint, decimals: number): bigint {
  return decimals < PROTOCOL_DECIMALS ? amount / scale(decimals) : amount * scale(decimals)
}

/** The value, but at most 2^256 - 1, the largest allowance and amount. */
export function atMostUint256(value: bigint): bigint {
  if (value > maxUint256) return maxUint256
  return value
}

/** The smallest raw amount that meets a minimum given in protocol units. */
export function minimumRaw(minimum: bigint, decimals: number): bigint {
  if (decimals >= PROTOCOL_DECIMALS) return toRaw(minimum, decimals)
  const unit = scale(decimals)
  return (minimum + unit - 1n) / unit
}

/** The protocol amount that the contract converts back to exactly this raw amount. */
export function rawToProtocol(raw: bigint, decimals: number): ProtocolAmount {
  const unit = scale(decimals)
  if (decimals > PROTOCOL_DECIMALS && raw % unit !== 0n) {
    const message = `The protocol keeps ${PROTOCOL_DECIMALS} decimals; ${formatHuman(raw, decimals)} has more.`
    return { ok: false, reason: 'too-precise', message }
  }
  const amount = decimals < PROTOCOL_DECIMALS ? raw * unit : raw / unit
  if (amount > maxUint256) {
    const message = `${formatHuman(raw, decimals)} is more than the protocol can hold (2^256 - 1 in 18 decimals).`
    return { ok: false, reason: 'too-large', message }
  }
  return { ok: true, amount }
}

/**
 * Converts a decimal string to a raw amount exactly, or refuses it.
 *
 * Takes digits with an optional fraction: no sign, exponent, grouping or bare point. More fraction
 * digits than `decimals` are refused even where they are zeros: the caller probably means another token.
 */
export function parseHuman(amount: string, decimals: number): RawAmount {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(amount)
  if (match === null) {
    const message = 'An amount is a plain decimal number such as "10.5": no sign, no exponent, no separators.'
    return { ok: false, reason: 'malformed', message }
  }
  const fraction = match[2] ?? ''
  if (fraction.length > decimals) {
    const message = `The amount has ${fraction.length} fraction digits; the token has ${decimals} decimals.`
    return { ok: false, reason: 'too-precise', message }
  }
  const digits = `${match[1]}${fraction.padEnd(decimals, '0')}`.replace(/^0+(?=\d)/, '')
  // 2^256 has 78 digits. Compared first, so that a hostile length never reaches BigInt.
  const raw = digits.length > 78 ? undefined : BigInt(digits)
  if (raw === undefined || raw > maxUint256) {
    const message = 'The amount exceeds 2^256 - 1 in the smallest unit of the token.'
    return { ok: false, reason: 'too-large', message }
  }
  return { ok: true, raw }
}

/**
 * The protocol amounts (18 decimals) that a token's unit shows as at least and at most these human amounts. A bound may be
 * finer than the token's unit.
 * @param bounds plain decimal strings
 * @returns both ends belong to the range; `most` is `null` without a bound
 */
export function protocolRange(
  { least, most }: { readonly least: string | undefined; readonly most: string | undefined },
  decimals: number,
): { readonly least: bigint; readonly most: bigint | null } {
  const places = Math.min(decimals, PROTOCOL_DECIMALS)
  const unit = 10n ** BigInt(PROTOCOL_DECIMALS - places)
  return {
    // Rounded up: minus the floor of the negative amount.
    least: least === undefined ? 0n : -floorTo(least, places, -1n) * unit,
    // Up to the last amount that the contract truncates to the same raw one.
    most: most === undefined ? null : floorTo(most, places, 1n) * unit + unit - 1n,
  }
}

/** A human amount, times the sign, rounded down to whole units of so many decimal places. */
function floorTo(amount: string, places: number, sign: 1n | -1n): bigint {
  const [whole = '', fraction = ''] = amount.split('.')
  const units = BigInt(whole + fraction.slice(0, places).padEnd(places, '0')) * sign
  const isBelow = sign < 0n && /[1-9]/.test(fraction.slice(places))
  return isBelow ? units - 1n : units
}

/** Whether a human amount is more than another, both plain decimal strings. */
export function isMore(amount: string, than: string): boolean {
  const places = Math.max(...[amount, than].map((text) => (text.split('.')[1] ?? '').length))
  return floorTo(amount, places, 1n) > floorTo(than, places, 1n)
}

/** A raw amount as an exact decimal string: no exponent, no trailing zeros, "-" in front of a loss. */
export function formatHuman(raw: bigint, decimals: number): string {
  const sign = raw < 0n ? '-' : ''
  const digits = (raw < 0n ? -raw : raw).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`
}

/** The factor between protocol units and raw ones. */
function scale(decimals: number): bigint {
  return 10n ** BigInt(Math.abs(PROTOCOL_DECIMALS - decimals))
}
