import { toRequest } from '../call/toRequest.ts'
import { NetworkError, UnexpectedAnswerError } from '../errors/RemitError.ts'
import type { ListEventsInput } from '../generated/api.ts'
import type { RequestOptions, Surroundings } from '../request/createCaller.ts'
import { readText } from '../request/exchange.ts'
import { createHeaders } from '../request/headers.ts'
import { baseUrl } from '../request/parseUrl.ts'
import { readReply } from '../request/readReply.ts'
import { waitBefore, waitFor } from '../request/retrying.ts'
import { decodeEvent, type RemitEvent } from './decodeEvent.ts'

/**
 * Which events to hear, and from where on: after the `sequence` of one, or by default from now on. Events are numbered by it in one
 * growing order; a filter leaves gaps.
 */
export type StreamRequest = Omit<ListEventsInput, 'first' | 'wait' | 'minBlock'>

/** The service sends something every 15 seconds. After this long in silence, the connection is dead. */
const SILENCE_MS = 45_000
/** The stream is no operation of the API. This row describes it as one, so that its request is made as all others are. */
const ROW = { method: 'GET', path: '/events/stream', onChain: true, answer: {} } as const

/** The events of a service, each once: a connection that breaks is made again and goes on after the last sequence that came. */
export async function* followStream(
  options: RequestOptions,
  { random, sleep, now }: Surroundings,
  request: StreamRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<RemitEvent> {
  const { maxRetryAfterSeconds = 60, onWait } = options
  let last = request.after
  let failures = 0
  for (;;) {
    signal?.throwIfAborted()
    let hasCome = false
    try {
      for await (const item of connectOnce(options, now, { ...request, after: last }, signal)) {
        hasCome = true
        failures = 0
        // An event that was given already, which a service sends again, is not given twice.
        if (last !== undefined && item.sequence <= last && item.event !== undefined) continue
        last = Math.max(last ?? 0, item.sequence)
        if (item.event !== undefined) yield item.event
      }
      // A connection that brought nothing counts as a failure. Else a service that ends each one at once would be called without a pause.
      if (!hasCome) {
        throw new UnexpectedAnswerError('The service ended a stream before anything came.', { status: 503 })
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      const waitMs = waitBefore(error, failures, { maxRetryAfterSeconds, random })
      if (waitMs === undefined) throw error
      failures += 1
      onWait?.(waitFor(error, waitMs))
      await sleep(waitMs, signal)
    }
  }
}

/**
 * What one connection brings: events, and sequences without an event. Such a sequence says that the stream has come so far, and that
 * nothing else up to it was asked for: the next connection goes on after it. Ends where the service says that it ends the connection.
 */
async function* connectOnce(
  options: RequestOptions,
  now: () => number,
  { after, ...request }: StreamRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ readonly sequence: number; readonly event?: RemitEvent }> {
  const base = baseUrl(options.url)
  const { origin } = new URL(base)
  const { target } = toRequest('stream', ROW, { ...request }, options.chainId)
  const headers = {
    ...createHeaders(options)({ forOperators: false, hasBody: false }),
    Accept: 'text/event-stream',
    ...(after === undefined ? {} : { 'Last-Event-ID': String(after) }),
  }
  const send: typeof fetch = options.fetch ?? ((...given) => globalThis.fetch(...given))
  const dead = new AbortController()
  let timer = setTimeout(() => dead.abort(), SILENCE_MS)
  const either = signal === undefined ? dead.signal : AbortSignal.any([signal, dead.signal])
  try {
    const response = await send(`${base}${target}`, { headers, redirect: 'manual', signal: either })
    const type = response.headers.get('content-type') ?? ''
    if (response.status !== 200 || !type.startsWith('text/event-stream') || response.body === null) {
      const { status, headers: given } = response
      readReply({ status, headers: given, text: await readText(response, either) }, origin, now())
      throw new UnexpectedAnswerError(`${origin} answered with something else than a stream.`, { status })
    }
    const parser = new ServerEvents(after === undefined ? '' : String(after))
    const decoder = new TextDecoder()
    const reader = response.body.getReader()
    try {
      for (;;) {
        const { value, done } = await reader.read()
        if (done) break
        clearTimeout(timer)
        timer = setTimeout(() => dead.abort(), SILENCE_MS)
        for (const { name, data } of parser.read(decoder.decode(value, { stream: true }))) {
          if (name === 'end') return
          if (name === 'message') yield received(data)
        }
        if (/^\d+$/.test(parser.lastId)) yield { sequence: Number(parser.lastId) }
      }
    } finally {
      await reader.cancel().catch(() => {})
    }
    throw new NetworkError(origin, new Error('the stream broke off'))
  } catch (thrown) {
    if (signal?.aborted) throw signal.reason
    throw dead.signal.aborted || thrown instanceof TypeError ? new NetworkError(origin, thrown) : thrown
  } finally {
    clearTimeout(timer)
  }
}

function received(data: string): { sequence: number; event: RemitEvent } {
  const event = decodeEvent(jsonIn(data))
  return { sequence: event.sequence, event }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnexpectedAnswerError('The stream has an event that is no JSON.', { status: 200 })
  }
}

/** One event of a stream, as the standard of server-sent events reads it. */
interface ServerEvent {
  /** `message` where the stream names none. */
  readonly name: string
  readonly data: string
  /** The last id that came, with this event or before it. */
  readonly id: string
}

/** No event has a line as long as this, so it is not the service's stream. */
const MOST_CHARACTERS = 1024 * 1024

/** Reads the text of a stream, in whatever pieces it comes. */
class ServerEvents {
  /** The beginning of a line whose end has not come. */
  #rest = ''
  #name = ''
  #data: string[] = []
  /** Of the block that is being read: it counts where the block ends. */
  #nextId: string
  #id: string

  /** @param id the id that the stream goes on after */
  constructor(id: string) {
    this.#id = id
    this.#nextId = id
  }

  /** The last id of which all has come. The stream goes on after it. */
  get lastId(): string {
    return this.#id
  }

  /** The events that a piece completes. Throws RangeError for a line without an end. */
  *read(piece: string): Generator<ServerEvent> {
    const lines = (this.#rest + piece).split(/\r\n|\n/)
    this.#rest = lines.pop() ?? ''
    if (this.#rest.length > MOST_CHARACTERS) throw new RangeError('the stream has a line without an end')
    for (const line of lines) {
      if (line !== '') this.#readField(line)
      else yield* this.#dispatch()
    }
  }

  #readField(line: string): void {
    const colon = line.indexOf(':')
    const [field, text] = colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1)]
    const value = text.startsWith(' ') ? text.slice(1) : text
    if (field === 'data') this.#data.push(value)
    else if (field === 'event') this.#name = value
    else if (field === 'id') this.#nextId = value
  }

  *#dispatch(): Generator<ServerEvent> {
    const [name, data] = [this.#name || 'message', this.#data]
    this.#name = ''
    this.#data = []
    this.#id = this.#nextId
    if (data.length > 0) yield { name, data: data.join('\n'), id: this.#id }
  }
}
