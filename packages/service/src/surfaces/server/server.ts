import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { isIPv6 } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { ValidationError } from '@remit/engine/errors/input'
import { TooManyConnectionsError } from '../../errors/http.ts'
import { type Peer, requestKey } from '../http/credentials.ts'
import { Connections, closeServer, listen, rawResponse } from './Connections.ts'
import { answerClientErrors } from './clientErrors.ts'
import { DEFAULT_SERVER_LIMITS, type ServerLimits } from './serverLimits.ts'

interface ServerOptions {
  fetch(request: Request, peer: Peer): Promise<Response>
  /** Answers what was asked before with the same request key; `false` where it was not. Default: nothing is known. */
  repeat?(request: IncomingMessage, response: ServerResponse, peer: Peer): boolean
  /** Makes a response where the bytes were no valid request. */
  refuse(thrown: unknown): Response
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  readonly limits?: Partial<ServerLimits>
  /** Called at most once a minute where there was no room for a connection. */
  onFull?(maxConnections: number): void
}

export interface RunningServer {
  readonly url: string
  readonly port: number
  connections(): Connections['counts']
  /**
   * Accepts no new connections, answers requests on open ones, and at the deadline closes those that are left.
   *
   * Resolves with how many requests were cut off.
   */
  close(deadlineMs: number): Promise<number>
}

/**
 * Starts the HTTP server over the app of `app.ts`. It limits connections, and answers by the app what Node would refuse by itself.
 * Throws what node throws where the address is taken.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { fetch, refuse, host, port } = options
  const limits = { ...DEFAULT_SERVER_LIMITS, ...options.limits }
  const peers = new WeakMap<object, Peer>()
  const listener = getRequestListener((request, { incoming }) => fetch(request, peers.get(incoming) ?? {}), {
    errorHandler: () =>
      refuse(new ValidationError([{ message: 'The Host header or the address is malformed.' }])),
  })
  const server = createServer(
    {
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: Math.min(1000, limits.headersTimeoutMs),
      // Node would answer a missing Host with an empty 400. The listener answers it with an error body.
      requireHostHeader: false,
    },
    (request, response) => {
      if (!connections.begin(request, response)) return
      nameHost(request)
      const peer = peerOf(request)
      if (options.repeat?.(request, response, peer)) return
      peers.set(request, peer)
      void listener(request, response)
    },
  )
  const connections = new Connections(server, {
    most: limits.maxConnections,
    sendTimeoutMs: limits.sendTimeoutMs,
    refusal: () => rawResponse(refuse(new TooManyConnectionsError())),
    onFull: () => options.onFull?.(limits.maxConnections),
  })
  // An unknown Expect header may be ignored. Node would refuse it without a body.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response),
  )
  answerClientErrors(server, refuse)
  // Node's default backlog is 511. In a larger burst, the other clients would retry after a second or later.
  const bound = await listen(server, { host, port, backlog: limits.maxConnections })

  return {
    url: `http://${urlHost(host)}:${bound}`,
    port: bound,
    connections: () => connections.counts,
    close: (deadlineMs) => closeServer(server, connections, deadlineMs),
  }
}

function peerOf(request: IncomingMessage): Peer {
  return { remoteAddress: request.socket?.remoteAddress, requestKey: requestKey(request) }
}

/** Some load balancers use HTTP/1.0, which has no Host. The address that they connected to stands in for it. */
function nameHost({ httpVersion, headers, socket }: IncomingMessage): void {
  if (httpVersion !== '1.0' || headers.host !== undefined || socket.localAddress === undefined) return
  const { localAddress, localPort } = socket
  headers.host = `${isIPv6(localAddress) ? `[${localAddress}]` : localAddress}:${localPort}`
}

/** Every interface is reached on loopback too, and an IPv6 address needs its brackets. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
