import { RemitError } from '@remit/engine/errors/base'
import type { Log } from '@remit/engine/ports/log'
import { within } from '@remit/engine/waiting/within'
import { KeysUnavailableError } from '../errors/access.ts'
import { UnwritableError } from '../store/StoreError.ts'

/** Longer than the timeouts of the database, so that mostly the database gives up first. */
const TIMEOUT_MS = 20_000

/** Mistakes in code, which no store makes. */
const MISTAKES = [TypeError, RangeError, ReferenceError, SyntaxError]

/**
 * How keys, sessions, webhooks and passes ask the store: with a time limit, and with errors that callers may be told. The log says
 * once that the store is away and once that it is back; it has each write that the store refuses.
 */
export class StoreAccess {
  readonly #log: Log
  #isAway = false

  constructor(log: Log) {
    this.#log = log
  }

  /** Throws KeysUnavailableError where the store fails or takes no writes, and mistakes in our own code as they are. */
  async ask<T>(ask: () => Promise<T>, timeoutMs = TIMEOUT_MS): Promise<T> {
    try {
      const answer = await within(timeoutMs, ask(), () => new LookUpTimeout())
      if (this.#isAway) this.#log.info('The key store is back')
      this.#isAway = false
      return answer
    } catch (error) {
      if (error instanceof RemitError || MISTAKES.some((mistake) => error instanceof mistake)) throw error
      if (error instanceof UnwritableError) {
        this.#log.error('The key store cannot be written', { reason: error.reason })
        throw KeysUnavailableError.unwritable(error.reason, error)
      }
      if (!this.#isAway) this.#log.error('The key store is away', { reason: reasonOf(error) })
      this.#isAway = true
      throw KeysUnavailableError.away(error)
    }
  }
}

class LookUpTimeout extends Error {
  readonly code = 'TIMEOUT'
}

/** A code that is safe to log. Messages of databases may name hosts, users and values. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
