import {
  BUCKETS,
  type Bucket,
  COSTS,
  type Cost,
  keyHeader,
  type Lane,
  LaneLimits,
  type LimitName,
} from '@remit/engine/declare/lanes'
import { currentTrace } from '../../calls/RequestTrace.ts'
import { LimiterUnavailableError, type Quota, RateLimitedError } from '../../errors/access.ts'
import type {
  AuthFailuresPort,
  ChallengesPort,
  ChargingPort,
  Identity,
  NewKeysPort,
  TakenUnits,
  UsagePort,
} from '../../ports/access.ts'
import type { LimiterDecision, LimiterObserver } from '../../ports/telemetry.ts'
import type { Counters, Decision, Demand, Rule, Usage } from './counters.ts'

// Who may still call? Words, as everywhere in this folder: an "account" is whatever is counted (`free:203.0.113.7`, the keys of one
// developer, the sessions of an address); a "bucket" is one limit of one account, with a name such as `globalRpm`; a "unit" is one request
// in a bucket; a "demand" asks for one unit of a bucket; a "rule" (`Rule`) says when the units are taken. `Counters` does the counting.

const MINUTE_MS = 60_000

/** What every lane may spend, and how many credentials may fail. */
export interface LimitsConfig {
  readonly lanes: Readonly<Record<Lane, LaneLimits>>
  readonly authFailuresRpm: number
  /** Keys and webhooks, together, that sessions from one address may make in a UTC day. */
  readonly newKeysDaily: number
  /** Challenges to new URLs of webhooks, for one address and for one subject in a UTC day. */
  readonly challengesDaily: number
}

export interface LimitsOptions extends LimitsConfig {
  readonly counters: Counters
  /** Where developers get keys; `undefined` where nobody knows. It may depend on the address that is listened on. */
  portalUrl(): string | undefined
  readonly developerKeysEnabled: boolean
  readonly asksBasicAuth: boolean
  readonly observer?: LimiterObserver | undefined
}

/** What a kind of request takes: all of it, and the part of the operation's buckets, which is given back after a failure of ours. */
interface Demands {
  readonly demands: readonly Demand[]
  readonly ofBuckets: readonly Demand[]
}

/**
 * Enforces the limits exactly. A minute's limit is a log of the admissions of the last 60 s, a daily limit is a count of
 * the UTC day. A request takes all of its units in one step, or none.
 *
 * The observer hears of each decision about requests and failed credentials, and of refusals by `admit`. A request that
 * `admit` lets pass is decided by `take`.
 */
export class Limits implements ChargingPort, AuthFailuresPort, NewKeysPort, ChallengesPort, UsagePort {
  readonly #options: LimitsOptions
  /** What each kind of request takes, by lane, cost and buckets. Each is made once. */
  readonly #demands = new Map<string, Demands>()
  readonly #authFailures: Demand
  readonly #newKeys: Demand
  readonly #challenges: Demand

  constructor(options: LimitsOptions) {
    const { authFailuresRpm, newKeysDaily, challengesDaily } = options
    this.#options = options
    this.#authFailures = { bucket: 'authFailures', limit: authFailuresRpm, windowMs: MINUTE_MS }
    this.#newKeys = { bucket: 'newKeysDaily', limit: newKeysDaily, windowMs: 'day' }
    this.#challenges = { bucket: 'challengesDaily', limit: challengesDaily, windowMs: 'day' }
  }

  /** Throws RateLimitedError where the minute's total is known to be spent. Takes nothing. */
  admit(identity: Identity): void {
    const { lane } = identity
    const minute = this.#demand(lane, 'globalRpm')
    for (const account of accountsOf(identity)) this.#refuseIfSpent(lane, account, minute)
  }

  /**
   * Throws RateLimitedError, with nothing taken, where any of the limits is reached, and LimiterUnavailableError
   * where the counters are away for longer than the grace. A request that is only counted is never refused.
   */
  async take(identity: Identity, cost: Cost, buckets: readonly Bucket[]): Promise<TakenUnits> {
    const { lane } = identity
    const { demands, ofBuckets } = this.#demandsOf(lane, cost, buckets)
    const rule = cost === 'counted' ? 'always' : 'all-or-nothing'
    const decisions = await this.#takeObserved(lane, accountsOf(identity), demands, rule)
    const quotas = decisions.length === 0 ? [] : toQuotas(demands, decisions)
    currentTrace()?.charged(quotas.map(({ name }) => name))
    return {
      quotas,
      giveBack: async () => {
        const begun = performance.now()
        await giveAllBack(decisions, ofBuckets)
        this.#report(lane, begun, 'given back', [])
        currentTrace()?.gaveBack()
      },
    }
  }

