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
/** The most requests that one run of the script decides: other callers wait for it. */
const MOST_TOGETHER = 256

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

interface Waiting {
  resolve(decision: Decision): void
  reject(error: unknown): void
}

/** Requests of one identity that want the same, in their order. */
interface Line {
  readonly identity: string
  readonly demands: readonly Demand[]
  readonly rule: Rule
  /** What is not sent yet. */
  readonly waiting: Waiting[]
}

/**
 * Counters in Redis, shared by all processes that use it.
 *
 * One script makes all decisions, one after the other, so nothing is admitted beyond a limit, however many processes ask.
 * Requests of one identity that want the same and arrive together, or while a run for them is on its way, are decided in one
 * run of it. So the more a caller asks, the less each of its requests costs, and a round trip is the most that one waits for
 * its run.
 *
 * An identity is one key, and one more for each bucket that it takes hundreds from; its hash tag keeps them in one slot of a
 * cluster. A Redis without an append-only file loses its counters when it restarts. Then all units are available again, the
 * daily ones too.
 */
export class RedisCounters implements Counters {
  readonly #link: Pick<RedisLink, 'run'>
  readonly #args = new WeakMap<readonly Demand[], readonly [terms: string, ...buckets: string[]]>()
  readonly #spent = new LRUCache<string, Spent>({ max: MAX_REMEMBERED })
  /** By identity, whose requests are about to be sent, or on their way. */
  readonly #lines = new Map<string, Line[]>()
  #turn: Promise<void> | undefined

  constructor(link: Pick<RedisLink, 'run'>) {
    this.#link = link
  }

  take(identity: string, demands: readonly Demand[], rule: Rule): Promise<Decision> {
    return new Promise((resolve, reject) => {
      this.#lineOf(identity, demands, rule).waiting.push({ resolve, reject })
    })
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

  #lineOf(identity: string, demands: readonly Demand[], rule: Rule): Line {
    const lines = this.#lines.get(identity) ?? []
    const known = lines.find((each) => each.demands === demands && each.rule === rule)
    if (known !== undefined) return known
    const line: Line = { identity, demands, rule, waiting: [] }
    this.#lines.set(identity, [...lines, line])
    void this.#serve(line)
    return line
  }

  /**
   * Decides what waits, and then what has come meanwhile, until nothing has. A run is sent before those of the run before it
   * go on, so that Redis decides while this process answers. Never throws: what fails is told to those who wait.
   */
  async #serve(line: Line): Promise<void> {
    let tell = () => {}
    await this.#nextTurn()
    for (;;) {
      const together = line.waiting.splice(0, MOST_TOGETHER)
      const run = together.length === 0 ? undefined : this.#run(line, together)
      tell()
      if (run === undefined) break
      tell = await run
    }
    const others = this.#lines.get(line.identity)?.filter((each) => each !== line) ?? []
    if (others.length > 0) this.#lines.set(line.identity, others)
    else this.#lines.delete(line.identity)
  }

  /** Waits until all that has arrived is read. All lines wait for the same moment, so that their runs are written together. */
  #nextTurn(): Promise<void> {
    this.#turn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#turn = undefined
        resolve()
      })
    })
    return this.#turn
  }

  /** @returns what tells those who wait how it was decided */
  async #run({ identity, demands, rule }: Line, together: readonly Waiting[]): Promise<() => void> {
    const sentAtMs = performance.now()
    const [terms, ...buckets] = this.#argsOf(demands)
    const args = [RULES[rule], terms, together.length, ...buckets]
    const width = 1 + 2 * demands.length
    try {
      const answer = await this.#link.run(TAKE, keyOf(identity), args)
      const [atMicros = 0, ...rows] = toNumbers(answer, 1 + together.length * width)
      const usagesOf = (row: number) =>
        demands.map((_, place) => {
          const at = row * width + 1 + 2 * place
          return { used: rows[at] ?? 0, freesInMs: (rows[at + 1] ?? 0) / 1000 }
        })
      this.#remember(identity, demands, usagesOf(together.length - 1), sentAtMs)
      return () => {
        for (const [row, { resolve }] of together.entries()) {
          resolve(new RedisDecision(this, identity, rows[row * width] === 1, atMicros, usagesOf(row)))
        }
      }
    } catch (error) {
      return () => {
        for (const { reject } of together) reject(error)
      }
    }
  }

  /** Cached, because the same few lists of demands come again and again. */
  #argsOf(demands: readonly Demand[]): readonly [terms: string, ...buckets: string[]] {
    const known = this.#args.get(demands)
    if (known !== undefined) return known
    const terms = demands.flatMap(({ windowMs, limit }) => [microsOf(windowMs), limit])
    const args = [JSON.stringify(terms), ...demands.map(({ bucket }) => bucket)] as const
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
