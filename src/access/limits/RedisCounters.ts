import { LRUCache } from 'lru-cache'
import {
  type Counters,
  CountersAwayError,
  type Decision,
  type Demand,
  type Rule,
  type Usage,
} from './counters.ts'
import type { RedisLink } from './RedisLink.ts'
import { GIVE_BACK, TAKE } from './scripts.ts'

/** The most spent buckets that are remembered. */
const MAX_REMEMBERED = 10_000

/** How the script is told the rule. */
const RULES: Readonly<Record<Rule, string>> = { 'all-or-nothing': '0', always: '1', never: '2' }

/** How far two clocks may drift apart within a minute. */
const DRIFT_MS = 100

/** A spent bucket, and when it has a unit again, by this process's monotonic clock. */
interface Spent {
  readonly used: number
  readonly earliestMs: number
  readonly latestMs: number
}

/**
 * Counters in Redis, shared by all processes that use it.
 *
 * Each decision is one run of one script, so nothing is admitted beyond a limit, however many processes ask. An identity
 * is one key, and one more for each bucket that it takes hundreds from; its hash tag keeps them in one slot of a cluster. A Redis without an append-only file loses its counters when
 * it restarts. Then all units are available again, the daily ones too.
 */
export class RedisCounters implements Counters {
  readonly #link: Pick<RedisLink, 'run'>
  readonly #args = new WeakMap<readonly Demand[], readonly string[]>()
  readonly #spent = new LRUCache<string, Spent>({ max: MAX_REMEMBERED })

  constructor(link: Pick<RedisLink, 'run'>) {
    this.#link = link
  }

  async take(identity: string, demands: readonly Demand[], rule: Rule): Promise<Decision> {
    const sentAtMs = performance.now()
    const args = [RULES[rule], ...this.#argsOf(demands)]
    const answer = await this.#link.run(TAKE, keyOf(identity), args)
    const [admitted, atMicros = 0, ...rest] = toNumbers(answer, 2 + 2 * demands.length)
    const usages = demands.map((_, place) => ({
      used: rest[2 * place] ?? 0,
      freesInMs: (rest[2 * place + 1] ?? 0) / 1000,
    }))
    this.#remember(identity, demands, usages, sentAtMs)
    return new RedisDecision(this, identity, admitted === 1, atMicros, usages)
  }

  /**
   * Known from this process's own decisions. The memory ends a little before the bucket has a unit again, so it never
   * refuses what Redis would admit. The wait that it names ends a little after.
   */
  spent(identity: string, { bucket }: Demand): Usage | undefined {
    const name = nameOf(identity, bucket)
    const remembered = this.#spent.get(name)
    if (remembered === undefined) return undefined
    const nowMs = performance.now()
    if (nowMs < remembered.earliestMs) {
      return { used: remembered.used, freesInMs: remembered.latestMs - nowMs }
    }
    this.#spent.delete(name)
    return undefined
  }

  /** Forgets which buckets are spent, because a restarted Redis has forgotten it too. */
  forget(): void {
    this.#spent.clear()
  }

  /** Cached, because the same few lists of demands come again and again. */
  #argsOf(demands: readonly Demand[]): readonly string[] {
    const known = this.#args.get(demands)
    if (known !== undefined) return known
    const terms = demands.flatMap(({ windowMs, limit }) => [microsOf(windowMs), limit])
    const args = [JSON.stringify(terms), ...demands.map(({ bucket }) => bucket)]
    this.#args.set(demands, args)
    return args
  }

  /** Gives back the units that were taken at that time. Never throws: where Redis is away, they stay taken. */
  async giveBack(identity: string, demands: readonly Demand[], atMicros: number): Promise<void> {
    for (const { bucket } of demands) this.#spent.delete(nameOf(identity, bucket))
    const args = demands.flatMap(({ bucket, windowMs }) => [bucket, microsOf(windowMs)])
    try {
      await this.#link.run(GIVE_BACK, keyOf(identity), [atMicros, ...args])
    } catch (error) {
      if (!(error instanceof CountersAwayError)) throw error
    }
  }

  #remember(identity: string, demands: readonly Demand[], usages: readonly Usage[], sentAtMs: number): void {
    for (const [place, { bucket, limit, windowMs }] of demands.entries()) {
      const usage = usages[place]
      if (usage === undefined || windowMs === 'day' || usage.used < limit) continue
      const { used, freesInMs } = usage
      this.#spent.set(nameOf(identity, bucket), {
        used,
        earliestMs: sentAtMs + freesInMs - DRIFT_MS,
        latestMs: performance.now() + freesInMs + DRIFT_MS,
      })
    }
  }
}

/** A class, because an object with a closure costs every decision a few microseconds. */
class RedisDecision implements Decision {
  readonly #counters: RedisCounters
  readonly #identity: string
  readonly admitted: boolean
  readonly atMicros: number
  readonly usages: readonly Usage[]

  constructor(
    counters: RedisCounters,
    identity: string,
    admitted: boolean,
    atMicros: number,
    usages: readonly Usage[],
  ) {
    this.#counters = counters
    this.#identity = identity
    this.admitted = admitted
    this.atMicros = atMicros
    this.usages = usages
  }

  giveBack(demands: readonly Demand[]): Promise<void> {
    return this.#counters.giveBack(this.#identity, demands, this.atMicros)
  }
}

/** Reads the doubles of a script's answer. Throws CountersAwayError for anything else. */
function toNumbers(answer: unknown, count: number): number[] {
  if (!Buffer.isBuffer(answer) || answer.length !== 8 * count) {
    throw new CountersAwayError('an answer of another shape')
  }
  const numbers: number[] = []
  for (let at = 0; at < answer.length; at += 8) numbers.push(answer.readDoubleBE(at))
  return numbers
}

function keyOf(identity: string): string {
  return `remit:{${identity}}`
}

function nameOf(identity: string, bucket: string): string {
  return `${identity} ${bucket}`
}

function microsOf(windowMs: Demand['windowMs']): number {
  return windowMs === 'day' ? 0 : windowMs * 1000
}
