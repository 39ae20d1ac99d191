import type { IncomingMessage } from 'node:http'
import type { Credentials } from '../../ports/access.ts'

/** The other end of the connection. */
export interface Peer {
  readonly remoteAddress?: string | undefined
  /** See the function `requestKey` below. */
  readonly requestKey?: string | undefined
}

/** What a caller is identified by: the address that it comes from, and the headers that it sends. */
export function credentialsOf(request: Request, peer: Peer | undefined): Credentials {
  return {
    remoteAddress: peer?.remoteAddress,
    method: request.method,
    header: (name) => request.headers.get(name) ?? undefined,
  }
}

/** As `credentialsOf`, for a request of which no `Request` was made. */
export function credentialsOfNode(
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

/** Headers that a request may have once. Of two, the framework's way (`restApp.ts`) says what is wrong. */
const SINGLE_HEADERS = new Set(['host', 'authorization', 'x-api-key'])
/** A request with one of these comes from another origin, or has a body: only the framework's way handles that. */
const FRAMEWORK_HEADERS = new Set(['origin', 'content-length', 'transfer-encoding', 'upgrade', 'expect'])

/**
 * The key by which `RepeatedReads` knows a GET again: its address, host and Accept header, which decide what answers it, and with
 * which input. `undefined` where something else of the request matters too.
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
    if (FRAMEWORK_HEADERS.has(name) || seen.includes(name)) return undefined
    if (SINGLE_HEADERS.has(name)) seen.push(name)
  }
  return `${url}\n${headers.host ?? ''}\n${headers.accept ?? ''}`
}
