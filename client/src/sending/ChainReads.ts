import { type Address, erc20Abi, getAddress, type Hex } from 'viem'
import { getBlock, getChainId, readContract } from 'viem/actions'
import { subscriptionsAbi } from '../generated/abi.ts'
import { ChainReadError, UnsafeTransactionError, WrongChainError } from './errors.ts'
import type { Reader } from './Wallet.ts'

/** A subscription as the contract has it. `amount` is in protocol units of 18 decimals, whatever the token has. */
export interface ChainTerms {
  readonly id: Hex
  readonly amount: bigint
  readonly provider: Address
  readonly token: Address
  readonly cancelled: boolean
  readonly frequency: number
  readonly dueDay: number
}

const PROTOCOL_DECIMALS = 18
const ACTIVE = 0

/**
 * What the check reads for itself: by the wallet's own node and from the contract, never from the service.
 * Whatever cannot be read is a ChainReadError.
 */
export class ChainReads {
  readonly #reader: Reader
  readonly #contract: Address

  constructor(reader: Reader, contract: Address) {
    this.#reader = reader
    this.#contract = contract
  }

  /** Throws WrongChainError where the reading goes elsewhere than the signing. */
  async assertChain(chainId: number): Promise<void> {
    const actual = await ask('The chain id', () => getChainId(this.#reader))
    if (actual !== chainId) throw new WrongChainError(chainId, actual)
  }

  /** Unix time of the latest block. */
  async timestamp(): Promise<number> {
    const block = await ask('The latest block', () => getBlock(this.#reader, { blockTag: 'latest' }))
    return Number(block.timestamp)
  }

  /** Throws UnsafeTransactionError where the contract knows no such subscription. */
  async terms(id: Hex): Promise<ChainTerms> {
    const [known, amount, provider, token, cancelled, frequency, dueDay] = await ask(
      `The terms of ${id}`,
      () =>
        readContract(this.#reader, {
          address: this.#contract,
          abi: subscriptionsAbi,
          functionName: 'idSubMap',
          args: [id],
        }),
    )
    // An id that the contract does not know reads as zeros.
    if (known.toLowerCase() !== id.toLowerCase()) {
      throw new UnsafeTransactionError(`the contract ${this.#contract} knows no subscription ${id}`)
    }
    return { id: known, amount, provider, token, cancelled, frequency, dueDay }
  }

  /** The decimals that the contract converts a token's amounts by, which need not be the token's own. */
  async decimals(token: Address): Promise<number> {
    const [approved, decimals] = await ask(`The contract's entry for the token ${token}`, () =>
      readContract(this.#reader, {
        address: this.#contract,
        abi: subscriptionsAbi,
        functionName: 'approvedERC20',
        args: [token],
      }),
    )
    if (approved !== getAddress(token)) {
      throw new UnsafeTransactionError(`the contract ${this.#contract} has not approved the token ${token}`)
    }
    return decimals
  }

  /** What the contract may take of an account, in the token's smallest unit. */
  allowance(token: Address, owner: Address): Promise<bigint> {
    return ask(`The allowance of ${token}`, () =>
      readContract(this.#reader, {
        address: token,
        abi: erc20Abi,
        functionName: 'allowance',
        args: [owner, this.#contract],
      }),
    )
  }

  /** What remit charges an account for. */
  async subscribed(account: Address): Promise<ChainTerms[]> {
    const rows = await ask(`The subscriptions of ${account}`, () =>
      readContract(this.#reader, {
        address: this.#contract,
        abi: subscriptionsAbi,
        functionName: 'getAccountSubscriptions',
        args: [true, account],
      }),
    )
    return rows
      .filter(({ status, subscription }) => status === ACTIVE && !subscription.cancelled)
      .map(({ subscription }) => subscription)
  }
}

/** Protocol units in the token's smallest unit, as the contract converts them. */
export function toRaw(amount: bigint, decimals: number): bigint {
  const unit = 10n ** BigInt(Math.abs(PROTOCOL_DECIMALS - decimals))
  return decimals < PROTOCOL_DECIMALS ? amount / unit : amount * unit
}

async function ask<Answer>(what: string, read: () => Promise<Answer>): Promise<Answer> {
  try {
    return await read()
  } catch (cause) {
    throw new ChainReadError(what, cause)
  }
}
