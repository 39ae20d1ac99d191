import type { Incident, Trouble } from '../ports/service.ts'

/** A trouble that was seen, with its times in unix seconds. `endedAt` is the first look at which it was gone; `null` while it lasts. */
interface Seen {
  trouble: Trouble
  readonly startedAt: number
  lastSeenAt: number
  endedAt: number | null
}

/** How often troubles are looked for, and so how exact the times of an incident are. A look reads memory only. */
const LOOK_EVERY_MS = 5_000
/**
 * The time between the first and the last look that saw a trouble, from which on it counts as an incident: as looks are 5 s apart, two
 * looks in a row must have seen it. One that is gone at the next look is left out: a node that was asked while it started, for example.
 */
const LEAST_SECONDS = LOOK_EVERY_MS / 1_000
/** A trouble that comes back this soon is the same incident. */
const RETURNS_WITHIN_SECONDS = 60
/** How many troubles are kept. Beyond it the oldest that have ended are forgotten; those that last are kept, however many they are. */
const MOST = 50

/**
 * What went wrong since this process began, for `/status`. Every few seconds it looks at what is wrong at the moment (`troubles.ts`), and
 * joins what it sees into incidents with a beginning and an end. It is kept in memory, and no upstream is asked.
 */
export class Incidents {
  /** Oldest first. */
  #seen: Seen[] = []
  #timer: ReturnType<typeof setInterval> | undefined
  readonly #troubles: () => readonly Trouble[]
  readonly #now: () => number

  /** @param now gives milliseconds of unix time */
  constructor(troubles: () => readonly Trouble[], now: () => number = Date.now) {
    this.#troubles = troubles
    this.#now = now
  }

  start(): void {
    this.#timer ??= setInterval(() => this.look(), LOOK_EVERY_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Compares what is wrong now with what was seen before. */
  look(): void {
    const now = Math.floor(this.#now() / 1000)
    const troubles = this.#troubles()
    for (const trouble of troubles) {
      const known = this.#seen.findLast(
        (seen) => isSame(seen.trouble, trouble) && now - seen.lastSeenAt <= RETURNS_WITHIN_SECONDS,
      )
      if (known === undefined) this.#seen.push({ trouble, startedAt: now, lastSeenAt: now, endedAt: null })
      else Object.assign(known, { trouble, lastSeenAt: now, endedAt: null })
    }
    for (const seen of this.#seen) {
      if (seen.endedAt === null && !troubles.some((trouble) => isSame(seen.trouble, trouble)))
        seen.endedAt = now
    }
    // Only ended ones are forgotten: one that lasts keeps its beginning.
    const ended = this.#seen.filter(({ endedAt }) => endedAt !== null)
    const surplus = new Set(ended.slice(0, Math.max(0, this.#seen.length - MOST)))
    this.#seen = this.#seen.filter((seen) => !surplus.has(seen))
  }

  /** The incidents, the newest first. @param most how many at most */
  recent(most: number): Incident[] {
    return this.#seen
      .filter(({ startedAt, lastSeenAt }) => lastSeenAt - startedAt >= LEAST_SECONDS)
      .slice(-most)
      .reverse()
      .map(({ trouble, startedAt, endedAt }) => ({ ...trouble, startedAt, endedAt }))
  }
}

/** Whether two looks saw the same trouble: its message may differ, such as by a number of seconds in it. */
function isSame(one: Trouble, other: Trouble): boolean {
  return one.part === other.part && one.chainId === other.chainId
}
