/** What a browser on another origin may send and see. */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'X-API-Key',
  'X-Service-Admin-Key',
  'If-None-Match',
  'Mcp-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Last-Event-ID',
  'Traceparent',
]
const EXPOSED_HEADERS = [
  'Content-Disposition',
  'ETag',
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Block-Number',
  'X-Request-Id',
  'X-Service-Lane',
  'X-Warnings',
]
/** What Safari keeps at most. Other browsers would keep it longer. */
const PREFLIGHT_SECONDS = 600

interface Cors {
  /** Whether answers depend on the Origin header. */
  readonly isOn: boolean
  allows(origin: string): boolean
  /** Adds the CORS headers for the request's origin. Adds none where no origins are allowed. */
  decorate(request: Request, response: Response): void
}

/** The origin of a page that is served by this machine, on any port. */
const LOOPBACK_ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/

/**
 * Cross-origin requests of browsers: off unless the operator lists origins.
 * @param origins `loopback` stands for every page of this machine
 */
export function createCors(origins: readonly string[]): Cors {
  const allowed = new Set(origins)
  const allows = (origin: string) =>
    allowed.has(origin) || (allowed.has('loopback') && LOOPBACK_ORIGIN.test(origin))
  return {
    isOn: allowed.size > 0,
    allows,
    decorate(request, response) {
      if (allowed.size === 0) return
      const origin = request.headers.get('origin')
      if (origin === null || !allows(origin)) return
      // Read no earlier: a response whose `headers` were read is written more slowly by the server.
      const { headers } = response
      headers.set('Access-Control-Allow-Origin', origin)
      headers.set('Cross-Origin-Resource-Policy', 'cross-origin')
      if (request.method === 'OPTIONS') {
        headers.set('Access-Control-Allow-Methods', headers.get('Allow') ?? 'GET, POST')
        headers.set('Access-Control-Allow-Headers', REQUEST_HEADERS.join(', '))
        headers.set('Access-Control-Max-Age', String(PREFLIGHT_SECONDS))
      } else {
        headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS.join(', '))
      }
    },
  }
}
