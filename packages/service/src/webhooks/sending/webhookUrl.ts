import { isIP } from 'node:net'
import { ValidationError } from '@remit/engine/errors/input'
import { parseUrl } from '@remit/engine/schema/parseUrl'
import { type Reach, reachOf } from './addresses.ts'

/** What browsers and servers take everywhere. */
const MOST_LENGTH = 2_048

/**
 * Reads the URL of an endpoint. Throws ValidationError for one that nothing may be sent to.
 *
 * The URL parser has turned every way to write an IPv4 address (decimal, octal, hex, short) into the usual one. A name
 * is judged later, by the addresses that it has when something is sent.
 * @param allowLoopback also allows addresses of this machine, over http too: for development
 */
export function readWebhookUrl(text: string, allowLoopback: boolean): URL {
  const refuse = (why: string) => ValidationError.of('url', why)
  if (text.length > MOST_LENGTH) throw refuse(`must have ${MOST_LENGTH} characters at most`)
  const url = parseUrl(text)
  if (url === undefined) throw refuse('must be a URL')
  const reach = literalReach(url)
  const isLoopback = reach === 'loopback'
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback && allowLoopback)) {
    throw refuse('must begin with https://')
  }
  if (url.username !== '' || url.password !== '') throw refuse('must hold no user and no password')
  if (url.hash !== '') throw refuse('must have no part after #')
  if (reach === 'forbidden' || (isLoopback && !allowLoopback)) {
    throw refuse('must lead to a public address')
  }
  return url
}

/** The host without brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

export function isLocalhost(host: string): boolean {
  return /^(.+\.)?localhost\.?$/.test(host)
}

/** Where the URL leads, if that can be seen without asking for a name. */
function literalReach(url: URL): Reach | undefined {
  const host = hostOf(url)
  if (isLocalhost(host)) return 'loopback'
  return isIP(host) === 0 ? undefined : reachOf(host)
}
