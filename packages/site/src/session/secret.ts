import { recall, remember } from '../page/stored.ts'

/**
 * The half of the session that the cookie is not. Every port of this host is sent the cookie and may set one; what an origin
 * stores is its own.
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
