import type { Address } from 'viem'

/** Why a gate answers 402. */
export type NotAdmittedCode =
  /** The request shows neither a signature nor a pass. */
  | 'NOTHING_SHOWN'
  /** The signature is not one that this gate has asked for, has expired, was used, or is not the wallet's. */
  | 'SIGN_IN_REFUSED'
  | 'PASS_REFUSED'
  /** The wallet never subscribed. */
  | 'NOT_A_MEMBER'
  /** The wallet was a member, and what it paid for has ended. */
  | 'LAPSED'

/** The caller has not shown that they are a member. */
export class NotAdmitted extends Error {
  override readonly name = 'NotAdmitted'
  readonly code: NotAdmittedCode
  /** Whose signature was verified. */
  readonly address: Address | undefined

  constructor(code: NotAdmittedCode, message: string, address?: Address) {
    super(message)
    this.code = code
    this.address = address
  }
}
