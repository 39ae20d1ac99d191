import type { CallOptions } from '../../call/CallOptions.ts'
import type { SendOptions } from './Wallet.ts'

/** How long a step of a sending may take where nobody says otherwise. */
const STEP_TIMEOUT_MS = 120_000

export function stepTimeoutMs({ timeoutMs = STEP_TIMEOUT_MS }: SendOptions): number {
  return timeoutMs
}

/** How it is prepared in a sending: within the step's time, and reporting each wait. */
export function stepOptions(options: SendOptions): CallOptions {
  const { signal, onProgress } = options
  return {
    signal,
    withinMs: stepTimeoutMs(options),
    onWait: (wait) => onProgress?.({ kind: 'waiting', step: 0, of: 0, ...wait }),
  }
}
