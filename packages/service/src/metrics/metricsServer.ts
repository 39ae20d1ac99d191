import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Registry } from 'prom-client'
import { createHostRule } from '../surfaces/http/hosts.ts'
import { Connections, closeServer, listen, rawResponse } from '../surfaces/server/Connections.ts'
import type { WorkPulse } from './WorkPulse.ts'

/** Enough for a few scrapers. Nobody else should use this port. */
const MOST_CONNECTIONS = 64
/** How long a caller may take to send a request, and to take its answer. */
const TIMEOUT_MS = 10_000
/** How long requests may still take when the server closes: a scrape takes milliseconds. */
const CLOSE_MS = 1_000

export interface MetricsPlace {
  readonly host: string
  readonly port: number
  /** The operator's ALLOWED_HOSTS; `undefined` where none are named. */
  readonly allowedHosts: readonly string[] | undefined
  /** What `/live` and `/ready` say. Left out where callers ask for them on a port of their own. */
  readonly pulse?: WorkPulse | undefined
}

export interface MetricsServer {
  readonly port: number
  /** Still answers, and closes each connection after its answer. */
  drain(): void
  close(): Promise<void>
}

/**
 * Serves `GET /metrics` on a port of its own, which is not for callers, and `/live` and `/ready` where there is a pulse. A request
 * must name one of the hosts that health checks may name, or a page of another site could read it under a name that leads here.
 *
 * Throws what node throws where the port is taken.
 */
export async function startMetricsServer(
  registry: Registry,
  { host, port, allowedHosts, pulse }: MetricsPlace,
): Promise<MetricsServer> {
  const hosts = createHostRule(allowedHosts, host)
  const server = createServer(
    { headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS, maxHeaderSize: 8 * 1024 },
    (request, response) => {
      if (!connections.begin(request, response)) return
      // Only a request of HTTP/1.0 names no host, and browsers send none of these.
      const { host: named } = request.headers
      const isAllowed = named === undefined || hosts.allowsProbe(named)
      void answer(registry, { request, response, isAllowed, pulse })
    },
  )
  const connections = new Connections(server, {
    most: MOST_CONNECTIONS,
    sendTimeoutMs: TIMEOUT_MS,
    refusal: () => rawResponse(new Response('There is no room for more connections.\n', { status: 503 })),
    onFull: () => {},
  })
  return {
    port: await listen(server, { host, port }),
    drain: () => connections.drain(),
    async close() {
      await closeServer(server, connections, CLOSE_MS)
    },
  }
}

interface Asked {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Whether the request names a host of this service. */
  readonly isAllowed: boolean
  readonly pulse: WorkPulse | undefined
}

async function answer(registry: Registry, { request, response, isAllowed, pulse }: Asked): Promise<void> {
  const text = (status: number, body: string, headers: Record<string, string> = {}) => {
    const all = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', ...headers }
    response.writeHead(status, all).end(request.method === 'HEAD' ? undefined : body)
  }
  if (!isAllowed)
    return text(403, 'This port does not answer to that Host: use its address, or set ALLOWED_HOSTS.\n')
  const { url } = request
  const isProbe = pulse !== undefined && (url === '/live' || url === '/ready')
  if (url !== '/metrics' && !isProbe) {
    const known = pulse === undefined ? 'GET /metrics is' : 'GET /metrics, /live and /ready are'
    return text(404, `${known} all there is.\n`)
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return text(405, 'This port is read by GET.\n', { Allow: 'GET, HEAD' })
  }
  if (isProbe) {
    const wrong = url === '/live' ? pulse.hung() : pulse.stalled()
    return wrong.length === 0 ? text(200, 'ok\n') : text(503, `${wrong.join('\n')}\n`)
  }
  try {
    text(200, await registry.metrics(), { 'Content-Type': registry.contentType })
  } catch {
    text(500, 'The metrics could not be read.\n')
  }
}
