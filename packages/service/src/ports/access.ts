import type { Audience } from '@remit/engine/declare/access'
import type { Bucket, Cost, Lane } from '@remit/engine/declare/lanes'
import type { Quota } from '../errors/access.ts'
import type { Session } from './sessions.ts'

/** What a request says about its caller. Nothing of it is verified yet. */
export interface Credentials {
  /** The address of the peer; `undefined` where the surface has none. */
  readonly remoteAddress: string | undefined
  /** The method of the request. */
  readonly method: string
  /** Reads one request header, by its lower-case name. */
  header(name: string): string | undefined
}

/** The caller, as limits see it. */
export interface Identity {
  readonly lane: Lane
  /** Stable for one caller within its lane. It may be an IP address, so logs hold only its hash. */
  readonly id: string
  /** A second account of the lane, in which the caller's requests are counted too: that of all sessions of its address. */
  readonly within?: string
  /** The caller's network address, as the free lane tells callers apart; left out on the free lane, where it is the id. */
  readonly address?: string
  /** Whose key or session it is; `undefined` on the free lane. It owns what the caller makes here. */
  readonly subject?: string
  /** The caller has shown the admin secret. It may manage keys, and no limit applies. */
  readonly operator?: true
  /** The caller has a session. It may manage what is its own. */
  readonly session?: CallerSession
}

/** A session, as a request shows it. */
export interface CallerSession extends Session {
  /** Names it to the store. It is not what a browser shows. */
  readonly id: string
  /** The caller's network address, as the free lane tells callers apart. */
  readonly address: string
}

/**
 * Identifies callers. Throws UnauthorizedError for wrong credentials, ValidationError for malformed ones,
 * RateLimitedError where too many from one address failed, and KeysUnavailableError while the key store is away.
 * Operators' routes also throw DeveloperKeysDisabledError and AdminNotConfiguredError. Routes on which sessions count throw
 * ForbiddenError for a request that another site's page has sent.
 */
export interface IdentityPort {
  identify(credentials: Credentials, audience: Audience): Promise<Identity>
}

/** Counts failed credentials by address. */
export interface AuthFailuresPort {
  /** Throws RateLimitedError where the address is known to have used up its failures. It counts nothing. */
  admitCredentials(address: string): void
  /** Counts one failure. Throws RateLimitedError where the address had used up its failures. */
  takeAuthFailure(address: string): Promise<void>
}

/**
 * Counts the keys and webhooks that sessions make, by network address: anybody can have many wallets, so a limit by wallet alone
 * would stop nobody.
 */
export interface NewKeysPort {
  /** Takes one of the day's keys and webhooks. Throws RateLimitedError where there is none left. */
  takeNewKey(address: string): Promise<TakenUnits>
}

/** Counts the requests that the service sends to a URL before its owner has proven it. */
export interface ChallengesPort {
  /** Takes one unit of two daily limits: of the caller's subject and of its address. Throws RateLimitedError where either is used up. */
  takeChallenge(caller: Identity): Promise<void>
}

/** Reads what a caller has used. */
export interface UsagePort {
  /** The state of each limit of an account: of one key, or of keys that are counted together. It takes nothing. */
  usageOf(account: string): Promise<readonly Quota[]>
}

/** The units that a request has taken. */
export interface TakenUnits {
  readonly quotas: readonly Quota[]
  /**
   * Gives units back after a failure. A request gets back what its buckets gave (`expensive`, `write`), and nothing of the
   * totals of a minute and a day; a new key gets all back. Never throws.
   */
  giveBack(): Promise<void>
}

/** Takes units from a caller's buckets: all of them or none, in one atomic step. */
export interface ChargingPort {
  /** Throws RateLimitedError where the minute's total is known to be spent. Takes nothing. */
  admit(identity: Identity): void
  /**
   * Throws RateLimitedError, with nothing taken, where any of the buckets is spent, and LimiterUnavailableError
   * while the counters are away. A request whose cost is `counted` is never refused.
   */
  take(identity: Identity, cost: Cost, buckets: readonly Bucket[]): Promise<TakenUnits>
}

const NOTHING_TAKEN: TakenUnits = { quotas: [], giveBack: async () => {} }

/** Takes nothing and refuses nobody: for operators. */
export const unmetered: ChargingPort = {
  admit: () => {},
  take: async () => NOTHING_TAKEN,
}

export const unlimitedChallenges: ChallengesPort = { takeChallenge: async () => {} }
