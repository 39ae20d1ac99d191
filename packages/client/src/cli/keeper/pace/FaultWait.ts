import { CliError } from '../../invocation/CliError.ts'
import { EXIT } from '../../invocation/exitCodes.ts'
import { ChainFaultError, ServiceBusyError, ServiceFaultError } from '../ports/faults.ts'
import { faultWaitMs } from './schedule.ts'

/** One day: no limit of the service lasts longer. */
const LONGEST_WAIT_MS = 86_400_000
/** A keeper that runs once gives up if nothing answers. */
const MOST_FAULTS_ONCE = 5

/** What to do about a fault. */
interface FaultResponse {
  readonly event: string
  readonly message: string
  readonly waitMs: number
}

/** Counts faults in a row, of any upstream, and says how long to wait. */
export class FaultWait {
  readonly #intervalMs: number
  readonly #once: boolean
  #count = 0

  constructor({ intervalMs, once }: { readonly intervalMs: number; readonly once: boolean }) {
    this.#intervalMs = intervalMs
    this.#once = once
  }

  clear(): void {
    this.#count = 0
  }

  /** Throws errors that waiting cannot fix, and CliError after several faults where the keeper runs once. */
  waitAfter(error: unknown): FaultResponse {
    const event = eventOf(error)
    if (event === undefined || !(error instanceof Error)) throw error
    this.#count += 1
    const { message } = error
    if (this.#once && this.#count >= MOST_FAULTS_ONCE) {
      throw new CliError(message, EXIT.unavailable, { cause: error })
    }
    const askedMs = error instanceof ServiceBusyError ? error.retryAfterSeconds * 1000 : 0
    // A check that fails late has taken two requests; a check with nothing to do takes one.
    const backoffMs = faultWaitMs(this.#count, 2 * this.#intervalMs)
    return { event, message, waitMs: Math.min(LONGEST_WAIT_MS, Math.max(askedMs, backoffMs)) }
  }
}

function eventOf(error: unknown): string | undefined {
  if (error instanceof ServiceBusyError) return 'waiting'
  if (error instanceof ServiceFaultError) return 'service_fault'
  return error instanceof ChainFaultError ? 'rpc_fault' : undefined
}
