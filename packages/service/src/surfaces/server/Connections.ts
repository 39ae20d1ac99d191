import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { ListenOptions } from 'node:net'
import { Server as Listener, type Socket } from 'node:net'
import { afterArrived } from '@remit/engine/waiting/afterArrived'

// The connections of an HTTP server: how many there may be (`Connections`), and how they end when the process does (`closeServer`).

/** A request with its response. A connection has several where its peer sends the next before the last is answered (pipelining). */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** For how long a refused connection stays open: its peer reads the refusal meanwhile, even if it still sends. */
const LINGER_MS = 500
/** With more refused connections than this at a time, the next ones are closed without an answer. */
const MOST_LINGERING = 256
/** `onFull` is called once in this time. */
const QUIET_MS = 60_000
/** How long an idle connection stays open while the server closes: a request that is on its way must still be answered. */
const IDLE_GRACE_MS = 1_000

/**
 * Limits a server's connections, and closes them in order at the end. The server reports each connection by its event, and each request
 * by `begin`.
 *
 * At the limit, a waiting connection is closed to make room for a new one: the one that has waited longest. Waiting
 * means idle, or with an incomplete request, or not reading its answer. So an attacker who only holds sockets open
 * keeps nobody out. Where the service is working for every connection, the new one is refused.
 */
export class Connections {
  readonly #most: number
  readonly #sendTimeoutMs: number
  readonly #refusal: () => Promise<string>
  readonly #onFull: () => void
  /** Open connections with their exchanges. The first has been in its present state, waiting or served, for the longest time. */
  readonly #open = new Map<Socket, readonly Exchange[]>()
  readonly #refused = new Set<Socket>()
  #fullToldAt = Number.NEGATIVE_INFINITY
  #closing = false
  #evictedCount = 0
  #refusedCount = 0

