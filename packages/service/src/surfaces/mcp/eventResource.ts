import {
  type McpHttpHandler,
  ProtocolError,
  ProtocolErrorCode,
  type Resource,
  type ServerEventBus,
  type TextResourceContents,
} from '@modelcontextprotocol/server'
import { ValidationError } from '@remit/engine/errors/input'
import { parseUrl } from '@remit/engine/schema/text'
import { pause } from '@remit/engine/waiting/pause'
import * as z from 'zod'
import type { Caller, Pipeline } from '../../calls/pipeline.ts'
import type { Operation } from '../../calls/serviceOperation.ts'
import type { Credentials } from '../../ports/access.ts'
import type { Responses } from '../http/responses.ts'
import { inputKinds, toJsonValue } from '../rest/readCall.ts'
import type { EventStreams } from '../stream/EventStreams.ts'
import { callTool } from './callTool.ts'

const EVENTS_URI = 'remit://events'
/** Each with filters of its own is a stream; one stream counts for the connection. */
const MOST_URIS = 5
/** Events within this time make one notification: the client reads them all at once. */
const PAUSE_MS = 1_000
const JSON_TYPE = 'application/json'

const Listen = z.object({
  params: z.object({ notifications: z.object({ resourceSubscriptions: z.array(z.string()) }) }),
})
const Read = z.object({ method: z.literal('resources/read'), params: z.object({ uri: z.string() }) })

type Reader = ReadableStreamDefaultReader<Uint8Array>

/** Who listens, and what is done for them. */
interface Listener {
  readonly caller: Caller
  readonly credentials: Credentials
  /** Ends it. */
  readonly signal: AbortSignal
  /** Is called with a URI once there is more to read there. */
  hears(uri: string): void
  /** Is called where a stream ends by itself. */
  ends(): void
}

/**
 * The log of events as a resource, with the query of its route: what the list answers, and a client that listens is told when
 * that is more. `undefined` where no operation has a stream.
 */
export function createEventResource(options: {
  readonly operations: readonly Operation[]
  readonly pipeline: Pipeline
  readonly streams: Pick<EventStreams, 'open'>
}) {
  const { pipeline, streams } = options
  const operation = options.operations.find(({ stream }) => stream !== undefined)
  if (operation?.stream === undefined) return undefined
  const { name: tool, summary: title } = operation
  const [listed, route] = [operation, operation.stream]
  let kinds: ReturnType<typeof inputKinds> | undefined

  const resource: Resource = {
    uri: EVENTS_URI,
    name: 'events',
    title,
    description: `What ${tool} answers. Its arguments are the query, such as ${EVENTS_URI}?after=12&type=payment.failed`,
    mimeType: JSON_TYPE,
  }

  function has(uri: string): boolean {
    return uri === EVENTS_URI || uri.startsWith(`${EVENTS_URI}?`)
  }

  /** Whether a message reads it. Other resources are the same until the next release. */
  function isReadBy(message: unknown): boolean {
    const { data } = Read.safeParse(message)
    return data !== undefined && has(data.params.uri)
  }

  /** The URIs of it that a `subscriptions/listen` names, each once. */
  function namedIn(message: unknown): readonly string[] {
    const { data } = Listen.safeParse(message)
    return [...new Set(data?.params.notifications.resourceSubscriptions)].filter(has)
  }

  /** Throws ProtocolError, which says what REST would answer, and ValidationError. */
  async function read(
    uri: string,
    caller: Caller,
    report: (thrown: unknown) => void,
  ): Promise<TextResourceContents> {
    const call = { operation: listed, caller, arguments: argumentsIn(uri), flaw: undefined }
    const { content, isError } = await callTool(pipeline, { ...call, textForm: 'json' }, report)
    const [first] = content
    const text = first?.type === 'text' ? first.text : ''
    if (isError) throw new ProtocolError(ProtocolErrorCode.InvalidParams, text)
    return { uri, mimeType: JSON_TYPE, text }
  }

  /** Listens at each URI, by a stream of its own. Throws what opening one throws; then none is open. */
  async function listen(uris: readonly string[], listener: Listener): Promise<void> {
    if (uris.length > MOST_URIS) {
      throw ValidationError.of('resourceSubscriptions', `may name ${EVENTS_URI} ${MOST_URIS} times at most`)
    }
    const { caller, credentials, signal, hears, ends } = listener
    const opened = new Map<string, Reader>()
    const close = () => {
      for (const reader of opened.values()) void reader.cancel()
    }
    try {
      for (const uri of uris) {
        const { chainId, ...input } = argumentsIn(uri)
        const readCall = async () => ({ chainId: pipeline.chainId('mcp', chainId), input })
        const asked = { operation: listed, route, caller, credentials, lastEventId: null, readCall }
        const { body } = await streams.open(asked)
        opened.set(uri, body.getReader())
      }
    } catch (error) {
      close()
      throw error
    }
    signal.addEventListener('abort', close, { once: true })
    for (const [uri, reader] of opened) void follow(reader, () => hears(uri)).then(ends, ends)
  }

  /** Throws ValidationError for a query that says something twice. */
  function argumentsIn(uri: string): Record<string, unknown> {
    kinds ??= inputKinds(listed)
    const given = new Map<string, unknown>()
    for (const [name, text] of parseUrl(uri)?.searchParams ?? []) {
      if (given.has(name)) throw ValidationError.of(name.slice(0, 200), 'is given more than once')
      given.set(name, toJsonValue(text, kinds.get(name)))
    }
    return Object.fromEntries(given)
  }

  return { resource, has, isReadBy, namedIn, read, listen }
}

/** Reads a stream of events to its end. What it sends is whole: a text with events begins with one. */
async function follow(reader: Reader, hears: () => void): Promise<void> {
  const decoder = new TextDecoder()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    if (!/^id: \d+\ndata: /.test(decoder.decode(value))) continue
    hears()
    await pause(PAUSE_MS)
  }
}

type EventResource = NonNullable<ReturnType<typeof createEventResource>>

interface Forwarded {
  readonly request: Request
  readonly body: unknown
}

/**
 * Creates a handler that sends new events to one client. Each client needs its own, because each has its own
 * position in the log.
 */
export function createListening(options: {
  readonly events: EventResource | undefined
  readonly responses: Responses
  readonly createHandler: (bus: ServerEventBus) => McpHttpHandler
}) {
  const { events, responses, createHandler } = options
  return async (
    uris: readonly string[],
    { caller, credentials }: { readonly caller: Caller; readonly credentials: Credentials },
    { request, body }: Forwarded,
  ): Promise<Response> => {
    const ended = new AbortController()
    const early = new Set<string>()
    let tell: (uri: string) => void = (uri) => early.add(uri)
    let isTaken = false
    const own = createHandler({
      publish() {},
      subscribe(listener) {
        isTaken = true
        tell = (uri) => listener({ kind: 'resource_updated', uri })
        for (const uri of early) tell(uri)
        return () => ended.abort()
      },
    })
    await events?.listen(uris, {
      caller,
      credentials,
      signal: ended.signal,
      hears: (uri) => tell(uri),
      ends: () => void own.close(),
    })
    const answer = await own.fetch(request, { parsedBody: body }).finally(() => {
      // The SDK refused it.
      if (!isTaken) ended.abort()
    })
    const headers = {
      ...responses.headersFor(caller),
      ...Object.fromEntries(answer.headers),
      'Cache-Control': 'no-store',
    }
    return new Response(answer.body, { status: answer.status, headers })
  }
}
