import type { Quota } from '../../errors/access.ts'
import type { Bucket, Lane, Toll } from '../lanes.ts'

/** What a request shows of its caller, before anything is believed. */
export interface Credentials {
  /** The address of the peer; `undefined` where the surface has none. */
  readonly remoteAddress: string | undefined
  /** Reads one request header, by its lower-case name. */
  header(name: string): string | undefined
}

/** Who is calling, as far as limits are concerned. */
export interface Identity {
  readonly lane: Lane
  /** Stable for one caller within its lane. It may be an address: it never goes to a log as it is. */
  readonly id: string
  /** Holds the admin secret, and manages keys. Nothing is charged then. */
  readonly operator?: true
}

/** Whom a route is for: callers on a lane, operators with the admin secret, or anyone, Basic Auth or not. */
export type Audience = 'callers' | 'operators' | 'anyone'

/**
 * Tells who is calling. Throws UnauthorizedError for credentials that do not hold, and ValidationError for
 * malformed ones, or RateLimitedError where too many of an address did not; KeysUnavailableError where nobody can
 * tell; DeveloperKeysDisabledError and AdminNotConfiguredError to would-be operators.
 */
export interface IdentityPort {
  identify(credentials: Credentials, audience: Audience): Promise<Identity>
}

/** Counts credentials that failed, by the address that they came from. */
export interface AuthFailuresPort {
  /** Throws RateLimitedError where the address is known to have spent its failures. Takes nothing. */
  admitCredentials(address: string): void
  /** Takes one. Throws RateLimitedError where there is none left. */
  takeAuthFailure(address: string): Promise<void>
}

/** What a request has taken. */
export interface Charge {
  readonly quotas: readonly Quota[]
  /** Gives back the expensive and write units, after a failure that was not the caller's. Never throws. */
  giveBack(): Promise<void>
}

/** Takes units from a caller's buckets: all of them or none, in one atomic step. */
export interface ChargingPort {
  /** Throws RateLimitedError where the minute's total is known to be spent. Takes nothing. */
  admit(identity: Identity): Promise<void>
  /**
   * Throws RateLimitedError, with nothing taken, where any of the buckets is spent, and LimiterUnavailableError
   * where nobody can tell. What is only counted is never refused.
   */
  take(identity: Identity, toll: Toll, buckets: readonly Bucket[]): Promise<Charge>
}

const NOTHING_TAKEN: Charge = { quotas: [], giveBack: async () => {} }

/** Everybody is on the free lane, told apart by address. */
export const everybodyFree: IdentityPort = {
  identify: async ({ remoteAddress }) => ({ lane: 'free', id: remoteAddress ?? 'unknown' }),
}

/** No limits. */
export const unmetered: ChargingPort = {
  admit: async () => {},
  take: async () => NOTHING_TAKEN,
}
