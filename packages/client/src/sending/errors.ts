/** Why a sending ended: each class is one reason, and what had left the wallet by then is in `sent` (`SendingError`). */

import type { Address, Hex } from 'viem'
import type { RevertReason } from '../errors/RemitError.ts'
import { SendingError } from './SendingError.ts'

/** The wallet client has no account to sign with. */
export class NoAccountError extends SendingError {
  readonly code = 'NO_ACCOUNT'

  constructor(options: ErrorOptions = {}) {
    super(
      'The wallet has given no account: connect it first (`requestAddresses`), or make its client with one.',
      options,
    )
  }
}

/** The wallet is on another chain than the one that was asked for. */
export class WrongChainError extends SendingError {
  readonly code = 'WRONG_CHAIN'
  readonly expected: number
  readonly actual: number

  constructor(expected: number, actual: number, options: ErrorOptions = {}) {
    super(
      `The wallet is on chain ${actual}, and this is for chain ${expected}: switch it over, or send with ` +
        '`switchChain: true`.',
      options,
    )
    this.expected = expected
    this.actual = actual
  }
}

/** The contract's address on this chain is neither built in nor pinned, and the service's word for it does not count. */
export class UnknownContractError extends SendingError {
  readonly code = 'UNKNOWN_CONTRACT'
  readonly chainId: number

  constructor(chainId: number) {
    super(
      `Where the protocol's contract is on chain ${chainId} is not known here, and nothing is signed for a contract ` +
        `that only the service names. Pin it: createClient({ contracts: { ${chainId}: '0x…' } }), with an address ` +
        'from a source that you trust.',
    )
    this.chainId = chainId
  }
}

/** What is to be signed is not what was shown, or beyond the caller's limits. Nothing of it was signed. */
export class UnsafeTransactionError extends SendingError {
  readonly code = 'UNSAFE_TRANSACTION'
  /** The transaction's place, counted from 0; `null` where all of them are meant. */
  readonly index: number | null
  /** What is wrong with it, as a part of the message. */
  readonly problem: string

  constructor(problem: string, index: number | null = null, options: ErrorOptions = {}) {
    const which = index === null ? 'What was prepared' : `Transaction ${index + 1} of what was prepared`
    super(`${which} is not what was asked for, and is not signed: ${problem}.`, options)
    this.index = index
    this.problem = problem
  }
}

/**
 * The answer that was to be sent is for a day that has ended by the clock of the chain. The first charge is another one
 * now, so nothing more of it is signed: prepare again, show what that says, and send it.
 */
export class PreparedExpiredError extends SendingError {
  readonly code = 'PREPARED_EXPIRED'
  /** Unix time. */
  readonly validUntil: number

  constructor(validUntil: number) {
    super(
      `What was prepared held until ${validUntil} by the clock of the chain, and that has passed: prepare it again.`,
    )
    this.validUntil = validUntil
  }
}

/** One of the terms that a caller agreed to, and what the chain has instead. */
export interface TermsDifference {
  readonly field: 'amount' | 'provider' | 'token' | 'frequency' | 'dueDay'
  readonly agreed: string | number
  readonly actual: string | number
}

/** The subscription on the chain has other terms than the `terms` that the caller agreed to. Nothing was signed. */
export class TermsDifferError extends SendingError {
  readonly code = 'TERMS_DIFFER'
  readonly id: Hex
  readonly differences: readonly TermsDifference[]

  constructor(id: Hex, differences: readonly TermsDifference[]) {
    const each = differences.map(({ field, agreed, actual }) => `its ${field} is ${actual} and not ${agreed}`)
    super(`The subscription ${id} has other terms on the chain, and nothing was signed: ${each.join('; ')}.`)
    this.id = id
    this.differences = differences
  }
}

/** What a wallet is committed to per month in one token, in the token's smallest unit. */
export interface MonthlySums {
  readonly token: Address
  /** The budget's; `null` where it has no entry for the token. */
  readonly perMonthRaw: bigint | null
  /** What the wallet's other active subscriptions in the token take, rounded up. */
  readonly committedRaw: bigint
  /** What they and this one would take, rounded up. */
  readonly wouldBeRaw: bigint
}

/** Subscribing would commit the wallet to more per month than the client's `budget` allows. It was not signed. */
export class OverBudgetError extends SendingError {
  readonly code = 'OVER_BUDGET'
  readonly id: Hex
  readonly token: Address
  readonly perMonthRaw: bigint | null
  readonly committedRaw: bigint
  readonly wouldBeRaw: bigint

  /** @param inWords an amount in whole tokens */
  constructor(
    id: Hex,
    { inWords, ...sums }: MonthlySums & { readonly inWords: (amountRaw: bigint) => string },
  ) {
    const { token, perMonthRaw, committedRaw, wouldBeRaw } = sums
    super(
      perMonthRaw === null
        ? `The budget has no entry for the token ${token}, so nothing is subscribed to in it: ${id} is not signed.`
        : `Subscribing to ${id} would commit the wallet to ${inWords(wouldBeRaw)} a month in the token ${token}, ` +
            `${inWords(committedRaw)} of it for what it subscribes to already. The budget is ` +
            `${inWords(perMonthRaw)}, and it is not signed.`,
    )
    this.id = id
    this.token = token
    this.perMonthRaw = perMonthRaw
    this.committedRaw = committedRaw
    this.wouldBeRaw = wouldBeRaw
  }
}

