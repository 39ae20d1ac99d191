import type { IncomingMessage } from 'node:http'
import type { Credentials } from '../../core/ports/access.ts'

/** The other end of the connection. */
export interface Peer {
  readonly remoteAddress?: string | undefined
  /** What the function of this name gives for the request. */
  readonly requestKey?: string | undefined
}

/** What a request says about its caller. */
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
