import type { KeyObject } from 'node:crypto'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, isIPv4 } from 'node:net'
import { Deadline } from '@remit/engine/waiting/Deadline'
import { untilAborted } from '@remit/engine/waiting/untilAborted'
import type { DeliveryFailure } from '../../ports/webhooks.ts'
import { signedHeaders } from '../signing/signatures.ts'
import { DnsCache, hostOf, type Resolve, reachOf } from './addresses.ts'

/** Why no answer came. `stopped`: the caller's signal was aborted, which is not held against the endpoint. */
type Failure = DeliveryFailure | 'stopped'

/** What came of one request to an endpoint. */
export type Outcome =
  | {
      readonly status: number
      /** The beginning of the answer, as text. */
      readonly answer: string
      /** What the header Retry-After asks for. */
      readonly retryAfterSeconds?: number
      readonly durationMs: number
    }
  | {
      readonly failure: Failure
      /** A code such as ECONNREFUSED. */
      readonly detail?: string
      readonly durationMs: number
    }

/** Whether the endpoint answered with a status of 200 to 299. */
export function isDelivered(outcome: Outcome): boolean {
  return 'status' in outcome && outcome.status >= 200 && outcome.status < 300
}

export interface SenderOptions {
  readonly allowLoopback: boolean
  readonly userAgent?: string
  /** How long a request may take, from the look-up of the name to the last byte of the answer. */
  readonly timeoutMs?: number
  /** Tests replace it. */
  readonly resolve?: Resolve
  /** Certificates (PEM) to trust instead of the usual ones. */
  readonly ca?: string
}

interface Sending {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Its abort ends the request with the failure `stopped`. */
  readonly signal?: AbortSignal
}

interface SignedSending extends Omit<Sending, 'headers'> {
  /** The id of the message, the same for each attempt. */
  readonly id: string
  readonly secrets: readonly string[]
  readonly key: KeyObject
}

/** What a receiver may take for its answer. It should note the event and do its work afterwards. */
const TIMEOUT_MS = 15_000
/** Idle connections are closed after this time. */
const IDLE_MS = 4_000
/** The most idle connections that are kept. Beyond them, connections are closed after their answer. */
const MOST_IDLE = 512
/** So many of them to one host: a service that receives for many customers has one host for all. */
const MOST_IDLE_OF_HOST = 64

const KEEPING = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: MOST_IDLE_OF_HOST } as const

/**
 * Posts to the URLs of webhooks, which strangers chose: nothing may reach addresses of this machine's network.
 *
 * A name is resolved once, all its addresses are judged, and the connection goes to one of exactly these: nothing is
 * resolved again between the check and the connection. One forbidden address forbids the name. No redirect is followed,
 * and no proxy of the environment is used.
 */
