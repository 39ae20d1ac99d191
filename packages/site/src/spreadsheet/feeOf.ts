interface Raw {
  readonly amountRaw: bigint
}

/** What was taken out of the reserve for the collecting: the collector’s part, and the protocol’s. */
export function feeOf({
  callerFee,
  systemShare,
}: {
  readonly callerFee: Raw
  readonly systemShare: Raw
}): bigint {
  return callerFee.amountRaw + systemShare.amountRaw
}
