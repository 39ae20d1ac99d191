import type { LimitName } from '../../core/lanes.ts'
import { BUCKETS, type Bucket, type Lane, type LaneLimits, TOLLS, type Toll } from '../../core/lanes.ts'
import type { AuthFailuresPort, Charge, ChargingPort, Identity } from '../../core/ports/access.ts'
import type { Quota } from '../../errors/access.ts'
import { LimiterUnavailableError, RateLimitedError } from '../../errors/access.ts'
import type { Counters, Decision, Demand, Rule, Standing } from './counters.ts'

const MINUTE_MS = 60_000

const NOTHING_TAKEN: Charge = { quotas: [], giveBack: async () => {} }

/** What every lane may spend, and how many credentials may fail. */
export interface LimitsConfig {
  readonly lanes: Readonly<Record<Lane, LaneLimits>>
  readonly authFailuresRpm: number
}

export interface LimitsOptions extends LimitsConfig {
  readonly counters: Counters
  /** Where keys are made; `undefined` where nobody said. */
  readonly portalUrl: string | undefined
  /** Whether there is another lane to go to. */
  readonly developerKeysEnabled: boolean
}

/**
 * What every caller may spend, held exactly: the minute's limits as logs of admissions over the last 60 s, the
 * daily ones as counts of the UTC day, all of a request's units in one step or none.
 */
export class Limits implements ChargingPort, AuthFailuresPort {
  readonly #options: LimitsOptions
  /** What each kind of request takes. There are few kinds. */
  readonly #demands = new Map<string, readonly Demand[]>()

  constructor(options: LimitsOptions) {
    this.#options = options
  }

  /** Throws RateLimitedError where the minute's total is known to be spent. Takes nothing. */
  async admit(identity: Identity): Promise<void> {
    const demand = this.#demand(identity.lane, 'globalRpm')
    const standing = this.#options.counters.spent(nameOf(identity), demand)
    if (standing !== undefined) throw this.#refusal(identity.lane, [demand], [standing])
  }

  /**
   * Throws RateLimitedError, with nothing taken, where any of the limits is reached, and LimiterUnavailableError
   * where the counters are away beyond the grace. Neither ever for what is only counted.
   */
  async take(identity: Identity, toll: Toll, buckets: readonly Bucket[]): Promise<Charge> {
    const { lane } = identity
    const demands = this.#demandsOf(lane, toll, buckets)
    const decision = await this.#decide(identity, demands, toll === 'counted' ? 'always' : 'all-or-nothing')
    if (decision === undefined) return NOTHING_TAKEN
    if (!decision.admitted) throw this.#refusal(lane, demands, decision.standings)
    const scarce = demands.slice(TOLLS[toll].length)
    return new Taken(toQuotas(demands, decision.standings), decision, scarce)
  }

  /**
   * Notes that credentials from this address failed. Throws RateLimitedError with the bucket `authFailures` where
   * too many did within a minute.
   * @param address the caller's, as the free lane tells callers apart
   */
  async takeAuthFailure(address: string): Promise<void> {
    const demands = [this.#authFailures()]
    const decision = await this.#options.counters.take(`address:${address}`, demands, 'all-or-nothing')
    if (!decision.admitted) throw this.#refusal('free', demands, decision.standings)
  }

  /** Throws as `takeAuthFailure` would, where that is known, and notes nothing: for before credentials are compared. */
  admitCredentials(address: string): void {
    const demand = this.#authFailures()
    const standing = this.#options.counters.spent(`address:${address}`, demand)
    if (standing !== undefined) throw this.#refusal('free', [demand], [standing])
  }

  async #decide(identity: Identity, demands: readonly Demand[], rule: Rule): Promise<Decision | undefined> {
    try {
      return await this.#options.counters.take(nameOf(identity), demands, rule)
    } catch (error) {
      if (rule === 'always' && error instanceof LimiterUnavailableError) return undefined
      throw error
    }
  }

  #demandsOf(lane: Lane, toll: Toll, buckets: readonly Bucket[]): readonly Demand[] {
    const name = `${lane} ${toll} ${buckets.join()}`
    const known = this.#demands.get(name)
    if (known !== undefined) return known
    const limits = [...TOLLS[toll], ...buckets.flatMap((bucket) => BUCKETS[bucket])]
    const demands = limits.map((limit) => this.#demand(lane, limit))
    this.#demands.set(name, demands)
    return demands
  }

  #demand(lane: Lane, name: LimitName): Demand {
    const windowMs = name.endsWith('Rpm') ? MINUTE_MS : 'day'
    return { bucket: name, limit: this.#options.lanes[lane][name], windowMs }
  }

  #authFailures(): Demand {
    return { bucket: 'authFailures', limit: this.#options.authFailuresRpm, windowMs: MINUTE_MS }
  }

  #refusal(lane: Lane, demands: readonly Demand[], standings: readonly Standing[]): RateLimitedError {
    const spent = demands
      .map(({ bucket, limit }, place) => ({ bucket, limit, ...(standings[place] ?? UNTOUCHED) }))
      .filter(({ used, limit }) => used >= limit)
      .toSorted((a, b) => b.freesInMs - a.freesInMs)
    const [longest] = spent
    if (longest === undefined) throw new Error('A refusal without a bucket that is spent')
    const { bucket, limit, freesInMs } = longest
    return new RateLimitedError({
      lane,
      bucket,
      limit,
      retryAfterSeconds: Math.max(1, Math.ceil(freesInMs / 1000)),
      upgradeHint: bucket === 'authFailures' ? null : this.#upgradeHint(lane),
      quotas: toQuotas(demands, standings),
    })
  }

  #upgradeHint(lane: Lane): string | null {
    const { portalUrl, developerKeysEnabled } = this.#options
    if (lane === 'developer' || !developerKeysEnabled) return null
    const from = portalUrl === undefined ? 'from the operator of this service' : `at ${portalUrl}`
    return `A developer key has higher limits and is free: get one ${from} and send it as Authorization: Bearer <API_KEY>.`
  }
}

/** A class for the same reason as a decision is one. */
class Taken implements Charge {
  readonly quotas: readonly Quota[]
  readonly #decision: Decision
  readonly #scarce: readonly Demand[]

  constructor(quotas: readonly Quota[], decision: Decision, scarce: readonly Demand[]) {
    this.quotas = quotas
    this.#decision = decision
    this.#scarce = scarce
  }

  async giveBack(): Promise<void> {
    if (this.#scarce.length > 0) await this.#decision.giveBack(this.#scarce)
  }
}

const UNTOUCHED: Standing = { used: 0, freesInMs: 0 }

function nameOf({ lane, id }: Identity): string {
  return `${lane}:${id}`
}

function toQuotas(demands: readonly Demand[], standings: readonly Standing[]): Quota[] {
  return demands.map(({ bucket, limit, windowMs }, place) => {
    const { used, freesInMs } = standings[place] ?? UNTOUCHED
    return {
      name: bucket,
      limit,
      windowSeconds: windowMs === 'day' ? 86_400 : windowMs / 1000,
      remaining: Math.max(0, limit - used),
      resetSeconds: Math.ceil(freesInMs / 1000),
    }
  })
}
