import type { Lane } from '@remit/engine/declare/lanes'
import { RateLimitedError } from '../errors/access.ts'
import { TooManyStreamsError } from '../errors/http.ts'
import type { Identity } from '../ports/access.ts'

/** How many streams of events may be open on one process: those of one caller, by its lane, and all of them. */
export interface StreamLimits extends Readonly<Record<Lane, number>> {
  /** Long polls that wait count too: each holds a connection as a stream does. */
  readonly inAll: number
}

export const DEFAULT_STREAM_LIMITS: StreamLimits = { free: 1, developer: 10, inAll: 2_000 }

/** Nobody knows when a stream will end. After a shorter time most callers would ask in vain. */
const RETRY_AFTER_SECONDS = 15

/** Counts the streams and long polls of one process, so that connections are left for requests that are answered at once. */
export class OpenStreams {
  readonly #limits: StreamLimits
  readonly #ofCallers = new Map<string, number>()
  #inAll = 0

  constructor(limits: StreamLimits = DEFAULT_STREAM_LIMITS) {
    this.#limits = limits
  }

  get count(): number {
    return this.#inAll
  }

  /**
   * Counts a caller's stream until the returned function is called. An operator's is only counted among all.
   *
   * Throws RateLimitedError at the caller's own limit, and TooManyStreamsError at that of all.
   */
  open({ lane, id, operator }: Identity): () => void {
    if (operator) return this.wait()
    const key = `${lane} ${id}`
    const open = this.#ofCallers.get(key) ?? 0
    if (open >= this.#limits[lane]) throw this.#tooManyOfOne(lane)
    const leave = this.wait()
    this.#ofCallers.set(key, open + 1)
    return once(() => {
      leave()
      const left = (this.#ofCallers.get(key) ?? 1) - 1
      if (left === 0) this.#ofCallers.delete(key)
      else this.#ofCallers.set(key, left)
    })
  }

  /** Counts a long poll. A caller's own are limited by what they cost. Throws TooManyStreamsError. */
  wait(): () => void {
    if (this.#inAll >= this.#limits.inAll) throw new TooManyStreamsError()
    this.#inAll += 1
    return once(() => {
      this.#inAll -= 1
    })
  }

  #tooManyOfOne(lane: Lane): RateLimitedError {
    const { developer } = this.#limits
    return new RateLimitedError({
      lane,
      bucket: 'streams',
      limit: this.#limits[lane],
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      upgradeHint: lane === 'free' ? `With an API key ${developer} streams may be open.` : null,
      quotas: [],
    })
  }
}

function once(leave: () => void): () => void {
  let isOpen = true
  return () => {
    if (isOpen) leave()
    isOpen = false
  }
}