  /**
   * Notes that credentials from this address failed. Throws RateLimitedError with the bucket `authFailures` where
   * too many did within a minute.
   * @param address the caller's, as the free lane tells callers apart
   */
  async takeAuthFailure(address: string): Promise<void> {
    await this.#takeObserved('free', [`address:${address}`], [this.#authFailures])
  }

  /** Throws RateLimitedError where too many failures are known. Takes nothing. Call it before credentials are compared. */
  admitCredentials(address: string): void {
    this.#refuseIfSpent('free', `address:${address}`, this.#authFailures)
  }

  /** Throws RateLimitedError with the bucket `newKeysDaily` where the address has made the day's keys and webhooks. */
  async takeNewKey(address: string): Promise<TakenUnits> {
    const demands = [this.#newKeys]
    const decisions = await this.#takeAll('developer', [`address:${address}`], demands)
    return { quotas: toQuotas(demands, decisions), giveBack: () => giveAllBack(decisions, demands) }
  }

  /** Throws RateLimitedError with the bucket `challengesDaily`. */
  async takeChallenge({ address, subject }: Identity): Promise<void> {
    const accounts = [
      ...(address === undefined ? [] : [`address:${address}`]),
      ...(subject === undefined ? [] : [`subject:${subject}`]),
    ]
    await this.#takeAll('developer', accounts, [this.#challenges])
  }

  /** How much of each of its limits an account of developer keys has used. Takes nothing. */
  async usageOf(account: string): Promise<readonly Quota[]> {
    const lane = 'developer'
    const demands = LaneLimits.keyof().options.map((name) => this.#demand(lane, name))
    const decision = await this.#options.counters.take(nameOf({ lane, id: account }), demands, 'never')
    return toQuotas(demands, [decision])
  }

  /** Throws RateLimitedError where this process remembers that the bucket is spent. Asks no Redis. */
  #refuseIfSpent(lane: Lane, account: string, demand: Demand): void {
    const begun = performance.now()
    const usage = this.#options.counters.spent(account, demand)
    if (usage === undefined) return
    this.#report(lane, begun, 'refused', [demand.bucket])
    throw this.#refusal(lane, [demand], [usage])
  }

  /** As `#takeAll`, with a report to the observer. */
  async #takeObserved(
    lane: Lane,
    accounts: readonly string[],
    demands: readonly Demand[],
    rule?: Rule,
  ): Promise<readonly Decision[]> {
    const begun = performance.now()
    try {
      const decisions = await this.#takeAll(lane, accounts, demands, rule)
      this.#report(lane, begun, 'admitted', decisions.length === 0 ? [] : demands.map(({ bucket }) => bucket))
      return decisions
    } catch (thrown) {
      if (thrown instanceof RateLimitedError) this.#report(lane, begun, 'refused', [thrown.bucket])
      else this.#report(lane, begun, 'failed', [])
      throw thrown
    }
  }

