import { BlockList, isIPv4, isIPv6 } from 'node:net'
import type { Credentials } from '../../ports/access.ts'

/** An address in canonical form: an IPv4-mapped IPv6 address becomes IPv4. */
type IpAddress =
  | { readonly family: 'ipv4'; readonly text: string }
  | { readonly family: 'ipv6'; readonly text: string; readonly groups: readonly number[] }

/** The groups of an IPv6 /64, which one customer of a provider has for itself. */
const NETWORK_GROUPS = 4

/** Whether a text names an address or a network, such as 10.0.0.0/8. */
export function isNetwork(text: string): boolean {
  return parseNetwork(text) !== undefined
}

/** Stands for all peers without an address, such as those of a Unix socket. */
const NO_ADDRESS = 'unknown'

/**
 * Finds the address of the caller.
 *
 * Anybody can write anything into X-Forwarded-For, so only entries that a trusted proxy has added count. The list is read
 * from its end for as long as the address is that of a trusted proxy.
 */
export class ClientAddresses {
  readonly #trusted = new BlockList()
  readonly #trustsAny: boolean

  /** @param trustedProxies addresses and networks for which `isNetwork` is true */
  constructor(trustedProxies: readonly string[]) {
    for (const text of trustedProxies) {
      const network = parseNetwork(text)
      if (network === undefined) throw new RangeError('A trusted proxy is neither an address nor a network')
      this.#trusted.addSubnet(network.address.text, network.prefix, network.address.family)
    }
    this.#trustsAny = trustedProxies.length > 0
  }

  /** The owner of the caller's address: see `ownerOf`. */
  ownerOf({ remoteAddress, header }: Credentials): string {
    const peer = parseIp(remoteAddress ?? '')
    if (peer === undefined) return NO_ADDRESS
    if (!this.#trustsAny || !this.#trusts(peer)) return ownerOf(peer)
    return ownerOf(this.#beyond(peer, header('x-forwarded-for') ?? ''))
  }

  /** The last address in the list that is no trusted proxy's; without one, the farthest trusted proxy that could be read. */
  #beyond(proxy: IpAddress, forwardedFor: string): IpAddress {
    let farthest = proxy
    for (const entry of forwardedFor.split(',').reverse()) {
      const address = parseForwarded(entry.trim())
      // This entry is unreadable, so the entries before it cannot be trusted either.
      if (address === undefined) return farthest
      if (!this.#trusts(address)) return address
      farthest = address
    }
    return farthest
  }

  #trusts({ text, family }: IpAddress): boolean {
    return this.#trusted.check(text, family)
  }
}

const BITS = { ipv4: 32, ipv6: 128 } as const

function parseNetwork(text: string): { address: IpAddress; prefix: number } | undefined {
  const [, written = '', digits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const address = parseIp(written)
  if (address === undefined) return undefined
  const bits = BITS[address.family]
  // The prefix of an IPv4-mapped network counts IPv6 bits: ::ffff:10.0.0.0/104 is 10.0.0.0/8.
  const surplus = address.family === 'ipv4' && written.includes(':') ? BITS.ipv6 - BITS.ipv4 : 0
  const prefix = digits === undefined ? bits : Number(digits) - surplus
  return prefix < 0 || prefix > bits ? undefined : { address, prefix }
}

/** Reads an address as a socket or an operator writes it; `undefined` for what is none. */
export function parseIp(text: string): IpAddress | undefined {
  if (isIPv4(text)) return { family: 'ipv4', text }
  // The zone of a link-local address names an interface and is no part of the address.
  const [address = ''] = text.split('%', 1)
  if (!isIPv6(address)) return undefined
  const groups = groupsOf(address)
  const [g5 = 0, g6 = 0, g7 = 0] = groups.slice(5)
  const isMapped = g5 === 0xffff && groups.slice(0, 5).every((group) => group === 0)
  if (isMapped) return { family: 'ipv4', text: [g6 >> 8, g6 & 255, g7 >> 8, g7 & 255].join('.') }
  return { family: 'ipv6', text: groups.map((group) => group.toString(16)).join(':'), groups }
}

/** Reads one entry of X-Forwarded-For: an address, perhaps with a port as some proxies write it. */
export function parseForwarded(entry: string): IpAddress | undefined {
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(entry)?.[1]
  if (bracketed !== undefined) return isIPv4(bracketed) ? undefined : parseIp(bracketed)
  return parseIp(entry) ?? parseIp(/^([\d.]+):\d{1,5}$/.exec(entry)?.[1] ?? '')
}

/** The owner of an address: the IPv4 address itself, or the /64 of an IPv6 address, because one caller has all 2^64. */
export function ownerOf(address: IpAddress): string {
  if (address.family === 'ipv4') return address.text
  const network = address.groups.slice(0, NETWORK_GROUPS)
  return `${network.map((group) => group.toString(16)).join(':')}::/64`
}

/** The eight groups of an address that isIPv6 has accepted. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::')
  const left = readGroups(head)
  if (tail === undefined) return left
  const right = readGroups(tail)
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right]
}

function readGroups(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}
