// Whether a provider's domain is proven, and its name on the chain: the service looks both up (`service/history/providers/`), and
// operations read what it found from the index.

/** What can come of looking a provider's domain up in DNS, and what that says: OUTDATED is an old result that was not renewed. */
export const DOMAIN_OUTCOMES = {
  SIGNED: 'verified',
  NOT_LOOKED_UP: 'unverified',
  NOT_A_DOMAIN: 'unverified',
  NO_RECORD: 'unverified',
  OTHER_SIGNATURE: 'unverified',
  RESOLVERS_DISAGREE: 'failed',
  RESOLVER_FAILED: 'failed',
  OUTDATED: 'failed',
} as const

export type DomainOutcome = keyof typeof DOMAIN_OUTCOMES

/** Whether the domain that a provider states is theirs, as far as it was looked up. */
export interface DomainCheck {
  /** As DNS has it, in ASCII; `null` where what is stated is no domain that is looked up. */
  readonly name: string | null
  readonly outcome: DomainOutcome
  /** Unix seconds of the wall's clock: when it was last looked up; `null` if it was not. */
  readonly checkedAt: number | null
}

/** Who a provider is, beyond what it says of itself. */
export interface ProviderCheck {
  /** `null` where the newest profile states no domain. */
  readonly domain: DomainCheck | null
  /** The name of its address in the chain's registry of names. */
  readonly chainName: string | null
}
