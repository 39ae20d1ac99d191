/** What one call may have otherwise than the client has it. */
export interface CallOptions {
  /** Ends the call, its waiting and its sleeping; the call then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** How long one try may take, in milliseconds. */
  readonly timeoutMs?: number | undefined
  /** How often the call is tried again where that is safe. */
  readonly retries?: number | undefined
}
