import { type Address, BaseError, erc20Abi, getAddress, HttpRequestError, TimeoutError } from 'viem'
import { subscriptionsAbi } from '../../../generated/abi.ts'
import { isSameHex } from '../../../request/isSameHex.ts'
import type { KeeperToken } from '../ports.ts'
import type { OwnNode } from './OwnNode.ts'

/** Facts about tokens, from the tokens and from the protocol's contract. They never change, so they are read once. */
export class TokenReads {
  readonly #node: OwnNode
  readonly #contract: Address
  readonly #tokens = new Map<string, KeeperToken>()
  /** Decimals in the contract's entries. */
  readonly #entries = new Map<string, number>()

  constructor(node: OwnNode, contract: Address) {
    this.#node = node
    this.#contract = contract
  }

  /** A token as its own contract describes it. */
  async token(address: Address): Promise<KeeperToken> {
    const key = address.toLowerCase()
    const known = this.#tokens.get(key)
    if (known !== undefined) return known
    const erc20 = { address, abi: erc20Abi } as const
    const [symbol, decimals] = await Promise.all([
      readOrNull(this.#node.readContract({ ...erc20, functionName: 'symbol' })),
      readOrNull(this.#node.readContract({ ...erc20, functionName: 'decimals' })),
    ])
    const token = { address: getAddress(address), symbol, decimals }
    if (decimals !== null) this.#tokens.set(key, token)
    return token
  }

  /** The decimals by which the contract converts a token's amounts; `null` for one that it has not approved. */
  async entryDecimals(address: Address): Promise<number | null> {
    const key = address.toLowerCase()
    const known = this.#entries.get(key)
    if (known !== undefined) return known
    const [approved, decimals] = await this.#node.readContract({
      address: this.#contract,
      abi: subscriptionsAbi,
      functionName: 'approvedERC20',
      args: [address],
    })
    // A token that is not approved reads as zeros.
    if (!isSameHex(approved, address)) return null
    this.#entries.set(key, decimals)
    return decimals
  }
}

/** `null` if the contract's answer cannot be read. Throws if the node cannot be reached. */
export async function readOrNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof BaseError) || isTransport(error)) throw error
    return null
  }
}

function isTransport(error: BaseError): boolean {
  return error.walk((cause) => cause instanceof HttpRequestError || cause instanceof TimeoutError) !== null
}
