/** What a wallet's contract has confirmed at the sign-in (ERC-1271, ERC-6492), and is asked again. */
export interface ContractSignature {
  /** The chain of the contract: on another one the same address may be somebody else's contract. */
  readonly chainId: number
  /** The hash of the message, as wallets sign it (EIP-191). */
  readonly hash: `0x${string}`
  readonly signature: `0x${string}`
}

/** A wallet that has signed in, for as long as its session lasts. */
export interface Session {
  /** The wallet's address, in lower case. It is the subject of the keys that it makes. */
  readonly subject: string
  /** Unix milliseconds. */
  readonly expiresAt: number
  /** `null`: the wallet's own key signed, which is the same wallet on every chain and has no other owner later. */
  readonly contract: ContractSignature | null
}

/** What a wallet must put into the message that it signs (EIP-4361). */
export interface SignInTerms {
  /** A nonce for one sign-in. */
  readonly nonce: string
  /** The present time by the service's clock, in unix milliseconds, like the next. */
  readonly issuedAt: number
  readonly expiresAt: number
  /** The origins that the message may name, without a slash at their end. */
  readonly origins: readonly string[]
}

export interface OpenedSession extends Session {
  /** What the cookie holds. Only now it is known whole, like the next. */
  readonly token: string
  /** What the page keeps, and shows with the cookie. */
  readonly secret: string
  readonly lastsSeconds: number
}

/** Who may have keys by signing in. */
export const PORTAL_MODES = ['off', 'open', 'allowlist'] as const

export type PortalMode = (typeof PORTAL_MODES)[number]

/** Who has signed in with a wallet. Every method throws PortalClosedError where nobody can sign in here. */
export interface SessionsPort {
  readonly portal: PortalMode
  terms(): Promise<SignInTerms>
  /**
   * Opens a session for the wallet that signed the message. A message that cannot be accepted as it reads spends nothing.
   * Any other one spends its nonce before the signature is checked, so the nonce is gone even if that fails. Throws
   * SignInFailedError, and UpstreamError where a contract's signature cannot be checked.
   * @param chargeExpensive takes units, then runs what asks a node: for a contract's signature alone. Where no units are
   *   left, the nonce stays unspent
   */
  open(
    signIn: { readonly message: string; readonly signature: `0x${string}` },
    chargeExpensive: <T>(ask: () => Promise<T>) => Promise<T>,
  ): Promise<OpenedSession>
  /** Ends a session. One that has ended already changes nothing. @param id its place in the store, a hash of its token */
  close(id: string): Promise<void>
  /**
   * Asks the contract of the session's wallet again whether it confirms the sign-in, because its owners may have changed.
   * Throws UnauthorizedError where it does not, which ends the session, and UpstreamError where it cannot be asked.
   */
  confirm(session: Session & { readonly id: string }): Promise<void>
}
