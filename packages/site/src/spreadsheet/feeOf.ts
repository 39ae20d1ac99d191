interface Raw {
  readonly amountRaw: bigint
}

/** What was taken out of the collecting reserve for a payment, in the token's smallest unit: the collector’s part and the protocol’s. */
export function feeOf({
  callerFee,
  systemShare,
}: {
  readonly callerFee: Raw
  readonly systemShare: Raw
}): bigint {
  return callerFee.amountRaw + systemShare.amountRaw
}