/** A read of the chain that the check needs failed, so nothing was signed. */
export class ChainReadError extends SendingError {
  readonly code = 'CHAIN_READ_FAILED'

  constructor(what: string, cause: unknown) {
    super(
      `${what} could not be read from the chain, without which nothing is signed. Where the wallet answers no ` +
        'reads, send with a `publicClient` for the same chain.',
      { cause },
    )
  }
}

/** The user refused in the wallet. The client does not ask again in another way. */
export class UserRejectedError extends SendingError {
  readonly code = 'USER_REJECTED'

  constructor(cause: unknown) {
    super('The user has refused it in the wallet.', { cause })
  }
}

/** The wallet failed when it was to sign or send. */
export class WalletFailedError extends SendingError {
  readonly code = 'WALLET_FAILED'

  constructor(what: string, cause: unknown) {
    super(
      `The wallet failed at ${what}: ${sentence(cause)} It need not mean that nothing was sent: look there before ` +
        'trying again.',
      { cause },
    )
  }
}

/** A key in this program could not sign, or the node refused the signed transaction. Nothing was sent. */
export class NotSentError extends SendingError {
  readonly code = 'NOT_SENT'

  constructor(functionName: string, cause: unknown) {
    super(`${functionName} was not sent: ${sentence(cause)}`, { cause })
  }
}

/** The transaction would revert now, though it would not have when it was prepared. It was not signed. */
export class WouldRevertError extends SendingError {
  readonly code = 'WOULD_REVERT'
  readonly reason: RevertReason

  constructor(functionName: string, reason: RevertReason, cause: unknown) {
    super(`${functionName} would fail by now, and is not signed: ${reason.message}`, { cause })
    this.reason = reason
  }
}

/** The transaction was mined and reverted: it cost gas and did nothing else. */
export class TransactionRevertedError extends SendingError {
  readonly code = 'TRANSACTION_REVERTED'
  readonly hash: Hex
  /** `null` where the service could not tell it. */
  readonly reason: RevertReason | null

  constructor(functionName: string, hash: Hex, reason: RevertReason | null) {
    super(`${functionName} was mined in ${hash} and failed: ${reason?.message ?? 'the reason is not known.'}`)
    this.hash = hash
    this.reason = reason
  }
}

/** Another transaction of the same account took its nonce: it can never be mined. */
export class TransactionReplacedError extends SendingError {
  readonly code = 'TRANSACTION_REPLACED'
  readonly hash: Hex
  readonly replacement: Hex
  /** `cancelled`: the other transaction only takes the nonce and does nothing else. */
  readonly how: 'cancelled' | 'replaced'

  constructor(hash: Hex, replacement: Hex, how: 'cancelled' | 'replaced') {
    super(`The transaction ${hash} was ${how} in the wallet by ${replacement}.`)
    this.hash = hash
    this.replacement = replacement
    this.how = how
  }
}

/** The wait ended before the transaction was mined. It may still be mined. `cause` says what ended the wait. */
export class StillPendingError extends SendingError {
  readonly code = 'STILL_PENDING'

  constructor(what: string, cause: unknown) {
    super(`${what} was sent and may still be mined; nobody waits for it any more.`, { cause })
  }
}

/** The wallet took the calls and gave up on them. */
export class CallsFailedError extends SendingError {
  readonly code = 'CALLS_FAILED'
  /** Of `wallet_getCallsStatus`: 400 is nothing on chain, 500 all reverted, 600 some. */
  readonly statusCode: number

  constructor(statusCode: number) {
    super(`The wallet could not carry the calls out (status ${statusCode}).`)
    this.statusCode = statusCode
  }
}

/** Every transaction was mined without a revert, but the contract did not log the event that it logs on success. */
export class MissingEventError extends SendingError {
  readonly code = 'MISSING_EVENT'

  constructor(what: string, account: Address) {
    super(`All transactions were mined, and none has the contract's log of ${what} by ${account}.`)
  }
}

/** Something else failed after transactions had left the wallet; `cause` says what. */
export class SendingInterruptedError extends SendingError {
  readonly code = 'SENDING_INTERRUPTED'

  constructor(cause: unknown) {
    super(`The sending was broken off: ${sentence(cause)}`, { cause })
  }
}

/** An error's own sentence: viem's messages also hold the request and the version. */
function sentence(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const [said] = ['details', 'shortMessage'].flatMap((key) => {
    const text: unknown = Reflect.get(cause, key)
    return typeof text === 'string' && text !== '' ? [text] : []
  })
  const text = (said ?? cause.message).trim()
  return /[.!?]$/.test(text) ? text : `${text}.`
}
