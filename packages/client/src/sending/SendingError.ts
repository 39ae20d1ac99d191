import type { Address, Hex } from 'viem'

/** What can go wrong with a sending: the codes of its error classes. They are permanent. */
export type SendingErrorCode =
  | 'NO_ACCOUNT'
  | 'WRONG_CHAIN'
  | 'UNKNOWN_CONTRACT'
  | 'UNSAFE_TRANSACTION'
  | 'TERMS_DIFFER'
  | 'PREPARED_EXPIRED'
  | 'OVER_BUDGET'
  | 'CHAIN_READ_FAILED'
  | 'USER_REJECTED'
  | 'WALLET_FAILED'
  | 'NOT_SENT'
  | 'WOULD_REVERT'
  | 'TRANSACTION_REVERTED'
  | 'TRANSACTION_REPLACED'
  | 'STILL_PENDING'
  | 'CALLS_FAILED'
  | 'MISSING_EVENT'
  | 'SENDING_INTERRUPTED'

/** A transaction that left the wallet, and what is known of it. */
export interface SentTransaction {
  readonly hash: Hex
  /** The contract functions that it calls, in order: `['approve']`, or several where the wallet bundled them. */
  readonly functions: readonly string[]
  /** `pending` also if no node answered any more: the transaction may be mined by now. */
  readonly status: 'pending' | 'success' | 'reverted' | 'replaced'
}

/** An allowance that the wallet has given before the rest failed. The protocol may still take it. */
export interface AllowanceRemains {
  readonly token: Address
  readonly spender: Address
  /** In the token's smallest unit, read from the chain; the approved amount where the chain could not be read. */
  readonly amountRaw: bigint
}

/** What had happened when a sending failed. */
export interface Happened {
  readonly sent: readonly SentTransaction[]
  /** The wallet's id for the calls, where it took them by `wallet_sendCalls`. */
  readonly callsId: string | null
  readonly allowanceRemains: AllowanceRemains | null
}

const NOTHING: Happened = { sent: [], callsId: null, allowanceRemains: null }

/**
 * A flow was not sent, was sent in part, or its outcome is unknown. `sent` holds every transaction that is known to have left the wallet.
 * If it is empty and `callsId` is null, nothing was sent. Only after a WalletFailedError the wallet may still have sent something.
 *
 * @example
 * import { SendingError } from '@remit/client'
 *
 * try {
 *   await client.subscribe({ id }).send(wallet)
 * } catch (error) {
 *   if (!(error instanceof SendingError)) throw error
 *   console.log(error.code, error.message)
 *   for (const { hash } of error.sent) console.log(`sent all the same: ${hash}`)
 * }
 */
export abstract class SendingError extends Error {
  /** Permanent. */
  abstract readonly code: SendingErrorCode
  #happened = NOTHING
  readonly #sentence: string

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.name = new.target.name
    this.#sentence = message
  }

  get sent(): readonly SentTransaction[] {
    return this.#happened.sent
  }

  get callsId(): string | null {
    return this.#happened.callsId
  }

  get allowanceRemains(): AllowanceRemains | null {
    return this.#happened.allowanceRemains
  }

  /** The same error, with what had been sent before it. */
  after(happened: Happened): this {
    this.#happened = happened
    this.message = [this.#sentence, ...sentences(happened)].join(' ')
    return this
  }
}

function sentences({ sent, callsId, allowanceRemains }: Happened): string[] {
  return [
    ...(callsId === null ? [] : [`The wallet's id for the calls is ${callsId}.`]),
    ...sent.map(
      ({ hash, functions, status }) => `Sent before: ${functions.join(' and ')} in ${hash} (${status}).`,
    ),
    ...(allowanceRemains === null
      ? []
      : [
          `The allowance remains: ${allowanceRemains.spender} may take ${allowanceRemains.amountRaw} of the ` +
            `smallest unit of ${allowanceRemains.token}, until it is used or revoked.`,
        ]),
  ]
}
