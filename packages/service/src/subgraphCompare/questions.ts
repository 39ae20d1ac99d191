import { setTimeout as sleep } from 'node:timers/promises'
import { networkCause } from '@remit/engine/network/networkCause'
import { readText } from '@remit/engine/network/readText'
import { Deadline } from '@remit/engine/waiting/Deadline'
import { dateOf, dayNumberAt } from '@remit/protocol/calendar'
import * as z from 'zod'

// What two services are asked to be compared: the questions (paths of the API) about what answers name, and how one service is asked.

/** How far back revenue is asked by days: somewhat over a year, so that a yearly payment lies within. */
const LONGEST_PAST_DAYS = 390
/** How far ahead due days are asked about: somewhat over a month. */
const AHEAD_DAYS = 40

/** What the questions need to know of the services. */
export interface ComparedAt {
  /** Lists are read up to this block, which both indexes have. */
  readonly untilBlock: number
  /** The earlier of the two services' days, by the chain's clock: unix time / 86400. */
  readonly today: number
  /** Whether a key is sent: then pages are longer, and come with details. */
  readonly withKey: boolean
}

/**
 * Something that answers name, and that more can be asked about. `name` is its id, address, day number or log index; `of` is what it
 * belongs to: a member's subscription, a payment's transaction, nothing for a day.
 */
export type Subject =
  | { readonly kind: 'subscription' | 'account' | 'token'; readonly name: string }
  | { readonly kind: 'member' | 'payment' | 'day'; readonly name: string; readonly of: string }

/** The questions that need no earlier answer. Their answers name what the others are about. */
export function firstQuestions(asked: ComparedAt): string[] {
  return ['/protocol/state', '/approved-tokens', ...searches('', asked)]
}

/** Every question about the history of a subject. */
export function questionsAbout({ kind, name, ...rest }: Subject, asked: ComparedAt): string[] {
  const until = `untilBlock=${asked.untilBlock}`
  const of = 'of' in rest ? rest.of : ''
  switch (kind) {
    case 'subscription': {
      const path = `/subscriptions/${name}`
      return [
        path,
        `${path}/details`,
        `${path}/details-history?first=100&${until}`,
        `${path}/history?first=100&${until}`,
        `${path}/subscribers?first=500`,
        ...revenues(path, asked),
      ]
    }
    case 'account':
      return [
        `/accounts/${name}?first=500`,
        ...[true, false].map((by) => `/accounts/${name}/subscriptions?bySubscriber=${by}&first=500`),
        `/accounts/${name}/activity?first=100&${until}`,
        `/providers/${name}`,
        `/providers/${name}/payments?first=1000&${until}`,
        ...revenues(`/providers/${name}`, asked),
        ...searches(`provider=${name}&`, asked),
      ]
    case 'token':
      return [
        `/approved-tokens/${name}`,
        ...[0, 1, 2, 3].flatMap((frequency) => searches(`token=${name}&frequency=${frequency}&`, asked)),
      ]
    case 'member':
      return [`/subscriptions/${of}/subscribers/${name}`, `/subscriptions/${of}/fee-balance?address=${name}`]
    case 'payment':
      return [`/payments/${of}/${name}`]
    case 'day':
      return [`/subscriptions/due?dayNumber=${name}`]
  }
}

function searches(filters: string, { untilBlock, withKey }: ComparedAt): string[] {
  const page = withKey ? 'first=100&includeDetails=true' : 'first=10'
  return [false, true].map(
    (cancelled) => `/subscriptions?${filters}cancelled=${cancelled}&${page}&untilBlock=${untilBlock}`,
  )
}

function revenues(path: string, { today }: ComparedAt): string[] {
  const [from, to] = [dateOf(today - LONGEST_PAST_DAYS), dateOf(today + 1)]
  return [`${path}/revenue?interval=day&from=${from}&to=${to}`, `${path}/revenue?from=2025-01-01&to=${to}`]
}

/** The days on which something may have been due: from the first event's to some weeks ahead. */
export function daysFrom(timestamp: number, { today }: ComparedAt): Subject[] {
  const first = dayNumberAt(timestamp)
  return Array.from({ length: Math.max(0, today + AHEAD_DAYS - first + 1) }, (_, index) => ({
    kind: 'day',
    name: `${first + index}`,
    of: '',
  }))
}

const Id = z.string().regex(/^0x[0-9a-f]{64}$/)
const Account = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
const Row = z.looseObject({
  id: Id.optional().catch(undefined),
  subscriptionId: Id.optional().catch(undefined),
  provider: Account.optional().catch(undefined),
  subscriber: Account.optional().catch(undefined),
  account: Account.optional().catch(undefined),
  address: Account.optional().catch(undefined),
  minimumRaw: z.string().optional().catch(undefined),
  kind: z.string().optional().catch(undefined),
  transactionHash: Id.optional().catch(undefined),
  logIndex: z.int().optional().catch(undefined),
})

/** All subjects that an answer names, at any depth. */
export function subjectsIn(value: unknown): Subject[] {
  if (Array.isArray(value)) return value.flatMap(subjectsIn)
  const parsed = Row.safeParse(value)
  if (!parsed.success) return []
  const { id, provider, subscriber, account, address, minimumRaw, transactionHash, logIndex } = parsed.data
  const subscription = parsed.data.subscriptionId ?? id
  const found: Subject[] = []
  if (subscription !== undefined) found.push({ kind: 'subscription', name: subscription })
  for (const name of [provider, subscriber, account]) {
    if (name !== undefined) found.push({ kind: 'account', name })
  }
  if (address !== undefined && minimumRaw !== undefined) found.push({ kind: 'token', name: address })
  if (subscription !== undefined && subscriber !== undefined) {
    found.push({ kind: 'member', name: subscriber, of: subscription })
  }
  const isPayment = parsed.data.kind !== undefined && subscriber !== undefined
  if (isPayment && transactionHash !== undefined && logIndex !== undefined) {
    found.push({ kind: 'payment', name: `${logIndex}`, of: transactionHash })
  }
  return [...found, ...Object.values(parsed.data).flatMap(subjectsIn)]
}

/** A whole list of a large index takes long. */
const TIMEOUT_MS = 60_000
/** Far above any answer. It bounds the memory that a wrong URL can take. */
const MOST_BYTES = 64 * 1024 * 1024
/** How often the same is asked before its failure counts, as it may pass. A refusal at a limit is waited for, and not counted. */
const MOST_TRIES = 5
/** The wait before it is asked again, where the answer has no Retry-After. */
const PAUSE_MS = 1_000

const Body = z.record(z.string(), z.unknown())
const Position = z.object({ asOf: z.object({ blockHash: z.string() }) })

/** An answer that can be compared: what was asked for, or an error that is about the question (such as 404) and not about the service. */
export interface ServiceAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  /** The block that all of it was read at; `undefined` for an error. */
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

/** Why an answer cannot be compared, in words that follow the service's name; `undefined` where it can. */
function failureOf(status: number, body: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (status >= 500 || status === 401 || status === 403) return `answers with HTTP ${status}`
  // A status of 200 with an `error` beside the facts: the index could not be read, so the answer lacks its part.
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
