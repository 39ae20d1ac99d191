import { Redis } from 'ioredis'
import { CountersAwayError } from './counters.ts'
import type { Script } from './scripts.ts'

/** Many times a round trip within one site. In an outage only the first requests wait for it. */
const TIMEOUT_MS = 500
const CONNECT_TIMEOUT_MS = 1_000
/** A new connection on which Redis does not answer for so long is replaced by another one. */
const GREETING_MS = 2_000
/** What a server says that takes no writes any more: another one may have its address by now. */
const DEMOTED = /^(READONLY|MASTERDOWN) /
/** Many times the commands that are in flight while Redis answers in time. */
const MAX_IN_FLIGHT = 4_096

interface Pending {
  readonly sentAt: number
  resolve(answer: unknown): void
  reject(error: CountersAwayError): void
}

/**
 * A connection to Redis that fails fast: no command waits for a connection, no command is sent twice, and as soon as one
 * answer is late, all waiting commands fail.
 */
export class RedisLink {
  readonly #redis: Redis
  /** In the order of sending. Redis answers in the same order. */
  readonly #pending = new Set<Pending>()
  #isGathering = false
  #watch: NodeJS.Timeout | undefined
  #greeting: NodeJS.Timeout | undefined
  #lastError: unknown

  /** @param url may hold a password, so neither it nor any part of it may go to a log */
  constructor(url: string) {
    this.#redis = new Redis(url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      // A script that is sent again after a reconnect would take units twice.
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: CONNECT_TIMEOUT_MS,
      retryStrategy: (attempt) => Math.min(1_000, 50 * 2 ** Math.min(attempt, 5)),
    })
    this.#redis.on('error', (error: unknown) => {
      this.#lastError = error
    })
    this.#redis.on('connect', () => {
      clearTimeout(this.#greeting)
      this.#greeting = setTimeout(() => this.#redis.disconnect(true), GREETING_MS).unref()
    })
    for (const event of ['ready', 'close']) this.#redis.on(event, () => clearTimeout(this.#greeting))
  }

  /** Resolves once connected. Throws CountersAwayError; reconnecting goes on in the background. */
  async connect(): Promise<void> {
    try {
      await this.#redis.connect()
    } catch (error) {
      throw new CountersAwayError(reasonOf(this.#lastError ?? error))
    }
  }

  /** Runs a script over one key; its answer comes as bytes. Throws CountersAwayError: at once without a connection, and after half a second. */
  run(script: Script, key: string, args: readonly (string | number)[]): Promise<unknown> {
    if (this.#redis.status !== 'ready') {
      return Promise.reject(new CountersAwayError(reasonOf(this.#lastError ?? 'not connected')))
    }
    if (this.#pending.size >= MAX_IN_FLIGHT) {
      return Promise.reject(new CountersAwayError('too many commands in flight'))
    }
    return new Promise((resolve, reject) => {
      const pending: Pending = { sentAt: performance.now(), resolve, reject }
      this.#pending.add(pending)
      this.#watch ??= setTimeout(() => this.#look(), TIMEOUT_MS).unref()
      this.#gather()
      this.#redis.callBuffer('EVALSHA', script.sha, 1, key, ...args).then(
        (answer: unknown) => this.#answered(pending, answer),
        (error: unknown) => {
          if (!isUnknownScript(error)) return this.#failed(pending, error)
          // A restarted or different Redis does not know the script yet.
          this.#redis.callBuffer('EVAL', script.source, 1, key, ...args).then(
            (answer: unknown) => this.#answered(pending, answer),
            (again: unknown) => this.#failed(pending, again),
          )
        },
      )
    })
  }

  /** How much memory Redis uses; `maxBytes` is 0 where it has no limit. Throws CountersAwayError. */
  async memory(): Promise<{ usedBytes: number; maxBytes: number }> {
    if (this.#redis.status !== 'ready') throw new CountersAwayError('not connected')
    const info = await this.#redis.info('memory').catch((error: unknown) => {
      throw new CountersAwayError(reasonOf(error))
    })
    const [usedBytes, maxBytes] = ['used_memory', 'maxmemory'].map((field) => {
      return Number(new RegExp(`^${field}:(\\d+)\\s*$`, 'm').exec(info)?.[1])
    })
    if (!Number.isSafeInteger(usedBytes) || !Number.isSafeInteger(maxBytes)) {
      throw new CountersAwayError('an answer of another shape')
    }
    return { usedBytes: Number(usedBytes), maxBytes: Number(maxBytes) }
  }

  /** Commands that come together are written together. A write takes longer than making several of them. */
  #gather(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    const { stream } = this.#redis
    stream.cork()
    // A microtask, because the next tick comes after all work that an answer has set going.
    queueMicrotask(() => {
      this.#isGathering = false
      stream.uncork()
    })
  }

  #answered(pending: Pending, answer: unknown): void {
    this.#pending.delete(pending)
    pending.resolve(answer)
  }

  #failed(pending: Pending, error: unknown): void {
    this.#pending.delete(pending)
    pending.reject(new CountersAwayError(reasonOf(error)))
    if (error instanceof Error && DEMOTED.test(error.message)) this.#redis.disconnect(true)
  }

  /** One timer serves all waiting commands, because the first one is always the oldest. */
  #look(): void {
    this.#watch = undefined
    const [oldest] = this.#pending
    if (oldest === undefined) return
    const left = oldest.sentAt + TIMEOUT_MS - performance.now()
    if (left > 0) {
      this.#watch = setTimeout(() => this.#look(), left).unref()
      return
    }
    // Timers fire before sockets are read. After a busy moment of this process, the answer may have arrived already.
    setImmediate(() => {
      if (this.#pending.has(oldest)) {
        for (const { reject } of this.#pending) reject(new CountersAwayError('no answer in time'))
        this.#pending.clear()
        // A new connection, so that commands do not pile up behind a server that is stuck.
        this.#redis.disconnect(true)
      } else if (this.#pending.size > 0) {
        this.#watch ??= setTimeout(() => this.#look(), TIMEOUT_MS).unref()
      }
    })
  }

  close(): void {
    clearTimeout(this.#watch)
    clearTimeout(this.#greeting)
    this.#redis.disconnect()
  }
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}

/** An error's code, or the first word of Redis' answer. Messages and commands are not passed on. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : 'unknown'
  if ('code' in error && typeof error.code === 'string') return error.code
  return /^[A-Z]{3,20}(?= )/.exec(error.message)?.[0] ?? 'connection lost'
}
