import { LRUCache } from 'lru-cache'
import {
  type Counters,
  CountersAwayError,
  type Decision,
  type Demand,
  type Rule,
  type Standing,
} from './counters.ts'
import type { RedisLink } from './RedisLink.ts'
import { GIVE_BACK, type Script, TAKE } from './scripts.ts'

/** Identities whose spent buckets are remembered. */
const MAX_REMEMBERED = 10_000

/** By how much two clocks may run apart within a minute. */
const DRIFT_MS = 100

/** When a spent bucket has a unit again, by this process's steady clock: at the earliest and at the latest. */
interface Spent {
  readonly used: number
  readonly earliestMs: number
  readonly latestMs: number
}

/**
 * Counters in Redis, shared by every process that uses the same one.
 *
 * Each decision is one run of one script, so nothing is admitted beyond a limit however many processes ask.
 * The keys of one identity share a hash tag and with it a slot of a cluster. A Redis that keeps no append-only
 * file forgets its counters when it is restarted: every bucket is then full again, the daily ones too.
 */
export class RedisCounters implements Counters {
  readonly #link: Pick<RedisLink, 'run'>
  readonly #spent = new LRUCache<string, Spent>({ max: MAX_REMEMBERED })

  constructor(link: Pick<RedisLink, 'run'>) {
    this.#link = link
  }

  async take(identity: string, demands: readonly Demand[], rule: Rule): Promise<Decision> {
    const sentAtMs = performance.now()
    const keys = demands.map(({ bucket }) => keyOf(identity, bucket))
    const args = demands.flatMap(({ windowMs, limit }) => [microsOf(windowMs), limit])
    const reply = await this.#run(TAKE, keys, [rule === 'always' ? 1 : 0, ...args])
    const [admitted, atMicros = 0, ...rest] = reply
    const standings = demands.map((_, place) => ({
      used: rest[2 * place] ?? 0,
      freesInMs: (rest[2 * place + 1] ?? 0) / 1000,
    }))
    this.#remember(keys, demands, standings, sentAtMs)
    return {
      admitted: admitted === 1,
      atMicros,
      standings,
      giveBack: (given) => this.#giveBack(identity, given, atMicros),
    }
  }

  /**
   * Remembered from this process's own decisions. It ends a little before the bucket really has a unit again,
   * so that it never refuses what Redis would admit; the wait that it names ends a little after.
   */
  spent(identity: string, { bucket }: Demand): Standing | undefined {
    const key = keyOf(identity, bucket)
    const remembered = this.#spent.get(key)
    if (remembered === undefined) return undefined
    const nowMs = performance.now()
    if (nowMs < remembered.earliestMs) {
      return { used: remembered.used, freesInMs: remembered.latestMs - nowMs }
    }
    this.#spent.delete(key)
    return undefined
  }

  /** Forgets what was spent: for a Redis that may have forgotten it too. */
  forget(): void {
    this.#spent.clear()
  }

  async #giveBack(identity: string, demands: readonly Demand[], atMicros: number): Promise<void> {
    const keys = demands.map(({ bucket }) => keyOf(identity, bucket))
    for (const key of keys) this.#spent.delete(key)
    try {
      await this.#link.run(GIVE_BACK, keys, [atMicros, ...demands.map(({ windowMs }) => microsOf(windowMs))])
    } catch (error) {
      if (!(error instanceof CountersAwayError)) throw error
    }
  }

  async #run(script: Script, keys: readonly string[], args: readonly number[]): Promise<number[]> {
    const reply = await this.#link.run(script, keys, args)
    if (!isNumbers(reply) || reply.length !== 2 + 2 * keys.length) {
      throw new CountersAwayError('an answer of another shape')
    }
    return reply
  }

  #remember(
    keys: readonly string[],
    demands: readonly Demand[],
    standings: readonly Standing[],
    sentAtMs: number,
  ): void {
    for (const [place, { limit, windowMs }] of demands.entries()) {
      const [key, standing] = [keys[place], standings[place]]
      if (key === undefined || standing === undefined || windowMs === 'day' || standing.used < limit) continue
      const { used, freesInMs } = standing
      this.#spent.set(key, {
        used,
        earliestMs: sentAtMs + freesInMs - DRIFT_MS,
        latestMs: performance.now() + freesInMs + DRIFT_MS,
      })
    }
  }
}

function isNumbers(reply: unknown): reply is number[] {
  return Array.isArray(reply) && reply.every((item) => typeof item === 'number')
}

function keyOf(identity: string, bucket: string): string {
  return `remit:{${identity}}:${bucket}`
}

function microsOf(windowMs: Demand['windowMs']): number {
  return windowMs === 'day' ? 0 : windowMs * 1000
}
