import type { IncomingMessage } from 'node:http'
import type { Credentials } from '../../ports/access.ts'

/** The other end of the connection. */
export interface Peer {
  readonly remoteAddress?: string | undefined
  /** What the function of this name gives for the request. */
  readonly requestKey?: string | undefined
}

export function credentialsOf(request: Request, peer: Peer | undefined): Credentials {
  return {
    remoteAddress: peer?.remoteAddress,
    method: request.method,
    header: (name) => request.headers.get(name) ?? undefined,
  }
}

/** As `credentialsOf`, for a request of Node's own server. */
export function credentialsIn(
  { method = '', headers }: IncomingMessage,
  { remoteAddress }: Peer,
): Credentials {
  return {
    remoteAddress,
    method,
    header(name) {
      const value = headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
  }
}

/** Headers that a request may have once. The full path answers what is wrong with two. */
const ONCE = new Set(['host', 'authorization', 'x-api-key'])
/** A request with one of these comes from another origin, or has a body: only the full path handles that. */
const MORE = new Set(['origin', 'content-length', 'transfer-encoding', 'upgrade', 'expect'])

/**
 * The address, host and Accept header of a request, as one key. They decide which operation answers it, and with which input. `undefined`
 * where something else of the request matters too.
 */
export function requestKey({
  method,
  url = '',
  httpVersion,
  rawHeaders,
  headers,
}: IncomingMessage): string | undefined {
  if (method !== 'GET' || httpVersion !== '1.1' || !url.startsWith('/')) return undefined
  const seen: string[] = []
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const name = rawHeaders[place]?.toLowerCase() ?? ''
    if (MORE.has(name) || seen.includes(name)) return undefined
    if (ONCE.has(name)) seen.push(name)
  }
  return `${url}\n${headers.host ?? ''}\n${headers.accept ?? ''}`
}
