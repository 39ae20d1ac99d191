import { setTimeout as sleep } from 'node:timers/promises'
import { networkCause } from '@remit/engine/network/networkCause'
import { readText } from '@remit/engine/network/readText'
import { Deadline } from '@remit/engine/waiting/Deadline'
import * as z from 'zod'

/** A whole list of a large index takes long. */
const TIMEOUT_MS = 60_000
/** Far above any answer. It bounds the memory that a wrong URL can take. */
const MOST_BYTES = 64 * 1024 * 1024
/** A failure may pass, so the same is asked again, and this often at most. A wait for a limit is not counted. */
const MOST_TRIES = 5
/** The wait where there is no Retry-After. */
const PAUSE_MS = 1_000

const Body = z.record(z.string(), z.unknown())
const Position = z.object({ asOf: z.object({ blockHash: z.string() }) })

/** An answer that can be compared: what was asked for, or an error that the question deserves. */
export interface ServiceAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  /** The block that all of it was read at. */
  readonly blockHash: string | undefined
}

/** The services cannot be compared. The message is for the operator and names no path, query or password of a URL. */
export class CannotCompareError extends Error {
  override readonly name = 'CannotCompareError'
}

/** One of the two services that are compared. */
export class ComparedService {
  /** For messages: which of the two it is, and its host. */
  readonly name: string
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #onWait: (sentence: string) => void

  /**
   * @param options.place `first` or `second`
   * @param options.url where the service answers, `/` included or not
   * @param options.apiKey sent as a bearer
   * @param options.onWait is told of each wait for a limit
   */
  constructor(options: {
    place: string
    url: string
    apiKey: string | undefined
    onWait: (sentence: string) => void
  }) {
    const { place, url, apiKey, onWait } = options
    this.name = `the ${place} service (${new URL(url).host})`
    this.#base = url.replace(/\/+$/, '')
    this.#headers = {
      accept: 'application/json',
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    }
    this.#onWait = onWait
  }

  /** Asks until there is an answer that can be compared; waits where a limit is spent. Throws CannotCompareError. */
  async get(path: string): Promise<ServiceAnswer> {
    let failures = 0
    for (;;) {
      const { status, retryAfterMs, body, failure } = await this.#ask(path)
      if (status === 429) {
        const waitMs = retryAfterMs ?? PAUSE_MS
        this.#onWait(`The limit of ${this.name} is spent: waiting ${Math.ceil(waitMs / 1_000)} s.`)
        await sleep(waitMs)
        continue
      }
      if (body !== undefined && failure === undefined) {
        return { status, body, blockHash: Position.safeParse(body).data?.asOf.blockHash }
      }
      failures += 1
      if (failures === MOST_TRIES) {
        throw new CannotCompareError(`GET ${path}: ${this.name} ${failure ?? 'answers no JSON'}.`)
      }
      await sleep(retryAfterMs ?? PAUSE_MS)
    }
  }

  async #ask(path: string) {
    const deadline = new Deadline(TIMEOUT_MS)
    try {
      const response = await fetch(`${this.#base}${path}`, {
        headers: this.#headers,
        // A redirect could send the key to another host.
        redirect: 'error',
        signal: deadline.signal,
      })
      const text = await readText(response, { maxBytes: MOST_BYTES, signal: deadline.signal })
      const body = parseObject(text ?? '')
      return {
        status: response.status,
        retryAfterMs: millisecondsOf(response.headers.get('retry-after')),
        body,
        failure: failureOf(response.status, body),
      }
    } catch (error) {
      const failure = deadline.isOver ? 'does not answer' : `cannot be reached (${networkCause(error)})`
      return { status: 0, retryAfterMs: undefined, body: undefined, failure }
    } finally {
      deadline.drop()
    }
  }
}

/** What keeps an answer from being compared; `undefined` where nothing does. */
function failureOf(status: number, body: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (status >= 500 || status === 401 || status === 403) return `answers with HTTP ${status}`
  // The index failed: what is there comes with a sentence beside it.
  const isPartial = status === 200 && typeof body?.error === 'string'
  return isPartial ? 'answers without all of its index' : undefined
}

function millisecondsOf(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^\d{1,5}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : undefined
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return Body.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
