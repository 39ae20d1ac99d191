import { Resolver } from 'node:dns/promises'
import { BlockList, isIP, isIPv4 } from 'node:net'
import { ValidationError } from '@remit/engine/errors/input'
import { parseUrl } from '@remit/engine/schema/text'
import { LRUCache } from 'lru-cache'

// Where webhooks may be sent to: which URLs are accepted, what an IP address leads to, and how names are resolved.

/** The length of a URL that browsers and servers take everywhere. */
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

function isLocalhost(host: string): boolean {
  return /^(.+\.)?localhost\.?$/.test(host)
}

/** Where the URL leads, if that can be seen without resolving a name; `undefined` for other names. */
function literalReach(url: URL): Reach | undefined {
  const host = hostOf(url)
  if (isLocalhost(host)) return 'loopback'
  return isIP(host) === 0 ? undefined : reachOf(host)
}

/** Where an address leads. Nothing is ever sent to a `forbidden` one. */
type Reach = 'public' | 'loopback' | 'forbidden'

const FORBIDDEN_IPV4: readonly (readonly [network: string, bits: number])[] = [
  ['0.0.0.0', 8], // this network, unspecified
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // behind a carrier's NAT, and metadata at Alibaba
  ['169.254.0.0', 16], // link-local, and metadata almost everywhere
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments, and metadata at Oracle
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays of 6to4
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['168.63.129.16', 32], // Azure answers its machines here, at a public address
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
]

/** The exceptions within 2000::/3, which is all of IPv6 that is routed in public (`globalUnicast`). */
const FORBIDDEN_IPV6: readonly (readonly [network: string, bits: number])[] = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarks, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4 carries any IPv4 address
  ['3fff::', 20], // documentation
]

const forbidden = new BlockList()
for (const [network, bits] of FORBIDDEN_IPV4) forbidden.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of FORBIDDEN_IPV6) forbidden.addSubnet(network, bits, 'ipv6')

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** `BlockList.check` applies the rules for IPv4 to an IPv4-mapped address too: without this, one could pass as public or as loopback. */
const mapped = new BlockList()
mapped.addSubnet('::ffff:0:0', 96, 'ipv6')

const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

/**
 * Says where an address leads.
 *
 * Of IPv6, only what is known to be public is allowed: IPv4-mapped addresses, NAT64, unique local and link-local ones,
 * zones and all that is not assigned yet are forbidden, whatever they lead to.
 * @param address as a resolver or the URL parser writes it, without brackets
 */
export function reachOf(address: string): Reach {
  if (isIP(address) === 0) return 'forbidden'
  const family = isIPv4(address) ? 'ipv4' : 'ipv6'
  if (family === 'ipv6' && (address.includes('%') || mapped.check(address, 'ipv6'))) return 'forbidden'
  if (loopback.check(address, family)) return 'loopback'
  if (family === 'ipv6' && !globalUnicast.check(address, 'ipv6')) return 'forbidden'
  return forbidden.check(address, family) ? 'forbidden' : 'public'
}

/** Finds all addresses of a name. Rejects where it has none, or where nobody can tell. */
export type Resolve = (name: string) => Promise<readonly string[]>

const RESOLVE_TIMEOUT_MS = 2_000
const RESOLVE_TRIES = 2
const MOST_NAMES = 10_000
/** So long a name's addresses are kept: an endpoint that moves is found within this time. */
const KEPT_MS = 10_000

/** Resolves names, and keeps what was found for some seconds. Running look-ups of one name are shared. */
export class DnsCache {
  readonly #resolve: Resolve
  readonly #kept = new LRUCache<string, Promise<readonly string[]>>({ max: MOST_NAMES, ttl: KEPT_MS })

  constructor(resolve: Resolve = resolveByDns()) {
    this.#resolve = resolve
  }

  /** The addresses of a name; of an address, itself. */
  async addressesOf(host: string): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host]
    if (isLocalhost(host)) return ['127.0.0.1']
    const known = this.#kept.get(host)
    if (known !== undefined) return known
    const asked = this.#resolve(host)
    this.#kept.set(host, asked)
    asked.catch(() => {
      if (this.#kept.peek(host) === asked) this.#kept.delete(host)
    })
    return asked
  }
}

/** Without `dns.lookup`, which waits in a pool of four threads: one slow name server there would hold up all endpoints. */
function resolveByDns(): Resolve {
  const resolver = new Resolver({ timeout: RESOLVE_TIMEOUT_MS, tries: RESOLVE_TRIES })
  return async (name) => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found
    throw answers.find((answer) => answer.status === 'rejected')?.reason
  }
}
