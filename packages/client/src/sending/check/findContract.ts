import { type Address, getAddress, isAddress, zeroAddress } from 'viem'
import { UnknownContractError } from '../errors.ts'
import { assertAnswersFor } from './assertAsShown.ts'
import type { Sender } from './prepareHere.ts'

/** Where the protocol's contract is on Base and Base Sepolia, by chain id. */
export const KNOWN_CONTRACTS: Readonly<Record<number, Address>> = {
  8453: '0xFaF5fc2f77b21BC188f492b827D366B03a07c61f',
  84532: '0x6A0791Cd884f2199dC8F372f6715f675D2950922',
}

/** What is trusted to say where the protocol's contract is. */
export interface ContractOptions {
  /**
   * Where the protocol's contract is, by chain id. Base and Base Sepolia are built in. On any other chain nothing is signed without this.
   *
   * @example
   * // The development chain of `npm start`, whose contract has the same address on every machine.
   * createClient({
   *   url: 'http://127.0.0.1:3000',
   *   contracts: { 31337: '0x5FbDB2315678afecb367f032d93F642f64180aa3' },
   * })
   */
  readonly contracts?: Readonly<Record<number, Address>> | undefined
  /**
   * On a chain whose contract is not known, `true` takes the one that the service names. Wallets then approve tokens
   * to that contract and call it: whoever runs the service, or is between it and you, can take what they hold. Only
   * for a service of your own, on a chain where nothing is of value.
   *
   * @example
   * createClient({ url: 'http://127.0.0.1:3000', trustServiceForContracts: true })
   */
  readonly trustServiceForContracts?: boolean | undefined
}

/** Checks the contracts that a caller pins, by chain id. Throws TypeError for an address that cannot be a contract's. */
export function requireContracts(contracts: Readonly<Record<number, Address>> = {}): void {
  for (const [chainId, address] of Object.entries(contracts)) {
    if (!/^[1-9]\d*$/.test(chainId)) throw new TypeError(`contracts has ${chainId}, which is not a chain id`)
    if (!isAddress(address) || address === zeroAddress) {
      throw new TypeError(`contracts[${chainId}] is not the address of a contract, or its checksum is wrong`)
    }
  }
}

/**
 * The protocol's contract on a chain, or `undefined` where it is not known here.
 * @param pinned the caller's own addresses, which go before the built-in ones
 */
export function findContract(
  chainId: number,
  pinned: Readonly<Record<number, Address>> = {},
): Address | undefined {
  const address = pinned[chainId] ?? KNOWN_CONTRACTS[chainId]
  return address === undefined ? undefined : getAddress(address)
}

/**
 * The contract to sign for: the pinned one. The service's word counts only where the caller set
 * `trustServiceForContracts`. Throws UnknownContractError.
 */
export async function contractFor(
  {
    api,
    contracts,
    trustServiceForContracts,
  }: Pick<Sender, 'api' | 'contracts' | 'trustServiceForContracts'>,
  chainId: number,
): Promise<Address> {
  const pinned = findContract(chainId, contracts)
  if (pinned !== undefined) return pinned
  if (trustServiceForContracts !== true) throw new UnknownContractError(chainId)
  return assertAnswersFor(await api.getProtocolState({ chainId }), chainId).contractAddress
}
