import { BlockList } from 'node:net'
import type { Credentials } from '../../core/ports/access.ts'
import { type IpAddress, ownerOf, parseForwarded, parseIp } from './ipAddress.ts'

/** Whether a text names an address or a network, such as 10.0.0.0/8. */
export function isNetwork(text: string): boolean {
  return parseNetwork(text) !== undefined
}

/** What peers without an address, such as those of a Unix socket, share. */
const NO_ADDRESS = 'unknown'

/**
 * Tells where requests come from.
 *
 * Anybody can write anything into X-Forwarded-For, so an entry counts only where a trusted proxy has added it:
 * the list is walked from its end for as long as the address before was a trusted one.
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

  /** Who a request comes from, as far as its address tells: see `ownerOf`. */
  ownerOf({ remoteAddress, header }: Credentials): string {
    const peer = parseIp(remoteAddress ?? '')
    if (peer === undefined) return NO_ADDRESS
    if (!this.#trustsAny || !this.#trusts(peer)) return ownerOf(peer)
    return ownerOf(this.#beyond(peer, header('x-forwarded-for') ?? ''))
  }

  /** The nearest address that is no trusted proxy's, or else the farthest proxy that is known. */
  #beyond(proxy: IpAddress, forwardedFor: string): IpAddress {
    let farthest = proxy
    for (const entry of forwardedFor.split(',').reverse()) {
      const address = parseForwarded(entry.trim())
      // What the proxy wrote cannot be read; what stands before it is hearsay.
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
  // A mapped network is counted in IPv6's bits: ::ffff:10.0.0.0/104 is 10.0.0.0/8.
  const surplus = address.family === 'ipv4' && written.includes(':') ? BITS.ipv6 - BITS.ipv4 : 0
  const prefix = digits === undefined ? bits : Number(digits) - surplus
  return prefix < 0 || prefix > bits ? undefined : { address, prefix }
}
