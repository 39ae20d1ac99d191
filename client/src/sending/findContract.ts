import { type Address, getAddress } from 'viem'

/** Where the protocol lives, by chain id. */
export const KNOWN_CONTRACTS: Readonly<Record<number, Address>> = {
  8453: '0xFaF5fc2f77b21BC188f492b827D366B03a07c61f',
  84532: '0x6A0791Cd884f2199dC8F372f6715f675D2950922',
}

/**
 * The protocol's contract that a chain is pinned to, or `undefined`: then only the service can say.
 * @param pinned the caller's own word, which goes before the built-in one
 */
export function findContract(
  chainId: number,
  pinned: Readonly<Record<number, Address>> = {},
): Address | undefined {
  const address = pinned[chainId] ?? KNOWN_CONTRACTS[chainId]
  return address === undefined ? undefined : getAddress(address)
}
