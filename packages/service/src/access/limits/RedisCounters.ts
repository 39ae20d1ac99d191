import { within } from '@remit/engine/waiting/within'
import { Redis, type Result } from 'ioredis'
import { LRUCache } from 'lru-cache'
import {
  type Counters,
  CountersAwayError,
  type Decision,
  type Demand,
  type Rule,
  type Usage,
} from './counters.ts'
import { GIVE_BACK, TAKE } from './scripts.ts'

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeUnitsBuffer(key: string, rule: Rule, ...demands: string[]): Result<unknown, Context>
    giveUnitsBack(key: string, atMicros: number, ...demands: (string | number)[]): Result<unknown, Context>
  }
}

/** Many times a round trip within one site. In an outage only the first requests wait for it. */
const TIMEOUT_MS = 500
/** A handshake takes two or three round trips, with TLS some more. */
const CONNECT_TIMEOUT_MS = 1_000
/** A connection on which Redis says nothing for so long, though it is asked, is replaced by another one. */
const SILENCE_MS = 2_000
/** What a server says that takes no writes any more: another one may have its address by now. */
const DEMOTED = /^(READONLY|MASTERDOWN) /

/** The most spent buckets that are remembered. */
const MAX_REMEMBERED = 10_000
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
 * One script makes all decisions, one after the other, so nothing is admitted beyond a limit, however many processes ask. An
 * identity is one key, and one more for each bucket that it takes hundreds from; its hash tag keeps them in one slot of a
 * cluster. A Redis without an append-only file loses its counters when it restarts. Then all units are available again, the
 * daily ones too.
 *
 * It fails fast: no command waits for a connection, none is sent twice, and each must be answered within half a second.
 */
export class RedisCounters implements Counters {
  readonly #redis: Redis
  readonly #args = new WeakMap<readonly Demand[], readonly string[]>()
  readonly #spent = new LRUCache<string, Spent>({ max: MAX_REMEMBERED })
  #lastError: unknown

  /** @param url may hold a password, so neither it nor any part of it may go to a log */
  constructor(url: string) {
    this.#redis = new Redis(url, {
      lazyConnect: true,
      // What comes in one turn of the event loop is written together: a write takes longer than making several commands.
      enableAutoPipelining: true,
      enableOfflineQueue: false,
      // A script that is sent again after a reconnect would take units twice.
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_MS,
      retryStrategy: (attempt) => Math.min(1_000, 50 * 2 ** Math.min(attempt, 5)),
      reconnectOnError: ({ message }) => DEMOTED.test(message),
      scripts: {
        takeUnits: { lua: TAKE, numberOfKeys: 1 },
        giveUnitsBack: { lua: GIVE_BACK, numberOfKeys: 1 },
      },
    })
    this.#redis.on('error', (error: unknown) => {
      this.#lastError = error
    })
    this.#redis.on('ready', () => {
      this.#lastError = undefined
    })
  }

  /** Resolves once connected. Throws CountersAwayError; reconnecting goes on in the background. */
  async connect(): Promise<void> {
    await this.#redis.connect().catch((error: unknown) => this.#fail(error))
  }

  async take(identity: string, demands: readonly Demand[], rule: Rule): Promise<Decision> {
    const sentAtMs = performance.now()
    const answer = await this.#inTime(
      this.#redis.takeUnitsBuffer(keyOf(identity), rule, ...this.#argsOf(demands)),
    )
    if (!Buffer.isBuffer(answer) || answer.length !== 8 * (2 + 2 * demands.length)) {
      throw new CountersAwayError('an answer of another shape')
    }
    const atMicros = answer.readDoubleBE(8)
    const usages = demands.map((_, index): Usage => {
      const offset = 16 + 16 * index
      return { used: answer.readDoubleBE(offset), freesInMs: answer.readDoubleBE(offset + 8) / 1000 }
    })
    this.#remember(identity, demands, usages, sentAtMs)
    return {
      admitted: answer.readDoubleBE(0) === 1,
      atMicros,
      usages,
      giveBack: (given) => this.#giveBack(identity, given, atMicros),
    }
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

  /** How much memory Redis uses; `maxBytes` is 0 where it has no limit. Throws CountersAwayError. */
  async memory(): Promise<{ usedBytes: number; maxBytes: number }> {
    const info = await this.#inTime(this.#redis.info('memory'))
    const [usedBytes, maxBytes] = ['used_memory', 'maxmemory'].map((field) => {
      return Number(new RegExp(`^${field}:(\\d+)\\s*$`, 'm').exec(info)?.[1])
    })
    if (!Number.isSafeInteger(usedBytes) || !Number.isSafeInteger(maxBytes)) {
      throw new CountersAwayError('an answer of another shape')
    }
    return { usedBytes: Number(usedBytes), maxBytes: Number(maxBytes) }
  }

  close(): void {
    this.#redis.disconnect()
  }

  /** Throws CountersAwayError: at once without a connection, and where no answer comes in time. */
  #inTime<T>(command: Promise<T>): Promise<T> {
    const late = () => new CountersAwayError('no answer in time')
    return within(TIMEOUT_MS, command, late).catch((error: unknown) => this.#fail(error))
  }

  /** Cached, because the few lists of demands of requests come again and again. */
  #argsOf(demands: readonly Demand[]): readonly string[] {
    const known = this.#args.get(demands)
    if (known !== undefined) return known
    const terms = demands.flatMap(({ windowMs, limit }) => [microsOf(windowMs), limit])
    const args = [JSON.stringify(terms), ...demands.map(({ bucket }) => bucket)]
    this.#args.set(demands, args)
    return args
  }

  /** Gives back the units that were taken at that time. Never throws: where Redis is away, they stay taken. */
  async #giveBack(identity: string, demands: readonly Demand[], atMicros: number): Promise<void> {
    const args = demands.flatMap(({ bucket, windowMs }) => [bucket, microsOf(windowMs)])
    try {
      await this.#inTime(this.#redis.giveUnitsBack(keyOf(identity), atMicros, ...args))
    } catch (error) {
      if (!(error instanceof CountersAwayError)) throw error
    }
    // Afterwards, since what is decided meanwhile may still find the bucket spent.
    for (const { bucket } of demands) this.#spent.delete(nameOf(identity, bucket))
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

  /** The reason is an error's code, or the first word of Redis' answer. Messages and commands are not passed on. */
  #fail(error: unknown): never {
    if (error instanceof CountersAwayError) throw error
    throw new CountersAwayError(reasonOf(error) ?? reasonOf(this.#lastError) ?? 'connection lost')
  }
}

function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const said = /^[A-Z]{3,20}(?= )/.exec(error.message)?.[0]
  return said ?? ('code' in error && typeof error.code === 'string' ? error.code : undefined)
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