  /**
   * Takes the units of one request from every account, or none. Accounts are decided one after the other, since their
   * counters may be on different nodes: where a later one refuses, the earlier ones get their units back.
   * @returns one decision for each account; none where the counters are away and the rule refuses nothing
   */
  async #takeAll(
    lane: Lane,
    accounts: readonly string[],
    demands: readonly Demand[],
    rule: Rule = 'all-or-nothing',
  ): Promise<readonly Decision[]> {
    const decisions: Decision[] = []
    try {
      for (const account of accounts) {
        const decision = await this.#options.counters.take(account, demands, rule)
        if (!decision.admitted) throw this.#refusal(lane, demands, decision.usages)
        decisions.push(decision)
      }
      return decisions
    } catch (thrown) {
      if (rule === 'always' && thrown instanceof LimiterUnavailableError) return []
      await giveAllBack(decisions, demands)
      throw thrown
    }
  }

  /** @param begun when the decision began, by `performance.now()` */
  #report(lane: Lane, begun: number, outcome: LimiterDecision['outcome'], buckets: readonly string[]): void {
    const durationMs = performance.now() - begun
    this.#options.observer?.limiterDecided({ lane, outcome, buckets, durationMs })
  }

  #demandsOf(lane: Lane, cost: Cost, buckets: readonly Bucket[]): Demands {
    const name = `${lane} ${cost} ${buckets.join()}`
    const known = this.#demands.get(name)
    if (known !== undefined) return known
    const totals = COSTS[cost].map((limit) => this.#demand(lane, limit))
    const ofBuckets = buckets.flatMap((bucket) => BUCKETS[bucket].map((limit) => this.#demand(lane, limit)))
    const made = { demands: [...totals, ...ofBuckets], ofBuckets }
    this.#demands.set(name, made)
    return made
  }

  #demand(lane: Lane, name: LimitName): Demand {
    const windowMs = name.endsWith('Rpm') ? MINUTE_MS : 'day'
    return { bucket: name, limit: this.#options.lanes[lane][name], windowMs }
  }

  /** The error for a request that was not admitted: it names, of the limits that are spent, the one with the longest wait. */
  #refusal(lane: Lane, demands: readonly Demand[], usages: readonly Usage[]): RateLimitedError {
    const spent = demands
      .map(({ bucket, limit }, index) => ({ bucket, limit, ...(usages[index] ?? UNTOUCHED) }))
      .filter(({ used, limit }) => used >= limit)
      .toSorted((a, b) => b.freesInMs - a.freesInMs)
    const [longest] = spent
    if (longest === undefined) throw new Error('A refusal without a bucket that is spent')
    const { bucket, limit, freesInMs } = longest
    return new RateLimitedError({
      lane,
      bucket,
      limit,
      retryAfterSeconds: retryAfterSeconds(freesInMs),
      upgradeHint: bucket === 'authFailures' ? null : this.#upgradeHint(lane),
      quotas: toQuotas(demands, [{ usages }]),
    })
  }

  #upgradeHint(lane: Lane): string | null {
    const { developerKeysEnabled, asksBasicAuth } = this.#options
    if (lane === 'developer' || !developerKeysEnabled) return null
    const portalUrl = this.#options.portalUrl()
    const from = portalUrl === undefined ? 'from the operator of this service' : `at ${portalUrl}`
    return `A developer key has higher limits and is free: get one ${from} and send it as ${keyHeader(asksBasicAuth)}.`
  }
}

async function giveAllBack(decisions: readonly Decision[], demands: readonly Demand[]): Promise<void> {
  if (demands.length === 0) return
  for (const decision of decisions) await decision.giveBack(demands)
}

/** The usage of a bucket that no decision speaks of. */
const UNTOUCHED: Usage = { used: 0, freesInMs: 0 }

/** Retry-After: whole seconds until the limit that frees last has a unit again, and at least one. */
function retryAfterSeconds(freesInMs: number): number {
  return Math.max(1, Math.ceil(freesInMs / 1000))
}

function nameOf({ lane, id }: Pick<Identity, 'lane' | 'id'>): string {
  return `${lane}:${id}`
}

/** The accounts that a request counts in: a session's, after that of all sessions of its address, which mostly is the one that refuses. */
function accountsOf(identity: Identity): readonly string[] {
  const { lane, within } = identity
  return within === undefined ? [nameOf(identity)] : [nameOf({ lane, id: within }), nameOf(identity)]
}

/** The quotas of a request. Where it is counted in several accounts, each limit is that of the account that has used most of it. */
function toQuotas(demands: readonly Demand[], decisions: readonly Pick<Decision, 'usages'>[]): Quota[] {
  return demands.map(({ bucket, limit, windowMs }, index) => {
    const { used, freesInMs } = decisions.reduce<Usage>((most, { usages }) => {
      const usage = usages[index] ?? UNTOUCHED
      return usage.used >= most.used ? usage : most
    }, UNTOUCHED)
    return {
      name: bucket,
      limit,
      windowSeconds: windowMs === 'day' ? 86_400 : windowMs / 1000,
      remaining: Math.max(0, limit - used),
      resetSeconds: Math.ceil(freesInMs / 1000),
    }
  })
}
