import { recall, remember } from '../page/stored.ts'

/**
 * The second half of a session; the first is a cookie. A cookie is sent to all ports of a host, and each may set it; what
 * an origin stores is its own. `page/api.ts` sends this half as a header.
 */
const KEY = 'remit-session'

/** For windows in which nothing is stored. */
let kept: string | undefined

export function sessionSecret(): string | undefined {
  return recall(KEY) ?? kept
}

/** @param secret `undefined` forgets it */
export function keepSecret(secret: string | undefined): void {
  kept = secret
  remember(KEY, secret)
}
