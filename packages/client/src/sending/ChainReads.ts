/**
 * What is read at the wallet's own node before something is signed: the contract and its tokens (`ChainReads`), and a subscription as it is
 * compared with what a caller agreed to (`readSubscription`).
 */

import { toRaw } from '@remit/protocol/amounts'
import { ACCOUNT_STATUS_NUMBERS, isFrequency, type SubscriptionTerms } from '@remit/protocol/subscription'
import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  formatUnits,
  getAddress,
  type Hex,
  isAddressEqual,
  numberToHex,
  parseUnits,
} from 'viem'
import { getBlock, getChainId } from 'viem/actions'
import { subscriptionsAbi } from '../generated/abi.ts'
import type { Quantity } from '../generated/api.ts'
import {
  ChainReadError,
  TermsDifferError,
  type TermsDifference,
  UnsafeTransactionError,
  WrongChainError,
} from './errors.ts'
import type { Reader } from './wallet/Wallet.ts'

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

/** The latest block. */
export interface ChainHead {
  readonly blockNumber: number
  /** Unix seconds. */
  readonly timestamp: number
}

/** Reads the contract and the tokens by the wallet's own node, never by the service. A read that fails throws ChainReadError. */
export class ChainReads {
  readonly #reader: Reader
  readonly #contract: Address

  constructor(reader: Reader, contract: Address) {
    this.#reader = reader
    this.#contract = contract
  }

