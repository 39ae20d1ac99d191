import type { Hex } from 'viem'
import type { AllowanceRemains, Happened, SentTransaction } from '../SendingError.ts'

/** The transactions that have left the wallet so far. */
export class SentSoFar {
  readonly #sent = new Map<Hex, SentTransaction>()
  callsId: string | null = null
  /** Whether the wallet has told the end of the bundle. Until then, calls without a receipt may still be mined. */
  areCallsOver = false

  get isEmpty(): boolean {
    return this.#sent.size === 0 && this.callsId === null
  }

  /** Whether something has left the wallet whose end nobody has seen. */
  get isOpen(): boolean {
    const isUntold = this.callsId !== null && !this.areCallsOver
    return isUntold || [...this.#sent.values()].some(({ status }) => status === 'pending')
  }

  /** Whether an approval has gone through. */
  get approved(): boolean {
    return [...this.#sent.values()].some(
      ({ functions, status }) => status === 'success' && functions.includes('approve'),
    )
  }

  note(transaction: SentTransaction): void {
    this.#sent.set(transaction.hash, transaction)
  }

  happened(allowanceRemains: AllowanceRemains | null): Happened {
    return { sent: [...this.#sent.values()], callsId: this.callsId, allowanceRemains }
  }
}
