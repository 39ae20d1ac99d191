import type { Address, Hex } from 'viem'
import { errorOf } from './base.ts'

export class PaymentNotFoundError extends errorOf(
  404,
  'NOT_FOUND',
  'the log belongs to no payment that the index knows',
) {
  constructor(transactionHash: Hex, logIndex: number, chainId: number) {
    super(`Log ${logIndex} of the transaction ${transactionHash} is no payment on chain ${chainId}.`, {
      facts: { transactionHash, logIndex },
    })
  }
}

export class MembershipNotFoundError extends errorOf(
  404,
  'NOT_FOUND',
  'the account never subscribed to the subscription',
) {
  constructor(id: Hex, account: Address) {
    super(`${account} has never subscribed to ${id}.`, { facts: { id, subscriber: account } })
  }
}

export class NotEntitledError extends errorOf(
  403,
  'NOT_ENTITLED',
  'what the membership has paid for has ended',
) {
  constructor(id: Hex, state: string) {
    super(
      state === 'dropped'
        ? `This wallet was dropped from ${id}, because a charge failed.`
        : `What this wallet has paid for ${id} has ended; the membership is ${state}.`,
      { facts: { id, state } },
    )
  }
}

/**
 * The index does not exist or cannot be read. A search fails with this error. Routes that need the index for a part of their answer alone
 * leave that part out, and state this error in the answer's field `error`.
 */
export class IndexUnavailableError extends errorOf(
  502,
  'INDEX_UNAVAILABLE',
  'the index of search and history could not be read',
) {
  /** For a chain that is read without an index. */
  static off(chainId: number): IndexUnavailableError {
    return new IndexUnavailableError(
      `Chain ${chainId} has no index here: search and history are not served.`,
      {
        facts: { chainId },
      },
    )
  }

  /** For an index whose first block has not been read yet. */
  static notBegun(chainId: number): IndexUnavailableError {
    return new IndexUnavailableError(`The index of chain ${chainId} is being built; try again shortly.`, {
      facts: { chainId },
    })
  }

  /** For a store that failed. The store's message may hold an address, so it is the `cause`, which goes to the log and not to the caller. */
  static failed(chainId: number, cause: unknown): IndexUnavailableError {
    return new IndexUnavailableError(
      `The index of chain ${chainId} could not be read just now; try again shortly.`,
      { facts: { chainId }, cause },
    )
  }
}
