import { BlockList } from 'node:net'
import type { Credentials } from '../../core/ports/access.ts'
import { type IpAddress, ownerOf, parseForwarded, parseIp } from './ipAddress.ts'

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

  /** The last address in the list that is no trusted proxy's, or else the first known proxy. */
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
