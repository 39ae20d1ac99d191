import {
  BUCKETS,
  type Bucket,
  COSTS,
  type Cost,
  keyHeader,
  type Lane,
  LaneLimits,
  type LimitName,
} from '../../core/lanes.ts'
import type {
  AuthFailuresPort,
  ChallengesPort,
  ChargingPort,
  Identity,
  NewKeysPort,
  TakenUnits,
  UsagePort,
} from '../../core/ports/access.ts'
import { LimiterUnavailableError, type Quota, RateLimitedError } from '../../errors/access.ts'
import type { Counters, Decision, Demand, Rule, Usage } from './counters.ts'

const MINUTE_MS = 60_000

const NOTHING_TAKEN: TakenUnits = { quotas: [], giveBack: async () => {} }

/** What every lane may spend, and how many credentials may fail. */
export interface LimitsConfig {
  readonly lanes: Readonly<Record<Lane, LaneLimits>>
  readonly authFailuresRpm: number
  /** Keys that sessions from one address may make in a UTC day. */
  readonly newKeysDaily: number
  /** Challenges to new URLs of webhooks, for one address and for one subject in a UTC day. */
  readonly challengesDaily: number
}

export interface LimitsOptions extends LimitsConfig {
  readonly counters: Counters
  /** Where developers get keys; `undefined` where nobody knows. It may depend on the address that is listened on. */
  portalUrl(): string | undefined
  /** Whether the developer lane exists. */
  readonly developerKeysEnabled: boolean
  /** Whether every request needs Basic Auth. */
  readonly asksBasicAuth: boolean
}

/**
 * Enforces the limits exactly. A minute's limit is a log of the admissions of the last 60 s, a daily limit is a count of
 * the UTC day. A request takes all of its units in one step, or none.
 */
export class Limits implements ChargingPort, AuthFailuresPort, NewKeysPort, ChallengesPort, UsagePort {
  readonly #options: LimitsOptions
  /** The demands of each kind of request: counters know a kind by its array. There are few kinds. */
  readonly #demands = new Map<string, readonly Demand[]>()

  readonly #authFailures: readonly [Demand]
  readonly #newKeys: readonly [Demand]
  readonly #challenges: readonly [Demand]

  constructor(options: LimitsOptions) {
    const { authFailuresRpm, newKeysDaily, challengesDaily } = options
    this.#options = options
    this.#authFailures = [{ bucket: 'authFailures', limit: authFailuresRpm, windowMs: MINUTE_MS }]
    this.#newKeys = [{ bucket: 'newKeysDaily', limit: newKeysDaily, windowMs: 'day' }]
    this.#challenges = [{ bucket: 'challengesDaily', limit: challengesDaily, windowMs: 'day' }]
  }

  /** Throws RateLimitedError where the minute's total is known to be spent. Takes nothing. */
  admit(identity: Identity): void {
    const demand = this.#demand(identity.lane, 'globalRpm')
    for (const account of accountsOf(identity)) {
      const usage = this.#options.counters.spent(account, demand)
      if (usage !== undefined) throw this.#refusal(identity.lane, [demand], [usage])
    }
  }

