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

// The log of events for MCP, in two parts. `createEventResource` makes it a resource that is read by a URI. `createListening` answers the
// method `subscriptions/listen`, by which a client is notified of new events until it disconnects.

const EVENTS_URI = 'remit://events'
/** How many URIs, that is different filters, one client may listen at. Each opens a stream, which counts for its caller. */
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
  /** Aborted when the client stops listening. */
  readonly signal: AbortSignal
  /** Called with a URI once there is more to read there. */
  onEvents(uri: string): void
  /** Called where a stream ends by itself. */
  onEnd(): void
}

/**
 * The log of events as an MCP resource: reading `remit://events?…` answers what the list of events answers to that query, and
 * a client that subscribes to the URI is notified of new ones. `undefined` where no operation has a stream.
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
  // Constants of their own, because inside functions TypeScript does not know that `operation` and its stream are defined.
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

  /** Whether a message reads the events, so that its answer must not be kept. Other resources are the same until the next release. */
  function isReadBy(message: unknown): boolean {
    const { data } = Read.safeParse(message)
    return data !== undefined && has(data.params.uri)
  }

  /** The URIs of events that a `subscriptions/listen` names, each once. */
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

  /** Opens a stream of events for each URI, and follows them until the client stops. Throws what opening one throws; then none is open. */
  async function listen(uris: readonly string[], listener: Listener): Promise<void> {
    if (uris.length > MOST_URIS) {
      throw ValidationError.of('resourceSubscriptions', `may name ${EVENTS_URI} ${MOST_URIS} times at most`)
    }
    const { caller, credentials, signal, onEvents, onEnd } = listener
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
    for (const [uri, reader] of opened) void follow(reader, () => onEvents(uri)).then(onEnd, onEnd)
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

/** Reads a stream to its end, and calls `onEvents` where it has events. It sends whole texts: one with events begins with `id` and `data`. */
async function follow(reader: Reader, onEvents: () => void): Promise<void> {
  const decoder = new TextDecoder()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    if (!/^id: \d+\ndata: /.test(decoder.decode(value))) continue
    onEvents()
    await pause(PAUSE_MS)
  }
}

type EventResource = NonNullable<ReturnType<typeof createEventResource>>

interface Forwarded {
  readonly request: Request
  readonly body: unknown
}

/**
 * Makes what answers `subscriptions/listen`: it opens the client's streams of events, and forwards the request to a handler of
 * the SDK that sends this client's notifications. Each client has a handler of its own, because each has its own filters, and its own place in the log.
 *
 * The SDK asks its bus for notifications (`subscribe`) while it handles the request, which is after the streams were opened. Events that come
 * in between are kept in `early`. The handler, the streams and the answer's body end together, whichever ends first.
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
    /** URIs with events that came before the SDK had subscribed. */
    const early = new Set<string>()
    let notify: (uri: string) => void = (uri) => early.add(uri)
    let hasSubscribed = false
    const handler = createHandler({
      publish() {},
      subscribe(listener) {
        hasSubscribed = true
        notify = (uri) => listener({ kind: 'resource_updated', uri })
        for (const uri of early) notify(uri)
        return () => ended.abort()
      },
    })
    await events?.listen(uris, {
      caller,
      credentials,
      signal: ended.signal,
      onEvents: (uri) => notify(uri),
      onEnd: () => void handler.close(),
    })
    const answer = await handler.fetch(request, { parsedBody: body }).finally(() => {
      // The SDK has refused the request, so nobody listens.
      if (!hasSubscribed) ended.abort()
    })
    const headers = {
      ...responses.headersFor(caller),
      ...Object.fromEntries(answer.headers),
      'Cache-Control': 'no-store',
    }
    return new Response(answer.body, { status: answer.status, headers })
  }
}
