/** A payment that a wallet's app is asked for. */
export interface PaymentRequest {
  readonly chainId: number
  /** Whose contract moves it; `null` for the network's own money. */
  readonly token: string | null
  /** The wallet that is to receive it. */
  readonly to: string
  /** In the smallest unit of what is sent. */
  readonly amountRaw: bigint
}

/**
 * A payment as wallets' apps read it out of a link or a QR code (ERC-681). The amount is written out: the standard
 * recommends an exponent (`2.014e18`), but some apps do not read one.
 */
export function paymentUri({ chainId, token, to, amountRaw }: PaymentRequest): string {
  return token === null
    ? `ethereum:${to}@${chainId}?value=${amountRaw}`
    : `ethereum:${token}@${chainId}/transfer?address=${to}&uint256=${amountRaw}`
}
