import type { Work } from '../ports/telemetry.ts'

/** After so long without a successful turn a loop counts as stalled. The slowest healthy turn (a range of logs, halved until the node takes it) is shorter. */
const STALLED_AFTER_MS = 120_000
/** After so long without the end of a turn a loop counts as hung: all that it waits for has a shorter timeout. */
const HUNG_AFTER_MS = 600_000

/** A loop, and when a turn of it ended last, well or badly (`turnedAt`), and well (`workedAt`): milliseconds of the clock. */
interface Turns extends Work {
  readonly name: string
  turnedAt: number | undefined
  workedAt: number | undefined
}

/**
 * Whether the loops of a process without callers (an indexer, a deliverer) do their work. The port of the metrics says so: `/ready`
 * is 503 while one has stalled, `/live` while one hangs.
 */
export class WorkPulse {
  readonly #now: () => number
  readonly #stalledAfterMs: number
  readonly #hungAfterMs: number
  readonly #all: Turns[] = []

  constructor(
    options: { stalledAfterMs?: number | undefined; hungAfterMs?: number; now?: () => number } = {},
  ) {
    this.#stalledAfterMs = options.stalledAfterMs ?? STALLED_AFTER_MS
    this.#hungAfterMs = options.hungAfterMs ?? HUNG_AFTER_MS
    this.#now = options.now ?? (() => performance.now())
  }

  /** Adds a loop. The process is not ready before it has worked once. @param name such as "the index of chain 8453" */
  add(name: string): Work {
    const turns: Turns = {
      name,
      turnedAt: undefined,
      workedAt: undefined,
      turned: () => {
        turns.turnedAt = this.#now()
      },
      worked: () => {
        turns.turnedAt = this.#now()
        turns.workedAt = turns.turnedAt
      },
    }
    this.#all.push(turns)
    return turns
  }

  /** A sentence for each loop that keeps the process from being ready. */
  stalled(): readonly string[] {
    if (this.#all.length === 0) return ['The process starts.']
    return this.#all.flatMap(({ name, workedAt }) => {
      if (workedAt === undefined) return [`${name} has not worked yet.`]
      return this.#olderThan(
        this.#stalledAfterMs,
        workedAt,
        (seconds) => `${name} has not worked for ${seconds} s.`,
      )
    })
  }

  /**
   * A sentence for each loop that waits for what never comes, which a restart mends. It mends no node or store that is away. A loop
   * counts from its first `turned`, which it calls when it starts.
   */
  hung(): readonly string[] {
    return this.#all.flatMap(({ name, turnedAt }) =>
      this.#olderThan(this.#hungAfterMs, turnedAt, (seconds) => `${name} has hung for ${seconds} s.`),
    )
  }

  #olderThan(mostMs: number, at: number | undefined, sentence: (seconds: number) => string): string[] {
    const ms = at === undefined ? 0 : this.#now() - at
    return ms < mostMs ? [] : [sentence(Math.floor(ms / 1_000))]
  }
}
