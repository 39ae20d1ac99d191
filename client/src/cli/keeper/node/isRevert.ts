import { CallExecutionError, EstimateGasExecutionError, ExecutionRevertedError, RawContractError } from 'viem'

/** Whether a call or an estimate failed because it ran and reverted, and not because its transport failed. */
export function isRevert(error: unknown): boolean {
  if (!(error instanceof CallExecutionError || error instanceof EstimateGasExecutionError)) return false
  const found = error.walk(
    (cause) =>
      cause instanceof ExecutionRevertedError || cause instanceof RawContractError || isRevertCode(cause),
  )
  return found !== null
}

/** EIP-1474 has no code for it; nodes say 3. */
function isRevertCode(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 3
}
