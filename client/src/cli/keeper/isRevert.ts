import { BaseError, CallExecutionError, ExecutionRevertedError, RawContractError } from 'viem'

/** Whether a failed call ran and reverted, and not its transport. */
export function isRevert(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false
  const found = error.walk(
    (cause) =>
      cause instanceof ExecutionRevertedError || cause instanceof RawContractError || isRevertCode(cause),
  )
  return found !== null && error instanceof CallExecutionError
}

/** EIP-1474 has no code for it; nodes say 3. */
function isRevertCode(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 3
}
