import { BlockList, isIP, isIPv4 } from 'node:net'

/** Where an address leads. Nothing is ever sent to a `forbidden` one. */
export type Reach = 'public' | 'loopback' | 'forbidden'

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

/** Within 2000::/3, which is all of IPv6 that is routed in public. */
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

/** BlockList holds an IPv4-mapped address against the rules of IPv4 too, so it would pass as public or as loopback. */
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
