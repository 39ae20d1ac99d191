import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'
import { Connections } from '../surfaces/server/Connections.ts'
import { closeServer } from '../surfaces/server/closeServer.ts'
import { rawResponse } from '../surfaces/server/rawResponse.ts'

/** Enough for a few scrapers. Nobody else should use this port. */
const MOST_CONNECTIONS = 64
const TIMEOUT_MS = 10_000
/** A scrape takes milliseconds. */
const CLOSE_MS = 1_000

export interface MetricsServer {
  readonly port: number
  /** Still answers, and closes each connection after its answer. */
  drain(): void
  close(): Promise<void>
}

/**
 * Serves `GET /metrics` on a port of its own, which is not for callers.
 *
 * Throws what node throws where the port is taken.
 */
export async function startMetricsServer(
  registry: Registry,
  { host, port }: { host: string; port: number },
): Promise<MetricsServer> {
  const server = createServer(
    { headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS, maxHeaderSize: 8 * 1024 },
    (request, response) => {
      if (connections.begin(request, response)) void answer(registry, request, response)
    },
  )
  const connections = new Connections(server, {
    most: MOST_CONNECTIONS,
    sendTimeoutMs: TIMEOUT_MS,
    refusal: () => rawResponse(new Response('There is no room for more connections.\n', { status: 503 })),
    onFull: () => {},
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return {
    port: boundPort(server.address(), port),
    drain: () => connections.drain(),
    async close() {
      await closeServer(server, connections, CLOSE_MS)
    },
  }
}

async function answer(registry: Registry, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = (status: number, body: string, headers: Record<string, string> = {}) => {
    const all = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', ...headers }
    response.writeHead(status, all).end(request.method === 'HEAD' ? undefined : body)
  }
  if (request.url !== '/metrics') return text(404, 'GET /metrics is all there is.\n')
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return text(405, 'Metrics are read by GET.\n', { Allow: 'GET, HEAD' })
  }
  try {
    text(200, await registry.metrics(), { 'Content-Type': registry.contentType })
  } catch {
    text(500, 'The metrics could not be read.\n')
  }
}

function boundPort(address: AddressInfo | string | null, fallback: number): number {
  return typeof address === 'object' && address !== null ? address.port : fallback
}
