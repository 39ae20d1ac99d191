import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { ValidationError } from '../../errors/input.ts'
import { answerClientErrors } from './clientErrors.ts'
import type { Peer } from './credentials.ts'

export interface ServerLimits {
  /** The request line and all headers. */
  readonly maxHeaderBytes: number
  readonly headersTimeoutMs: number
  /** A whole request, body included. */
  readonly requestTimeoutMs: number
  /** Longer than the idle time of common load balancers, so that it is they who close. */
  readonly keepAliveTimeoutMs: number
  readonly maxConnections: number
}

const DEFAULT_LIMITS: ServerLimits = {
  maxHeaderBytes: 32 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  maxConnections: 10_000,
}

export interface ServerOptions {
  fetch(request: Request, peer: Peer): Promise<Response>
  /** Makes a response to what never became a request. */
  refuse(thrown: unknown): Response
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  readonly limits?: Partial<ServerLimits>
}

export interface RunningServer {
  readonly url: string
  readonly port: number
  /** Takes nothing new, lets what is running finish, and cuts it off at the deadline. */
  close(deadlineMs: number): Promise<void>
}

/** Listens. Throws what node throws where the address is taken. */
export async function startServer({
  fetch,
  refuse,
  host,
  port,
  limits,
}: ServerOptions): Promise<RunningServer> {
  const { maxHeaderBytes, headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs, maxConnections } = {
    ...DEFAULT_LIMITS,
    ...limits,
  }
  const listener = getRequestListener(
    (request, env) => fetch(request, { remoteAddress: env.incoming.socket?.remoteAddress }),
    {
      errorHandler: () =>
        refuse(new ValidationError([{ message: 'The Host header or the address is malformed.' }])),
    },
  )
  let closing = false
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: Math.min(1000, headersTimeoutMs),
      // Node would answer a request without a Host by an empty 400: the listener's has a body.
      requireHostHeader: false,
    },
    (request, response) => {
      if (closing) response.setHeader('Connection', 'close')
      void listener(request, response)
    },
  )
  server.maxConnections = maxConnections
  // An expectation that is not understood may be ignored; node would refuse it without a body.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response),
  )
  answerClientErrors(server, refuse)
  await listen(server, host, port)
  const bound = boundPort(server, port)

  return {
    url: `http://${urlHost(host)}:${bound}`,
    port: bound,
    close(deadlineMs) {
      closing = true
      return close(server, deadlineMs)
    },
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function close(server: Server, deadlineMs: number): Promise<void> {
  return new Promise((resolve) => {
    // Connections that were busy when the closing began turn idle one by one.
    const sweep = setInterval(() => server.closeIdleConnections(), 50)
    const cut = setTimeout(() => server.closeAllConnections(), deadlineMs)
    server.close(() => {
      clearInterval(sweep)
      clearTimeout(cut)
      resolve()
    })
  })
}

function boundPort(server: Server, fallback: number): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : fallback
}

/** Every interface is reached on loopback too, and an IPv6 address needs its brackets. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
