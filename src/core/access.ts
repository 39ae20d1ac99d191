import type { Bucket, Lane, Metering } from './lanes.ts'

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
}

/** Tells who is calling. Throws UnauthorizedError for credentials that are not live. */
export interface IdentityPort {
  identify(credentials: Credentials): Promise<Identity>
}

/** Where one limit stands, for the RateLimit headers. */
export interface Quota {
  readonly name: string
  readonly limit: number
  readonly windowSeconds: number
  readonly remaining: number
  readonly resetSeconds: number
}

/** What a request has taken. */
export interface Charge {
  readonly quotas: readonly Quota[]
  /** Gives back the expensive and write units, after a failure that was not the caller's. */
  giveBack(): Promise<void>
}

/** Takes units from a caller's buckets: all of them or none, in one atomic step. */
export interface ChargingPort {
  /** Throws RateLimitedError where the minute's total is already spent, taking nothing. */
  admit(identity: Identity): Promise<void>
  /** Throws RateLimitedError, with nothing taken, where any of the buckets is spent. */
  take(identity: Identity, metering: Metering, buckets: readonly Bucket[]): Promise<Charge>
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
