import { type Address, type Hex, isHex } from 'viem'

/** Decided when the page is built: see build.ts. */
declare const REMIT_SERVICES: readonly [string, ...string[]]
declare const REMIT_CONTRACTS: Readonly<Record<number, Address>>

/** The services that this page may ask; the first is asked where its address names none. */
export const services = REMIT_SERVICES

/** Where the protocol lives on chains that the client does not know by itself. */
export const contracts = REMIT_CONTRACTS

/** What the page's address asks for. */
export interface Asked {
  readonly service: string
  readonly chainId: number | undefined
  readonly id: Hex | undefined
}

/**
 * Reads ?service=&chain=&subscription=. Throws a sentence where it cannot be followed: a service that the page was
 * not built for, say, to which a link might lead somebody.
 */
export function readAddress(search: string): Asked {
  const query = new URLSearchParams(search)
  const service = query.get('service') || services[0]
  const chain = query.get('chain') || undefined
  const id = query.get('subscription') || undefined
  if (!services.includes(service)) {
    throw new Error(`This page was built for ${services.join(' and ')} and does not ask ${service}.`)
  }
  if (chain !== undefined && !/^[1-9]\d{0,14}$/.test(chain)) {
    throw new Error('A chain is a number, such as 8453.')
  }
  const chainId = chain === undefined ? undefined : Number(chain)
  if (id === undefined) return { service, chainId, id }
  if (!isHex(id) || id.length !== 66) {
    throw new Error('A subscription’s id is 0x and 64 hexadecimal digits.')
  }
  return { service, chainId, id }
}

/** The page's address for one subscription. */
export function addressOf(service: string, chainId: number | string, id: string): string {
  const query = new URLSearchParams({ subscription: id, chain: String(chainId) })
  if (service !== services[0]) query.set('service', service)
  return `?${query}`
}
