import type { Quota } from '../../errors/access.ts'
import type { Bucket, Cost, Lane } from '../lanes.ts'

/** What a request says about its caller. Nothing of it is verified yet. */
export interface Credentials {
  /** The address of the peer; `undefined` where the surface has none. */
  readonly remoteAddress: string | undefined
  /** Reads one request header, by its lower-case name. */
  header(name: string): string | undefined
}

/** The caller, as limits see it. */
export interface Identity {
  readonly lane: Lane
  /** Stable for one caller within its lane. It may be an IP address, so logs hold only its hash. */
  readonly id: string
  /** The caller has shown the admin secret. It may manage keys, and no limit applies. */
  readonly operator?: true
}

/** Who may use a route: callers on a lane, operators with the admin secret, or anyone without credentials. */
export type Audience = 'callers' | 'operators' | 'anyone'

/**
 * Identifies callers. Throws UnauthorizedError for wrong credentials, ValidationError for malformed ones,
 * RateLimitedError where too many from one address failed, and KeysUnavailableError while the key store is away.
 * Operators' routes also throw DeveloperKeysDisabledError and AdminNotConfiguredError.
 */
export interface IdentityPort {
  identify(credentials: Credentials, audience: Audience): Promise<Identity>
}

/** Counts failed credentials by address. */
export interface AuthFailuresPort {
  /** Throws RateLimitedError where the address is known to have used up its failures. Takes nothing. */
  admitCredentials(address: string): void
  /** Takes one. Throws RateLimitedError where there is none left. */
  takeAuthFailure(address: string): Promise<void>
}

/** The units that a request has taken. */
export interface TakenUnits {
  readonly quotas: readonly Quota[]
  /** Gives the units of the expensive and write buckets back, after a failure that was not the caller's. Never throws. */
  giveBack(): Promise<void>
}

/** Takes units from a caller's buckets: all of them or none, in one atomic step. */
export interface ChargingPort {
  /** Throws RateLimitedError where the minute's total is known to be spent. Takes nothing. */
  admit(identity: Identity): Promise<void>
  /**
   * Throws RateLimitedError, with nothing taken, where any of the buckets is spent, and LimiterUnavailableError
   * while the counters are away. A request that is only counted is never refused.
   */
  take(identity: Identity, cost: Cost, buckets: readonly Bucket[]): Promise<TakenUnits>
}

const NOTHING_TAKEN: TakenUnits = { quotas: [], giveBack: async () => {} }

/** Everybody is on the free lane, told apart by address. */
export const everybodyFree: IdentityPort = {
  identify: async ({ remoteAddress }) => ({ lane: 'free', id: remoteAddress ?? 'unknown' }),
}

/** No limits. */
export const unmetered: ChargingPort = {
  admit: async () => {},
  take: async () => NOTHING_TAKEN,
}
