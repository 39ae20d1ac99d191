/** A decimal number without loss: `digits` / 10 ** `scale`. */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

const WEI_SCALE = 18

/** Reads "0.0004", "12" or "-0.001"; `undefined` for anything else: no exponents, no separators. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = /^(-?)(\d{1,60})(?:\.(\d{1,60}))?$/.exec(text)
  if (match === null) return undefined
  const [, sign = '', whole = '', fraction = ''] = match
  const size = BigInt(whole + fraction)
  return { digits: sign === '' ? size : -size, scale: fraction.length }
}

/** An amount of ether in wei; `undefined` where it is finer than a wei. */
export function toWei({ digits, scale }: Decimal): bigint | undefined {
  if (scale <= WEI_SCALE) return digits * 10n ** BigInt(WEI_SCALE - scale)
  const unit = 10n ** BigInt(scale - WEI_SCALE)
  return digits % unit === 0n ? digits / unit : undefined
}

/**
 * What an amount of a token is worth in wei, rounded down.
 * @param amountRaw in the token's smallest unit, not negative
 * @param price ether for one whole token
 */
export function worthInWei(amountRaw: bigint, decimals: number, price: Decimal): bigint {
  return (amountRaw * price.digits * 10n ** BigInt(WEI_SCALE)) / 10n ** BigInt(decimals + price.scale)
}
