import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** So many that no server waits for its client, or for a store. */
export const CONNECTIONS = 64

/** One question, asked over and over. */
export interface Asked {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** An answer of another status ends the measurement. */
  readonly status: number
}

/**
 * Keep-alive connections that ask over HTTP/1.1 and hardly look at the answer, so that the server is the slow part and
 * not its client.
 */
export class Load {
  readonly #connections: Connection[]

  private constructor(connections: Connection[]) {
    this.#connections = connections
  }

  static async open(port: number, connections = CONNECTIONS): Promise<Load> {
    return new Load(await Promise.all(Array.from({ length: connections }, () => Connection.open(port))))
  }

  /** Each connection asks again as soon as it is answered. @returns requests a second */
  async asFastAsPossible(asked: Asked, requests: number): Promise<number> {
    const bytes = toBytes(asked)
    const begun = performance.now()
    let sent = 0
    const stop = stayAwake()
    await Promise.all(
      this.#connections.map(async (connection) => {
        while (sent < requests) {
          sent += 1
          await connection.ask(bytes, asked.status)
        }
      }),
    ).finally(stop)
    return (requests * 1_000) / (performance.now() - begun)
  }

  /** @returns milliseconds from when each request was due, whether or not a connection was free, to its answer */
  async atRate(asked: Asked, perSecond: number, forMs: number): Promise<number[]> {
    const bytes = toBytes(asked)
    const begun = performance.now()
    const dueAt = (place: number) => begun + (place * 1_000) / perSecond
    const most = Math.floor((perSecond * forMs) / 1_000)
    const free = [...this.#connections]
    const times: number[] = []
    let next = 0
    return new Promise((resolve, reject) => {
      const ask = async (connection: Connection, due: number) => {
        await connection.ask(bytes, asked.status)
        times.push(performance.now() - due)
        free.push(connection)
        if (times.length === most) resolve(times)
        askWhatIsDue()
      }
      const askWhatIsDue = () => {
        while (next < most && dueAt(next) <= performance.now()) {
          const connection = free.pop()
          if (connection === undefined) return
          ask(connection, dueAt(next)).catch((error: unknown) => {
            next = most
            reject(error)
          })
          next += 1
        }
      }
      // One wait for all connections: if each waited by itself, the client would have less time for answers.
      const wait = () => {
        askWhatIsDue()
        if (next === most) return
        // Timers may be late by a millisecond or two.
        const longMs = dueAt(next) - performance.now() - 2
        if (longMs > 1) setTimeout(wait, longMs)
        else setImmediate(wait)
      }
      wait()
    })
  }

  close(): void {
    for (const connection of this.#connections) connection.close()
  }
}

class Connection {
  readonly #socket: Socket
  #expected = 0
  #received = ''
  #left = -1
  #answered: (() => void) | undefined
  #failed: ((error: Error) => void) | undefined
  #closed: Error | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (bytes) => this.#read(bytes))
    socket.on('error', (error) => this.#failed?.(error))
    socket.on('close', () => this.#closedBy(new Error('the server closed a connection')))
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return new Connection(socket)
  }

  async ask(bytes: Buffer, status: number): Promise<void> {
    if (this.#closed !== undefined) throw this.#closed
    return new Promise((resolve, reject) => {
      this.#expected = status
      this.#answered = resolve
      this.#failed = reject
      this.#received = ''
      this.#left = -1
      this.#socket.write(bytes)
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #closedBy(error: Error): void {
    this.#closed = error
    this.#failed?.(error)
  }

  #read(bytes: Buffer): void {
    if (this.#left >= 0) {
      this.#left -= bytes.length
    } else {
      this.#received += bytes.toString('latin1')
      const end = this.#received.indexOf('\r\n\r\n')
      if (end === -1) return
      const head = this.#received.slice(0, end)
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
      if (
        !head.startsWith(`HTTP/1.1 ${this.#expected}`) ||
        (length === undefined && this.#expected !== 304)
      ) {
        this.#failed?.(new Error(`not the answer that was expected: ${this.#received.slice(0, 500)}`))
        return
      }
      this.#left = Number(length ?? 0) - (this.#received.length - end - 4)
    }
    if (this.#left <= 0) this.#answered?.()
  }
}

function toBytes({ path, headers }: Asked): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n`)
}

/**
 * Keeps this process from sleeping. On a virtual machine, whoever writes to a sleeping peer pays for waking it, which can
 * be more than the whole of an answer: a slow server would pay it for each answer, and a fast one never.
 */
function stayAwake(): () => void {
  let isOver = false
  const turn = () => {
    if (!isOver) setImmediate(turn)
  }
  turn()
  return () => {
    isOver = true
  }
}
