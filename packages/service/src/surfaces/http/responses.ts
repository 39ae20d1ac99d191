import { randomUUID } from 'node:crypto'
import { toRemitError, toWire } from '@remit/engine/errors/toWire'
import { withoutUrls } from '@remit/engine/network/urlSecrets'
import type { Log } from '@remit/engine/ports/log'
import type { Caller } from '../../calls/pipeline.ts'
import { currentTrace } from '../../calls/RequestTrace.ts'
import type { Quota } from '../../errors/access.ts'

/** Security headers of every response, as OWASP lists them for APIs. */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy':
    'accelerometer=(), camera=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), payment=(), usb=()',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

/** Answers differ by lane (the free one, or that of developers), and the lane follows from the credentials. */
const VARY = 'Accept, Authorization, X-API-Key'
/** Also for an origin that is not allowed: a cache must not serve its answer to an allowed one. */
const CORS_VARY = `${VARY}, Origin`

const HSTS_SECONDS = 31_536_000

/** What proxies log where the caller disconnected before its answer. Nobody reads it. */
const CLIENT_CLOSED_REQUEST = 499

interface ResponsesOptions {
  readonly log: Log
  /** Whether the public address is https. Only then HSTS is sent. */
  readonly https: boolean
  /** Whether pages of other origins may be allowed to read answers. */
  readonly cors: boolean
}

/** The caller that gets a response. Before it is identified, only the request id is known. */
export type Recipient = Pick<Caller, 'requestId'> &
  Partial<Pick<Caller, 'identity' | 'signal' | 'requestQuotas'>>

export function unknownRecipient(): Recipient {
  return { requestId: currentTrace()?.requestId ?? randomUUID() }
}

/** Makes what all surfaces have in common: the headers of every response, and the responses of errors, with their log lines. */
export function createResponses({ log, https, cors }: ResponsesOptions) {
  const fixedHeaders = Object.entries({
    ...SECURITY_HEADERS,
    ...(https ? { 'Strict-Transport-Security': `max-age=${HSTS_SECONDS}; includeSubDomains` } : {}),
    Vary: cors ? CORS_VARY : VARY,
  }).flat()

  function headersFor(recipient: Recipient): Record<string, string> {
    return headerRecord(headerListFor(recipient))
  }

  /** The headers of `headersFor` as a flat list: name, value, name, value. Node's server writes that in half the time. */
  function headerListFor({ requestId, identity, requestQuotas }: Recipient): string[] {
    return [
      ...fixedHeaders,
      'X-Request-Id',
      requestId,
      'X-Service-Lane',
      identity?.lane ?? 'free',
      ...rateLimitHeaders(requestQuotas?.quotas ?? []),
    ]
  }

  /**
   * The error response for anything thrown. Its cause goes only to the log.
   *
   * After the caller has left, a failure says nothing about the service: it is a 499, which only the log and the metrics see.
   */
  function refuse(thrown: unknown, recipient: Recipient): Response {
    const error = toRemitError(thrown)
    if (error.status >= 500 && recipient.signal?.aborted) {
      return new Response(null, { status: CLIENT_CLOSED_REQUEST, headers: headersFor(recipient) })
    }
    const { status, headers, body } = toWire(error, recipient.requestId)
    report(thrown, recipient)
    return new Response(JSON.stringify(body), {
      status,
      headers: {
        ...headersFor(recipient),
        'Content-Type': 'application/json',
        'Cache-Control': 'no-store',
        ...headers,
      },
    })
  }

  /** Notes an error in the request's trace, and logs it if it is a failure of the service or of an upstream. */
  function report(thrown: unknown, recipient: Recipient): void {
    const error = toRemitError(thrown)
    currentTrace()?.failed(error)
    // 503 is left out: the operator knows these states, and callers could fill the log with them.
    const isFailure = error.status === 500 || error.status === 502 || error.status === 504
    if (!isFailure || recipient.signal?.aborted) return
    const facts = { requestId: recipient.requestId, code: error.code, cause: describeCause(error.cause) }
    if (error.status === 500) log.error(error.message, facts)
    else log.warn(error.message, facts)
  }

  return { headersFor, headerListFor, refuse, report }
}

export type Responses = ReturnType<typeof createResponses>

/** An object of headers from the list name, value, name, value. Of two with one name, the later one counts. */
export function headerRecord(list: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let place = 0; place < list.length; place += 2) headers[list[place] ?? ''] = list[place + 1] ?? ''
  return headers
}

/** RateLimit-Policy and RateLimit, with one member for each limit that the request took from. */
function rateLimitHeaders(quotas: readonly Quota[]): string[] {
  if (quotas.length === 0) return []
  return [
    'RateLimit-Policy',
    quotas.map((quota) => `"${quota.name}";q=${quota.limit};w=${quota.windowSeconds}`).join(', '),
    'RateLimit',
    quotas.map((quota) => `"${quota.name}";r=${quota.remaining};t=${quota.resetSeconds}`).join(', '),
  ]
}

/** What a log line may take of an error: a stack and some causes. A node's message may be a megabyte. */
const MOST_CHARACTERS = 4000
const MOST_CAUSES = 4

/** An error and its causes as text for the log. URLs are taken out, because they may hold keys. */
export function describeCause(cause: unknown): string | undefined {
  if (cause === undefined) return undefined
  const parts: string[] = []
  for (let next: unknown = cause; next !== undefined && parts.length < MOST_CAUSES; ) {
    parts.push(next instanceof Error ? (next.stack ?? `${next.name}: ${next.message}`) : String(next))
    next = next instanceof Error ? next.cause : undefined
  }
  return withoutUrls(parts.join('\nCaused by: ')).slice(0, MOST_CHARACTERS)
}