export class Sender {
  readonly #dnsCache: DnsCache
  readonly #allowLoopback: boolean
  readonly #userAgent: string
  readonly #timeoutMs: number
  readonly #ca: string | undefined
  readonly #keeping = {
    http: new HttpAgent(KEEPING),
    https: new HttpsAgent(KEEPING),
  }
  readonly #closing = { http: new HttpAgent(), https: new HttpsAgent() }

  constructor({ allowLoopback, userAgent = 'Remit', timeoutMs = TIMEOUT_MS, resolve, ca }: SenderOptions) {
    this.#userAgent = userAgent
    this.#dnsCache = new DnsCache(resolve)
    this.#allowLoopback = allowLoopback
    this.#timeoutMs = timeoutMs
    this.#ca = ca
  }

  /** Posts a message to an endpoint, signed now by each secret and by `key`. Never rejects: whatever goes wrong is an outcome. */
  postSigned({ url, id, body, secrets, key, signal }: SignedSending): Promise<Outcome> {
    const timestamp = Math.floor(Date.now() / 1_000)
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': this.#userAgent,
      ...signedHeaders({ id, timestamp, body }, secrets, key),
    }
    return this.post({ url, headers, body, ...(signal && { signal }) })
  }

  /** Posts the body, in `timeoutMs` at most. Never rejects: whatever goes wrong is an outcome. */
  async post(sending: Sending): Promise<Outcome> {
    const began = performance.now()
    const deadline = new Deadline(this.#timeoutMs, sending.signal)
    // Waits for the deadline too: after some ways in which a connection ends, Node never tells the request.
    const result = await untilAborted(deadline.signal, this.#resolveAndPost(deadline.signal, sending)).catch(
      (error: unknown) => (deadline.signal.aborted ? failed(deadline.isOver ? 'timeout' : 'stopped') : error),
    )
    deadline.drop()
    const durationMs = Math.round(performance.now() - began)
    if (isResult(result)) return { ...result, durationMs }
    return { ...failed('connection', codeOf(result)), durationMs }
  }

  close(): void {
    for (const agents of [this.#keeping, this.#closing]) {
      agents.http.destroy()
      agents.https.destroy()
    }
  }

  /** Finds and judges the addresses, and posts to one of them. */
  async #resolveAndPost(signal: AbortSignal, sending: Sending): Promise<Result> {
    if (signal.aborted) throw signal.reason
    const host = hostOf(sending.url)
    const addresses = await untilAborted(signal, this.#dnsCache.addressesOf(host)).catch((error: unknown) => {
      if (signal.aborted) throw error
      return failed('name', codeOf(error))
    })
    if ('failure' in addresses) return addresses
    if (!addresses.every((address) => this.#isAllowed(address, sending.url))) {
      return failed('forbidden_address')
    }
    // IPv4 where there is both: many machines have no route for IPv6.
    const usable = addresses.some(isIPv4) ? addresses.filter(isIPv4) : addresses
    const address = usable[Math.floor(Math.random() * usable.length)]
    if (address === undefined) return failed('name', 'ENODATA')
    return this.#exchange(address, sending, signal, true)
  }

  #isAllowed(address: string, { protocol }: URL): boolean {
    const reach = reachOf(address)
    if (reach === 'loopback') return this.#allowLoopback
    return reach === 'public' && protocol === 'https:'
  }

  /** Posts to this very address. @param keep whether the connection may be one that is open already, and stay open */
  async #exchange(address: string, sending: Sending, signal: AbortSignal, keep: boolean): Promise<Result> {
    const { url, headers, body } = sending
    const isSecure = url.protocol === 'https:'
    const kind = isSecure ? 'https' : 'http'
    const host = hostOf(url)
    const keeping = this.#keeping[kind]
    const options = {
      // The address itself: the name is only said to the server, in SNI and Host, and found in its certificate.
      host: address,
      port: url.port === '' ? (isSecure ? 443 : 80) : url.port,
      ...(isSecure ? { servername: isIP(host) === 0 ? host : '', ...(this.#ca && { ca: this.#ca }) } : {}),
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, Host: url.host, 'Content-Length': Buffer.byteLength(body) },
      signal,
    }
    const hasIdle = keeping.freeSockets[keeping.getName(options)] !== undefined
    const agent = keep && (hasIdle || idleOf(keeping) < MOST_IDLE) ? keeping : this.#closing[kind]
    const request = (isSecure ? httpsRequest : httpRequest)({ ...options, agent })
    try {
      return await new Promise<Result>((resolve, reject) => {
        request.on('response', (response) => resolve(readAnswer(response)))
        // An upgrade that nobody asked for. Without a listener Node closes the connection and says nothing.
        request.on('upgrade', ({ statusCode = 101 }, socket) => {
          socket.destroy()
          resolve({ status: statusCode, answer: '' })
        })
        request.on('error', reject)
        request.end(body)
      })
    } catch (error) {
      // The server closed an idle connection while this request was on its way, most likely unread: it is sent once more, on a new
      // connection. If it was read, the receiver gets it twice with one id, as after any answer that got lost.
      const wasClosed = request.reusedSocket && codeOf(error) === 'ECONNRESET' && !signal.aborted
      if (wasClosed && keep) return this.#exchange(address, sending, signal, false)
      throw error
    } finally {
      request.destroy()
    }
  }
}

/** An outcome without its duration. */
type Result = Outcome extends infer One ? (One extends Outcome ? Omit<One, 'durationMs'> : never) : never

function idleOf({ freeSockets }: HttpAgent): number {
  let idle = 0
  for (const host in freeSockets) idle += freeSockets[host]?.length ?? 0
  return idle
}

function failed(failure: Failure, detail?: string): Extract<Result, { failure: Failure }> {
  return { failure, ...(detail === undefined ? {} : { detail }) }
}

function isResult(value: unknown): value is Result {
  return typeof value === 'object' && value !== null && ('status' in value || 'failure' in value)
}

/** Codes of Node, OpenSSL and resolvers. Messages may say more than is anybody's business. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'UNKNOWN'
  return 'code' in error && typeof error.code === 'string' ? error.code.slice(0, 60) : 'UNKNOWN'
}

/** So much of an answer's beginning is kept. */
const KEPT_BYTES = 1_024
/** An answer that is longer is read no further: its status has said all. */
const MOST_BYTES = 16_384

/**
 * Reads an answer to its end, or to MOST_BYTES. Rejects where the connection closes before that, or the request's signal is aborted.
 */
async function readAnswer(response: IncomingMessage) {
  const kept: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    const part = Buffer.from(chunk)
    if (bytes < KEPT_BYTES) kept.push(part.subarray(0, KEPT_BYTES - bytes))
    bytes += part.length
    if (bytes > MOST_BYTES) break
  }
  const retryAfterSeconds = readRetryAfter(response.headers['retry-after'])
  return {
    status: response.statusCode ?? 0,
    answer: textOf(Buffer.concat(kept)),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
}

/** The seconds that the header gives, or those until the date that it gives (RFC 9110); `undefined` where it is neither. */
function readRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1_000))
}

/** Control characters go: strangers wrote it, and databases refuse NUL. */
function textOf(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/[\p{Cc}\p{Cf}]/gu, (character) => (character === '\n' ? '\n' : ' '))
}
