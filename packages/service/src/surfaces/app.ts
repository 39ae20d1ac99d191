import type { IncomingMessage, ServerResponse } from 'node:http'
import type { EventLog } from '@remit/engine/ports/events'
import type { Log } from '@remit/engine/ports/log'
import type { Pipeline, Surface } from '../calls/pipeline.ts'
import { RequestTrace } from '../calls/RequestTrace.ts'
import type { ServedDocument } from '../calls/servedDocument.ts'
import type { AbsentOperation, Operation } from '../calls/serviceOperation.ts'
import type { SessionCookie } from '../calls/sessionCookie.ts'
import { ForbiddenError } from '../errors/access.ts'
import type { RequestObserver } from '../ports/telemetry.ts'
import { createCors } from './http/cors.ts'
import { credentialsOf, type Peer } from './http/credentials.ts'
import { createHostRule } from './http/hosts.ts'
import { createResponses, unknownRecipient } from './http/responses.ts'
import { createMcpApp } from './mcp/mcpApp.ts'
import {
  createGuides,
  createPrompts,
  type Guides,
  type Prompts,
  type SuggestionsPort,
} from './mcp/prompts.ts'
import type { Pages } from './rest/pages.ts'
import { createRestApp } from './rest/restApp.ts'
import type { PagesSurroundings } from './site/pages/createPages.ts'
import { EventStreams } from './stream/EventStreams.ts'

/** What the app is made of. The service and the worker at the edge each give their own. */
export interface AppOptions {
  readonly operations: readonly Operation[]
  /** Operations that only a full service has, where this is the worker at the edge: a request for one gets 501. */
  readonly absent?: readonly AbsentOperation[]
  readonly pipeline: Pipeline
  readonly log: Log
  readonly server: { readonly name: string; readonly version: string }
  /** The address that the server listens on. Unless `allowedHosts` says it, this decides which names a request may call it by. */
  readonly host: string
  readonly allowedHosts: readonly string[] | undefined
  readonly corsOrigins?: readonly string[]
  /** `https:` here turns HSTS on. */
  readonly publicUrl?: string | undefined
  readonly cookie: SessionCookie
  readonly bodyTimeoutMs?: number
  /** Documents that are served beside the operations. */
  readonly documents?: readonly ServedDocument[]
  /** Makes the pages for people. Left out where the site was not built. */
  readonly pages?: ((surroundings: PagesSurroundings) => Pages) | undefined
  /** What MCP offers beside the tools. Default: the documents, and the service's own prompts. */
  readonly guides?: Guides
  readonly prompts?: Prompts
  readonly suggestions: SuggestionsPort
  readonly events: EventLog
  readonly observers?: readonly RequestObserver[]
}

/**
 * The HTTP application of a service: REST and MCP from the list of operations, behind one check of host and origin. The
 * server (`server/server.ts`) hands it each request; at the edge, the worker does.
 *
 * `fetch` answers any request. `repeat` answers, by a shorter way, some that were asked before; `refuse` answers what could not be read as
 * a request. Each makes a trace, runs the request in it, and tells the observers how it ended.
 */
export function createApp(options: AppOptions) {
  const { host, allowedHosts, corsOrigins = [], publicUrl = '', observers = [], pages, ...shared } = options
  const { guides = createGuides(shared.documents ?? []), prompts = createPrompts() } = options
  const cors = createCors(corsOrigins)
  const https = publicUrl.startsWith('https:')
  const responses = createResponses({ log: shared.log, https, cors: cors.isOn })
  const hosts = createHostRule(allowedHosts, host)
  const streams = new EventStreams({ log: options.events, pipeline: shared.pipeline })
  const rest = createRestApp({
    ...shared,
    responses,
    streams,
    pages: pages?.({ ...shared, responses }),
  })
  const mcp = createMcpApp({
    ...shared,
    responses,
    guides,
    prompts,
    streams,
    onToolCall: (trace) => tellObservers(trace),
  })

  function tellObservers(trace: RequestTrace, status?: number): void {
    const ended = trace.ended(status)
    for (const observer of observers) observer.requestEnded(ended)
  }

  /** Answers one request. Never throws. */
  async function fetch(request: Request, peer: Peer = {}): Promise<Response> {
    const trace = new RequestTrace({
      method: request.method,
      traceparent: request.headers.get('traceparent'),
    })
    const response = await trace.run(() =>
      // Hono's routes catch only Errors. When a caller disconnects, the signal's reason is thrown, which may be a text.
      answer(request, peer).catch((thrown: unknown) =>
        responses.refuse(thrown, { ...unknownRecipient(), signal: request.signal }),
      ),
    )
    cors.decorate(request, response)
    // Each tool call of a request was told to the observers by itself.
    if (!trace.isToldByToolCalls) tellObservers(trace, response.status)
    return response
  }

  async function answer(request: Request, peer: Peer): Promise<Response> {
    const url = new URL(request.url)
    const surface = url.pathname === '/mcp' || url.pathname === '/api/mcp' ? 'mcp' : 'rest'
    const namedHost = request.headers.get('host') ?? url.host
    // A request in absolute form names a host in its URL too.
    const allowed = isHealthPath(url.pathname) ? hosts.allowsProbe : hosts.allows
    if (!allowed(namedHost) || !allowed(url.host)) {
      return forbid(
        surface,
        request,
        peer,
        new ForbiddenError('This service does not answer to that Host; use the address it was published at.'),
      )
    }
    if (surface === 'rest') return rest.fetch(request, peer)
    const origin = request.headers.get('origin')
    if (origin !== null && !cors.allows(origin) && !hosts.allowsOrigin(origin, namedHost)) {
      return forbid(
        surface,
        request,
        peer,
        new ForbiddenError('Pages of this Origin may not call the tools of this service.'),
      )
    }
    return mcp.fetch(request, peer)
  }

  /** Refuses a request before its credentials are looked at. Its address pays; a preflight costs nothing. */
  async function forbid(
    surface: Surface,
    request: Request,
    peer: Peer,
    refused: ForbiddenError,
  ): Promise<Response> {
    if (request.method === 'OPTIONS') throw refused
    const caller = await shared.pipeline.chargeAddress(surface, credentialsOf(request, peer))
    return responses.refuse(refused, caller)
  }

  /** Answers a request that is known from before (`RepeatedReads`). `false`: it is not known, so `fetch` has to answer it. */
  function repeat(request: IncomingMessage, response: ServerResponse, peer: Peer): boolean {
    const known = rest.repeated.find(peer.requestKey)
    if (known === undefined) return false
    const { traceparent } = request.headers
    const trace = new RequestTrace({ method: 'GET', traceparent: traceparent?.toString() })
    trace
      .run(() => rest.repeated.answer(known, peer, request, response))
      .then((status) => tellObservers(trace, status))
      // An error here would be a bug. It ends this connection, and not the process.
      .catch(() => response.destroy())
    return true
  }

  /** Makes a response where the bytes were no valid request, such as oversize headers. */
  function refuse(thrown: unknown): Response {
    const trace = new RequestTrace()
    const response = trace.run(() => responses.refuse(thrown, unknownRecipient()))
    tellObservers(trace, response.status)
    return response
  }

  return {
    fetch,
    repeat,
    refuse,
    close: () => mcp.close(),
  }
}

/** The paths of health checks. Load balancers mostly use the address of the process as the host. */
function isHealthPath(path: string): boolean {
  return /^(\/api)?\/(ready|status)$/.test(path)
}
