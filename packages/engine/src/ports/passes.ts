// A pass is a signed text that a member shows to a site, which can check it without asking anybody. The service signs passes.

/** What a pass says about a membership. Times are unix seconds. */
export interface PassClaims {
  /** Who may use the pass, in its own words: the origin of a site, mostly. */
  readonly audience: string
  readonly chainId: number
  readonly contractAddress: string
  readonly subscriptionId: string
  /** The wallet, in its checksummed form. */
  readonly subscriber: string
  /** The block that the membership was read at. */
  readonly block: { readonly number: number; readonly hash: string }
  /** The last second of the last day that is paid for, with the operator's days of grace. */
  readonly entitledThrough: number
}

export interface IssuedPass {
  /** A JWT, signed by EdDSA. */
  readonly pass: string
  /** Unix seconds, like the next. */
  readonly issuedAt: number
  readonly expiresAt: number
}

/** A public key of passes, as a JWK (RFC 8037). */
export interface PassKey {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly x: string
  readonly kid: string
  readonly alg: 'EdDSA'
  readonly use: 'sig'
}

/** Signs passes. Every method throws PassesOffError where passes are switched off, and KeysUnavailableError. */
export interface PassesPort {
  /** Days after `paidThrough` on which a pass still holds. */
  readonly graceDays: number
  /** Signs a pass. @param mostSeconds how long it may hold, whatever is paid for */
  issue(claims: PassClaims, mostSeconds: number): Promise<IssuedPass>
  /** The keys that passes in use may be signed with, and the next one. */
  keys(): Promise<readonly PassKey[]>
}
