import type { Hex } from 'viem'
import type { AllowanceRemains, Happened, SentTransaction } from '../SendingError.ts'

/** The transactions that have left the wallet so far. */
export class SentSoFar {
  readonly #sent = new Map<Hex, SentTransaction>()
  callsId: string | null = null
  /** The functions that the wallet was last asked to sign. */
  asked: readonly string[] = []
  /** Whether the wallet has told the end of the bundle. Until then, calls without a receipt may still be mined. */
  areCallsOver = false

  get isEmpty(): boolean {
    return this.#sent.size === 0 && this.callsId === null
  }

  /** Whether a call of this function has left the wallet and its outcome is unknown. */
  isOpen(functionName: string): boolean {
    // A bundle has every call of its flow.
    const isUntold = this.callsId !== null && !this.areCallsOver
    const isPending = [...this.#sent.values()].some(
      ({ functions, status }) => status === 'pending' && functions.includes(functionName),
    )
    return isUntold || isPending
  }

  /** Whether an approval has gone through. */
  get approved(): boolean {
    return [...this.#sent.values()].some(
      ({ functions, status }) => status === 'success' && functions.includes('approve'),
    )
  }

  note({ hash, functions, status }: SentTransaction): void {
    this.#sent.set(hash, { hash, functions, status })
  }

  happened(allowanceRemains: AllowanceRemains | null): Happened {
    return { sent: [...this.#sent.values()], callsId: this.callsId, allowanceRemains }
  }
}
