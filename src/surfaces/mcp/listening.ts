import type { McpHttpHandler, ServerEventBus } from '@modelcontextprotocol/server'
import type { Caller } from '../../core/pipeline.ts'
import type { Credentials } from '../../core/ports/access.ts'
import type { Responses } from '../http/responses.ts'
import type { EventResource } from './eventResource.ts'

/** What the SDK is to answer. */
interface Forwarded {
  readonly request: Request
  readonly body: unknown
}

/**
 * Makes what tells a client of events as they come. The SDK writes the stream, from a handler of its own for each: another
 * listener of the same resource is at another place.
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