  /** Throws WrongChainError where the node that reads is on another chain than the wallet that signs. */
  async assertChain(chainId: number): Promise<void> {
    const actual = await ask('The chain id', () => getChainId(this.#reader))
    if (actual !== chainId) throw new WrongChainError(chainId, actual)
  }

  async head(): Promise<ChainHead> {
    const { number, timestamp } = await ask('The latest block', () =>
      getBlock(this.#reader, { blockTag: 'latest' }),
    )
    return { blockNumber: Number(number), timestamp: Number(timestamp) }
  }

  /** Throws UnsafeTransactionError where the contract knows no such subscription. */
  async terms(id: Hex): Promise<ChainTerms> {
    const [known, amount, provider, token, cancelled, frequency, dueDay] = await ask(
      `The terms of ${id}`,
      () => this.#view('idSubMap', [id]),
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
      this.#view('approvedERC20', [token]),
    )
    if (approved !== getAddress(token)) {
      throw new UnsafeTransactionError(`the contract ${this.#contract} has not approved the token ${token}`)
    }
    return decimals
  }

  /** What the contract may take of an account, in the token's smallest unit. */
  allowance(token: Address, owner: Address): Promise<bigint> {
    const allowance = { abi: erc20Abi, functionName: 'allowance' } as const
    return ask(`The allowance of ${token}`, async () => {
      const data = encodeFunctionData({ ...allowance, args: [owner, this.#contract] })
      return decodeFunctionResult({ ...allowance, data: await this.#call(token, data) })
    })
  }

  /** What an account holds, in the token's smallest unit. */
  balance(token: Address, account: Address): Promise<bigint> {
    const balance = { abi: erc20Abi, functionName: 'balanceOf' } as const
    return ask(`The balance of ${token}`, async () => {
      const data = encodeFunctionData({ ...balance, args: [account] })
      return decodeFunctionResult({ ...balance, data: await this.#call(token, data) })
    })
  }

  /**
   * What remit charges an account for.
   * @param blockNumber at which block; a node that has not seen it fails. Default: the latest
   */
  async subscribed(account: Address, blockNumber?: number): Promise<ChainTerms[]> {
    const rows = await ask(`The subscriptions of ${account}`, () =>
      // `true`: those that it subscribes to, and not those that it provides.
      this.#view('getAccountSubscriptions', [true, account], blockNumber),
    )
    return rows
      .filter(
        ({ status, subscription }) => status === ACCOUNT_STATUS_NUMBERS.ACTIVE && !subscription.cancelled,
      )
      .map(({ subscription }) => subscription)
  }

  /** What a view of the contract gives. viem's own way to ask brings along much that no page needs. */
  async #view<const Name extends ViewName>(
    functionName: Name,
    args: ContractFunctionArgs<typeof subscriptionsAbi, 'view', Name>,
    blockNumber?: number,
  ): Promise<ContractFunctionReturnType<typeof subscriptionsAbi, 'view', Name>> {
    const view: { abi: Abi; functionName: string } = { abi: subscriptionsAbi, functionName }
    const data = encodeFunctionData({ ...view, args: args as readonly unknown[] })
    const answer = await this.#call(this.#contract, data, blockNumber)
    // Safe: both types are read off the same ABI by the same name.
    return decodeFunctionResult({ ...view, data: answer }) as ContractFunctionReturnType<
      typeof subscriptionsAbi,
      'view',
      Name
    >
  }

  #call(to: Address, data: Hex, blockNumber?: number): Promise<Hex> {
    const block = blockNumber === undefined ? 'latest' : numberToHex(blockNumber)
    return this.#reader.request({ method: 'eth_call', params: [{ to, data }, block] })
  }
}

type ViewName = ContractFunctionName<typeof subscriptionsAbi, 'view'>

/** Terms with the number of their frequency checked. Throws UnsafeTransactionError. */
export function knownTerms(terms: ChainTerms): SubscriptionTerms {
  const { frequency } = terms
  if (!isFrequency(frequency)) throw new UnsafeTransactionError(`the contract has no frequency ${frequency}`)
  return { ...terms, frequency }
}

/** Throws ChainReadError. @param what is read, for its message */
async function ask<Answer>(what: string, read: () => Promise<Answer>): Promise<Answer> {
  try {
    return await read()
  } catch (cause) {
    throw new ChainReadError(what, cause)
  }
}

/** The terms that a caller agreed to. They are compared with the chain's; a term that is left out is not compared. */
export interface AgreedTerms {
  /** One period's price in human units of the token, such as "10". */
  readonly amount?: string | undefined
  readonly provider?: Address | undefined
  readonly token?: Address | undefined
  /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
  readonly frequency?: number | undefined
  readonly dueDay?: number | undefined
}

/** A subscription as the contract has it, with what its amounts are converted by. */
export interface KnownSubscription {
  readonly terms: ChainTerms
  readonly decimals: number
}

/** Reads a subscription from the contract. Throws TermsDifferError where the caller agreed to something else. */
export async function readSubscription(
  reads: ChainReads,
  id: Hex,
  agreed: AgreedTerms = {},
): Promise<KnownSubscription> {
  const terms = await reads.terms(id)
  const decimals = await reads.decimals(terms.token)
  const differences = differencesOf(agreed, terms, decimals)
  if (differences.length > 0) throw new TermsDifferError(id, differences)
  return { terms, decimals }
}

/** The terms that were agreed to and that the chain has otherwise. */
function differencesOf(agreed: AgreedTerms, terms: ChainTerms, decimals: number): TermsDifference[] {
  const price = toRaw(terms.amount, decimals)
  const actual = { ...terms, amount: formatUnits(price, decimals) }
  const differs = <T extends string | number>(
    field: TermsDifference['field'],
    given: T | undefined,
    same: (value: T) => boolean,
  ): TermsDifference[] =>
    given === undefined || same(given) ? [] : [{ field, agreed: given, actual: actual[field] }]
  return [
    ...differs('amount', agreed.amount, (amount) => exactRaw(amount, decimals) === price),
    ...differs('provider', agreed.provider, (provider) => isAddressEqual(provider, terms.provider)),
    ...differs('token', agreed.token, (token) => isAddressEqual(token, terms.token)),
    ...differs('frequency', agreed.frequency, (frequency) => frequency === terms.frequency),
    ...differs('dueDay', agreed.dueDay, (dueDay) => dueDay === terms.dueDay),
  ]
}

/** A human amount in raw units, exactly or not at all: viem's own conversion rounds. */
function exactRaw(amount: string, decimals: number): bigint | undefined {
  const match = /^\d+(?:\.(\d+))?$/.exec(amount)
  const fraction = (match?.[1] ?? '').replace(/0+$/, '')
  return match === null || fraction.length > decimals ? undefined : parseUnits(amount, decimals)
}

export function toQuantity(amountRaw: bigint, tokenDecimals: number): Quantity {
  return { amount: formatUnits(amountRaw, tokenDecimals), amountRaw, tokenDecimals }
}