  /**
   * Throws RateLimitedError, with nothing taken, where any of the limits is reached, and LimiterUnavailableError
   * where the counters are away for longer than the grace. A request that is only counted is never refused.
   */
  async take(identity: Identity, cost: Cost, buckets: readonly Bucket[]): Promise<TakenUnits> {
    const { lane } = identity
    const demands = this.#demandsOf(lane, cost, buckets)
    const scarce = demands.slice(COSTS[cost].length)
    return this.#takeOf(
      accountsOf(identity),
      lane,
      demands,
      scarce,
      cost === 'counted' ? 'always' : 'all-or-nothing',
    )
  }

  /**
   * Notes that credentials from this address failed. Throws RateLimitedError with the bucket `authFailures` where
   * too many did within a minute.
   * @param address the caller's, as the free lane tells callers apart
   */
  async takeAuthFailure(address: string): Promise<void> {
    const demands = this.#authFailures
    const decision = await this.#options.counters.take(`address:${address}`, demands, 'all-or-nothing')
    if (!decision.admitted) throw this.#refusal('free', demands, decision.usages)
  }

  /** Throws RateLimitedError where too many failures are known. Takes nothing. Call it before credentials are compared. */
  admitCredentials(address: string): void {
    const [demand] = this.#authFailures
    const usage = this.#options.counters.spent(`address:${address}`, demand)
    if (usage !== undefined) throw this.#refusal('free', [demand], [usage])
  }

  /** Throws RateLimitedError with the bucket `newKeysDaily` where the address has made the day's keys and webhooks. */
  async takeNewKey(address: string): Promise<TakenUnits> {
    return this.#takeOf([`address:${address}`], 'developer', this.#newKeys, this.#newKeys)
  }

  /** Throws RateLimitedError with the bucket `challengesDaily`. */
  async takeChallenge({ address, subject }: Identity): Promise<void> {
    const accounts = [
      ...(address === undefined ? [] : [`address:${address}`]),
      ...(subject === undefined ? [] : [`subject:${subject}`]),
    ]
    await this.#takeOf(accounts, 'developer', this.#challenges, [])
  }

  async usageOf(account: string): Promise<readonly Quota[]> {
    const lane = 'developer'
    const demands = LaneLimits.keyof().options.map((name) => this.#demand(lane, name))
    const decision = await this.#options.counters.take(nameOf({ lane, id: account }), demands, 'never')
    return toQuotas(demands, [decision])
  }

  /**
   * Takes the units of one kind of request from every account, or none. Accounts are decided one after the other, since their
   * counters may be on different nodes: where a later one refuses, the earlier ones get their units back.
   * @param scarce those of the demands that are given back after a failure
   */
  async #takeOf(
    accounts: readonly string[],
    lane: Lane,
    demands: readonly Demand[],
    scarce: readonly Demand[],
    rule: Rule = 'all-or-nothing',
  ): Promise<TakenUnits> {
    const decisions: Decision[] = []
    for (const account of accounts) {
      const decision = await this.#decide(account, demands, rule)
      if (decision === undefined) return NOTHING_TAKEN
      if (!decision.admitted) {
        for (const earlier of decisions) await earlier.giveBack(demands)
        throw this.#refusal(lane, demands, decision.usages)
      }
      decisions.push(decision)
    }
    return new Taken(toQuotas(demands, decisions), decisions, scarce)
  }

  async #decide(account: string, demands: readonly Demand[], rule: Rule): Promise<Decision | undefined> {
    try {
      return await this.#options.counters.take(account, demands, rule)
    } catch (error) {
      if (rule === 'always' && error instanceof LimiterUnavailableError) return undefined
      throw error
    }
  }

  #demandsOf(lane: Lane, cost: Cost, buckets: readonly Bucket[]): readonly Demand[] {
    const name = `${lane} ${cost} ${buckets.join()}`
    const known = this.#demands.get(name)
    if (known !== undefined) return known
    const limits = [...COSTS[cost], ...buckets.flatMap((bucket) => BUCKETS[bucket])]
    const demands = limits.map((limit) => this.#demand(lane, limit))
    this.#demands.set(name, demands)
    return demands
  }

  #demand(lane: Lane, name: LimitName): Demand {
    const windowMs = name.endsWith('Rpm') ? MINUTE_MS : 'day'
    return { bucket: name, limit: this.#options.lanes[lane][name], windowMs }
  }

  #refusal(lane: Lane, demands: readonly Demand[], usages: readonly Usage[]): RateLimitedError {
    const spent = demands
      .map(({ bucket, limit }, place) => ({ bucket, limit, ...(usages[place] ?? UNTOUCHED) }))
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

/** A class, because an object with a closure costs every request a few microseconds. */
class Taken implements TakenUnits {
  readonly quotas: readonly Quota[]
  readonly #decisions: readonly Decision[]
  readonly #scarce: readonly Demand[]

  constructor(quotas: readonly Quota[], decisions: readonly Decision[], scarce: readonly Demand[]) {
    this.quotas = quotas
    this.#decisions = decisions
    this.#scarce = scarce
  }

  async giveBack(): Promise<void> {
    if (this.#scarce.length === 0) return
    for (const decision of this.#decisions) await decision.giveBack(this.#scarce)
  }
}

const UNTOUCHED: Usage = { used: 0, freesInMs: 0 }

/** Retry-After: whole seconds until the limit that frees last has a unit again, and at least one. */
function retryAfterSeconds(freesInMs: number): number {
  return Math.max(1, Math.ceil(freesInMs / 1000))
}

function nameOf({ lane, id }: Pick<Identity, 'lane' | 'id'>): string {
  return `${lane}:${id}`
}

/** The wider one first: mostly it is the one that refuses. */
function accountsOf(identity: Identity): readonly string[] {
  const { lane, within } = identity
  return within === undefined ? [nameOf(identity)] : [nameOf({ lane, id: within }), nameOf(identity)]
}

/** Of more than one decision, what is tighter. */
function toQuotas(demands: readonly Demand[], decisions: readonly Pick<Decision, 'usages'>[]): Quota[] {
  return demands.map(({ bucket, limit, windowMs }, place) => {
    const { used, freesInMs } = decisions.reduce<Usage>((most, { usages }) => {
      const usage = usages[place] ?? UNTOUCHED
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
