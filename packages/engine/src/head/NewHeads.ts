import * as z from 'zod'
import type { Log } from '../ports/log.ts'
import type { NodeSocket, OpenSocket } from '../ports/nodes.ts'
import { SmallQuantity } from '../rpc/quantity.ts'
import { unref } from '../waiting/pause.ts'
import { BlockHeader } from './blockHeader.ts'

/** The pause after a lost connection: at first, and at most. It doubles each time. */
const FIRST_REST_MS = 1_000
const LONGEST_REST_MS = 60_000
/** The longest message that is taken. A header has about a thousand bytes. */
const MOST_BYTES = 256 * 1024

/** The ids of the two requests that are sent. */
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
 * and longer rests. Nothing is taken from a URL before it has named the right chain. It never throws: its user also
 * polls for the head.
 */
export class NewHeads {
  readonly #urls: readonly string[]
  readonly #chainId: number
  readonly #log: Log
  readonly #onHead: (header: BlockHeader) => void
  readonly #openSocket: OpenSocket
  #socket: NodeSocket | undefined
  #urlIndex = 0
  #failures = 0
  #retry: ReturnType<typeof setTimeout> | undefined
  #running = false
  #hasWarned = false

  constructor(options: {
    urls: readonly string[]
    chainId: number
    log: Log
    onHead: (header: BlockHeader) => void
    openSocket: OpenSocket
  }) {
    this.#urls = options.urls
    this.#chainId = options.chainId
    this.#log = options.log
    this.#onHead = options.onHead
    this.#openSocket = options.openSocket
  }

  start(): void {
    if (this.#running || this.#urls.length === 0) return
    this.#running = true
    this.#connect()
  }

  stop(): void {
    this.#running = false
    clearTimeout(this.#retry)
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
  }

  #connect(): void {
    let isRightChain = false
    const url = this.#urls[this.#urlIndex % this.#urls.length] ?? ''
    const socket = this.#openSocket(url, {
      maxBytes: MOST_BYTES,
      opened() {
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: CHAIN_ID, method: 'eth_chainId', params: [] }))
        socket.send(
          JSON.stringify({ jsonrpc: '2.0', id: SUBSCRIBE, method: 'eth_subscribe', params: ['newHeads'] }),
        )
      },
      said: (text) => {
        if (socket !== this.#socket) return
        const message = Message.safeParse(parseJson(text))
        // The node refuses, or says something that is no header.
        if (!message.success) return socket.close()
        if ('method' in message.data) {
          if (isRightChain) this.#worked(message.data.params.result)
        } else if (message.data.id === CHAIN_ID) {
          isRightChain = message.data.result === this.#chainId
          if (!isRightChain) socket.close()
        }
      },
      closed: () => {
        if (socket === this.#socket) this.#failed()
      },
    })
    this.#socket = socket
  }

  #worked(header: BlockHeader): void {
    this.#failures = 0
    if (this.#hasWarned) this.#log.info('new blocks are announced again', { chainId: this.#chainId })
    this.#hasWarned = false
    this.#onHead(header)
  }

  #failed(): void {
    this.#socket = undefined
    if (!this.#running) return
    const restMs = Math.min(FIRST_REST_MS * 2 ** this.#failures, LONGEST_REST_MS)
    this.#failures += 1
    this.#urlIndex += 1
    if (!this.#hasWarned) {
      const urls = this.#urls.length
      this.#log.warn('no WebSocket announces new blocks; they are asked for', {
        chainId: this.#chainId,
        urls,
      })
    }
    this.#hasWarned = true
    this.#retry = setTimeout(() => this.#connect(), restMs)
    unref(this.#retry)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
