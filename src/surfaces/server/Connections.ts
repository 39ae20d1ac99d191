import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { afterArrived } from './afterArrived.ts'

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Long enough for a refusal to be read by a peer that may still be sending. */
const LINGER_MS = 500
/** Beyond so many refusals at a time, connections are closed without a word. */
const MOST_LINGERING = 256
const QUIET_MS = 60_000
/** Long enough for the next request of a busy connection, which must still be answered, to arrive. */
const IDLE_GRACE_MS = 1_000

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
    const exchange = { request, response }
    const before = this.#open.get(socket) ?? []
    if (this.#closing) makeLast(response, before)
    this.#move(socket, [...before, exchange])
    response.once('prefinish', () => socket.setTimeout(this.#sendTimeoutMs))
    response.once('close', () => {
      const others = (this.#open.get(socket) ?? []).filter((other) => other !== exchange)
      this.#move(socket, others)
      const [next] = others
      // An answer that is still being made may take as long as it needs.
      if (next !== undefined && !next.response.writableEnded) socket.setTimeout(0)
      if (next !== undefined || !this.#closing) return
      if (saysClose(response)) socket.destroySoon()
      else this.#closeWhereIdle(socket)
    })
    return true
  }

  /**
   * From here on answers are the last ones on their connections, and say so by `Connection: close`. A connection
   * that stays idle is closed after a second: on one closed at once, the next request could be on its way.
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
    if (this.#closing) this.#closeWhereIdle(socket)
  }

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

function saysClose(response: ServerResponse): boolean {
  return response.getHeader('Connection') === 'close'
}

/** Where requests were sent without waiting for answers, only the last one of these may close the connection. */
function makeLast(response: ServerResponse, before: readonly Exchange[]): void {
  for (const { response: earlier } of before) {
    if (!earlier.headersSent) earlier.removeHeader('Connection')
  }
  response.setHeader('Connection', 'close')
}