  /**
   * @param options.sendTimeoutMs how long a peer may read nothing of an answer
   * @param options.refusal the answer to a connection that is refused, as HTTP/1.1 bytes
   * @param options.onFull called at most once a minute while connections are refused or closed for want of room
   */
  constructor(
    server: Server,
    options: { most: number; sendTimeoutMs: number; refusal: () => Promise<string>; onFull: () => void },
  ) {
    this.#most = options.most
    this.#sendTimeoutMs = options.sendTimeoutMs
    this.#refusal = options.refusal
    this.#onFull = options.onFull
    server.on('connection', (socket: Socket) => this.#admit(socket))
  }

  /** `evicted` were closed to make room, `refused` found no room, both since the start. */
  get counts() {
    return { open: this.#open.size, evicted: this.#evictedCount, refused: this.#refusedCount }
  }

  /** Notes a request. Returns `false` where its connection was refused: nothing may be written to it. */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request
    if (this.#refused.has(socket)) return false
    const exchange = { request, response }
    const before = this.#open.get(socket) ?? []
    if (this.#closing) makeLast(response, before)
    this.#setExchanges(socket, [...before, exchange])
    response.on('prefinish', () => {
      // From now on the connection waits for its peer to read.
      this.#setExchanges(socket, this.#open.get(socket) ?? [])
      socket.setTimeout(this.#sendTimeoutMs)
    })
    response.on('close', () => {
      const others = (this.#open.get(socket) ?? []).filter((other) => other !== exchange)
      this.#setExchanges(socket, others)
      const [next] = others
      // No timeout while the next answer is still being made.
      if (next !== undefined && !next.response.writableEnded) socket.setTimeout(0)
      if (next !== undefined || !this.#closing) return
      if (saysClose(response)) socket.destroySoon()
      else this.#closeWhereIdle(socket)
    })
    return true
  }

  /**
   * From now on every answer is the last one on its connection, with `Connection: close`. Idle connections are closed
   * after a second, because a request may already be on its way.
   */
  drain(): void {
    if (this.#closing) return
    this.#closing = true
    for (const [socket, exchanges] of this.#open) {
      const last = exchanges.at(-1)
      if (last === undefined) this.#closeWhereIdle(socket)
      else if (!last.response.headersSent) last.response.setHeader('Connection', 'close')
    }
  }

  /** Closes all connections. Returns how many requests got no whole answer. */
  cut(): number {
    const unanswered = [...this.#open.values()].reduce((sum, exchanges) => sum + exchanges.length, 0)
    for (const socket of [...this.#open.keys(), ...this.#refused]) socket.destroy()
    return unanswered
  }

  /** Takes in a new connection. At the limit the one that has waited longest is closed for it; if none waits, it is refused. */
  #admit(socket: Socket): void {
    if (this.#open.size >= this.#most) {
      this.#tellFull()
      const waiting = this.#longestWaiting()
      if (waiting === undefined) {
        this.#refuse(socket)
        return
      }
      this.#evictedCount += 1
      this.#open.delete(waiting)
      waiting.destroy()
    }
    this.#open.set(socket, [])
    socket.once('close', () => this.#open.delete(socket))
    if (this.#closing) this.#closeWhereIdle(socket)
  }

  /** Closes the connection after IDLE_GRACE_MS, unless a request has come by then: its answer closes it. */
  #closeWhereIdle(socket: Socket): void {
    const close = () => {
      if (this.#open.get(socket)?.length === 0) socket.destroy()
    }
    const timer = setTimeout(() => afterArrived(close), IDLE_GRACE_MS)
    socket.once('close', () => clearTimeout(timer))
  }

  #longestWaiting(): Socket | undefined {
    for (const [socket, exchanges] of this.#open) {
      if (exchanges.every(isWaiting)) return socket
    }
    return undefined
  }

  #refuse(socket: Socket): void {
    this.#refusedCount += 1
    this.#refused.add(socket)
    socket.once('close', () => this.#refused.delete(socket))
    if (this.#refused.size > MOST_LINGERING) {
      socket.destroy()
    } else {
      void this.#refusal().then((bytes) => socket.end(bytes))
      setTimeout(() => socket.destroy(), LINGER_MS).unref()
    }
  }

  /** Sets what a connection is busy with, and moves it behind all others in their order. */
  #setExchanges(socket: Socket, exchanges: readonly Exchange[]): void {
    // A closed connection is not added again.
    if (!this.#open.delete(socket)) return
    this.#open.set(socket, exchanges)
  }

  #tellFull(): void {
    if (performance.now() - this.#fullToldAt < QUIET_MS) return
    this.#fullToldAt = performance.now()
    this.#onFull()
  }
}

/** Whether the service waits for the peer: for the rest of its request, or to read the rest of its answer. */
function isWaiting({ request, response }: Exchange): boolean {
  return !request.complete || response.writableEnded
}

function saysClose(response: ServerResponse): boolean {
  return response.getHeader('Connection') === 'close'
}

/** Marks a response as the last of its connection. Takes the mark from those before it, which would close it too early. */
function makeLast(response: ServerResponse, before: readonly Exchange[]): void {
  for (const { response: earlier } of before) {
    if (!earlier.headersSent) earlier.removeHeader('Connection')
  }
  response.setHeader('Connection', 'close')
}

/** Listens, and resolves with the port. Throws what node throws where the address is taken. */
export async function listen(
  server: Server,
  options: ListenOptions & { readonly port: number },
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : options.port
}

/**
 * Accepts no new connections, answers requests on open ones, and at the deadline closes those that are left.
 *
 * Resolves with how many requests were cut off.
 */
export function closeServer(server: Server, connections: Connections, deadlineMs: number): Promise<number> {
  return new Promise((resolve) => {
    // The operating system may have taken connections that Node has not accepted yet. They come first.
    afterArrived(() => {
      let cutOff = 0
      const cut = setTimeout(() => {
        cutOff = connections.cut()
      }, deadlineMs)
      // http.Server.close() would also close idle connections at once, and stop the check for slow requests.
      Listener.prototype.close.call(server, () => {
        clearTimeout(cut)
        server.close()
        resolve(cutOff)
      })
      // Only now, after the listener is closed: a client that reconnects must be refused, and not be left waiting.
      connections.drain()
    })
  })
}

/** A response as HTTP/1.1 bytes, for a socket without a request. The connection closes after it. */
export async function rawResponse(response: Response): Promise<string> {
  const body = await response.text()
  const headers = [
    ...response.headers,
    ['date', new Date().toUTCString()],
    ['content-length', String(Buffer.byteLength(body))],
    ['connection', 'close'],
  ]
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  const head = `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ''}`
  return `${head}\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}
