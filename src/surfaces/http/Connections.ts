import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Long enough for a refusal to be read by a peer that may still be sending. */
const LINGER_MS = 500
/** Beyond so many refusals at a time, connections are closed without a word. */
const MOST_LINGERING = 256
const QUIET_MS = 60_000

/**
 * A server's connections, held within a number, and closed in order at the end.
 *
 * Where there is no room for a new one, the one that has waited longest gives way: nothing is being done for
 * it, since it is idle, or has not sent its whole request, or does not take its answer. So sockets that
 * somebody only holds open keep nobody out. Where all are being worked for, the new one is refused.
 */
export class Connections {
  readonly #most: number
  readonly #sendTimeoutMs: number
  readonly #refusal: () => Promise<string>
  readonly #onFull: () => void
  /** In the order in which they began to wait or to be worked for. */
  readonly #open = new Map<Socket, readonly Exchange[]>()
  readonly #refused = new Set<Socket>()
  #fullToldAt = Number.NEGATIVE_INFINITY
  #closing = false
  #evictedCount = 0
  #refusedCount = 0

  /**
   * @param options.sendTimeoutMs how long a peer may take nothing of an answer that is waiting for it
   * @param options.refusal what a connection without room is told, as HTTP/1.1 bytes
   * @param options.onFull hears, at most once a minute, that there was no room
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

  get counts() {
    return { open: this.#open.size, evicted: this.#evictedCount, refused: this.#refusedCount }
  }

  /** Notes a request. `false` where its connection was refused, and nothing may be written to it any more. */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request
    if (this.#refused.has(socket)) return false
    if (this.#closing) response.setHeader('Connection', 'close')
    const exchange = { request, response }
    this.#move(socket, [...(this.#open.get(socket) ?? []), exchange])
    response.once('prefinish', () => socket.setTimeout(this.#sendTimeoutMs))
    response.once('close', () => {
      const others = (this.#open.get(socket) ?? []).filter((other) => other !== exchange)
      this.#move(socket, others)
      const [next] = others
      // An answer that is still being made may take as long as it needs.
      if (next !== undefined && !next.response.writableEnded) socket.setTimeout(0)
      if (next === undefined && this.#closing) socket.destroySoon()
    })
    return true
  }

  /** Closes at once what no request has begun on, and each of the others after the answers that it owes. */
  drain(): void {
    this.#closing = true
    for (const [socket, exchanges] of this.#open) {
      if (exchanges.length === 0) socket.destroy()
      for (const { response } of exchanges) {
        if (!response.headersSent) response.setHeader('Connection', 'close')
      }
    }
  }

  /** Closes what is left. Tells how many requests had no whole answer. */
  cut(): number {
    const owed = [...this.#open.values()].reduce((sum, exchanges) => sum + exchanges.length, 0)
    for (const socket of [...this.#open.keys(), ...this.#refused]) socket.destroy()
    return owed
  }

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

  #move(socket: Socket, exchanges: readonly Exchange[]): void {
    // One that is closed already stays out.
    if (!this.#open.delete(socket)) return
    this.#open.set(socket, exchanges)
  }

  #tellFull(): void {
    if (performance.now() - this.#fullToldAt < QUIET_MS) return
    this.#fullToldAt = performance.now()
    this.#onFull()
  }
}

/** Whether it is the peer's turn: to send the rest of its request, or to take the rest of its answer. */
function isWaiting({ request, response }: Exchange): boolean {
  return !request.complete || response.writableEnded
}
