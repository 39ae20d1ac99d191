import { WebSocket } from 'ws'
import * as z from 'zod'
import type { Log } from '../../core/ports/log.ts'
import { SmallQuantity } from '../rpc/quantity.ts'
import { BlockHeader } from './blockHeader.ts'

const HANDSHAKE_MS = 10_000
const PING_MS = 20_000
const FIRST_REST_MS = 1_000
const LONGEST_REST_MS = 60_000
/** A header has about a thousand bytes. */
const MOST_BYTES = 256 * 1024

const CHAIN_ID = 1
const SUBSCRIBE = 2

/** An id may come back as a text. */
const idOf = (id: number) => z.union([z.literal(id), z.literal(String(id)).transform(() => id)])
const Message = z.union([
  z.object({ method: z.literal('eth_subscription'), params: z.object({ result: BlockHeader }) }),
  z.object({ id: idOf(CHAIN_ID), result: SmallQuantity }),
  z.object({ id: idOf(SUBSCRIBE), result: z.string() }),
])

/**
 * Listens to new blocks over WebSocket, at the first URL that announces them. Connects again after a loss, with longer
 * and longer rests. Nothing is taken from a URL before it has named the right chain. It never throws: whoever uses this
 * asks for the head as well, where nothing comes.
 */
export class NewHeads {
  readonly #urls: readonly string[]
  readonly #chainId: number
  readonly #log: Log
  readonly #onHead: (header: BlockHeader) => void
  #socket: WebSocket | undefined
  #place = 0
  #failures = 0
  #retry: NodeJS.Timeout | undefined
  #running = false
  #told = false

  constructor(options: {
    urls: readonly string[]
    chainId: number
    log: Log
    onHead: (header: BlockHeader) => void
  }) {
    this.#urls = options.urls
    this.#chainId = options.chainId
    this.#log = options.log
    this.#onHead = options.onHead
  }

  start(): void {
    if (this.#running || this.#urls.length === 0) return
    this.#running = true
    this.#connect()
  }

  stop(): void {
    this.#running = false
    clearTimeout(this.#retry)
    this.#socket?.terminate()
    this.#socket = undefined
  }

  #connect(): void {
    const socket = new WebSocket(this.#urls[this.#place % this.#urls.length] ?? '', {
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: MOST_BYTES,
    })
    this.#socket = socket
    let isOurs = false
    let isAlive = true
    const ping = setInterval(() => {
      if (!isAlive) return socket.terminate()
      isAlive = false
      if (socket.readyState === WebSocket.OPEN) socket.ping()
    }, PING_MS)
    ping.unref()
    socket.on('pong', () => {
      isAlive = true
    })
    socket.on('open', () => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: CHAIN_ID, method: 'eth_chainId', params: [] }))
      socket.send(
        JSON.stringify({ jsonrpc: '2.0', id: SUBSCRIBE, method: 'eth_subscribe', params: ['newHeads'] }),
      )
    })
    socket.on('message', (data) => {
      isAlive = true
      if (socket !== this.#socket) return
      const message = Message.safeParse(parseJson(String(data)))
      // A refusal, or something that is no header.
      if (!message.success) return socket.terminate()
      if ('method' in message.data) {
        if (isOurs) this.#worked(message.data.params.result)
      } else if (message.data.id === CHAIN_ID) {
        isOurs = message.data.result === this.#chainId
        if (!isOurs) socket.terminate()
      }
    })
    // Its text may quote the URL. The close that follows is what counts.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(ping)
      if (socket === this.#socket) this.#failed()
    })
  }

  #worked(header: BlockHeader): void {
    this.#failures = 0
    if (this.#told) this.#log.info('new blocks are announced again', { chainId: this.#chainId })
    this.#told = false
    this.#onHead(header)
  }

  #failed(): void {
    this.#socket = undefined
    if (!this.#running) return
    const restMs = Math.min(FIRST_REST_MS * 2 ** this.#failures, LONGEST_REST_MS)
    this.#failures += 1
    this.#place += 1
    if (!this.#told) {
      const urls = this.#urls.length
      this.#log.warn('no WebSocket announces new blocks; they are asked for', {
        chainId: this.#chainId,
        urls,
      })
    }
    this.#told = true
    this.#retry = setTimeout(() => this.#connect(), restMs)
    this.#retry.unref()
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
