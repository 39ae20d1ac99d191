import type { Credentials } from '../../core/ports/access.ts'

/** The other end of the connection. */
export interface Peer {
  readonly remoteAddress?: string | undefined
}

/** What a request says about its caller. */
export function credentialsOf(request: Request, peer: Peer | undefined): Credentials {
  return {
    remoteAddress: peer?.remoteAddress,
    header: (name) => request.headers.get(name) ?? undefined,
  }
}
