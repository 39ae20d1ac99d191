import { ACCOUNT_STATUS_NUMBERS } from '@remit/protocol/subscription'
import { type Address, erc20Abi, getAddress, type Hex } from 'viem'
import { call, getBlock, getChainId, readContract } from 'viem/actions'
import { subscriptionsAbi } from '../../generated/abi.ts'
import { ChainReadError, UnsafeTransactionError, WrongChainError } from '../errors.ts'
import type { Reader } from '../wallet/Wallet.ts'
import { isRevert } from '../wallet/walletErrors.ts'
import { type ExpectedCall, encodeCall } from './ExpectedCall.ts'

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

/** The settings of the contract that fees and due days depend on. */
interface ChainSettings {
  /** A factor over 10000. */
  readonly callerFee: bigint
  /** Day number of the next day that remit checks. */
  readonly nextUncheckedDay: number
}

/** The latest block. */
export interface ChainHead {
  readonly blockNumber: number
  /** Unix seconds. */
  readonly timestamp: number
}

/** The answer of a token that refuses without reverting: 32 zero bytes. */
const FALSE = `0x${'00'.repeat(32)}`

/**
 * Reads the contract and the tokens by the wallet's own node, never by the service. A read that fails throws
 * ChainReadError.
 */
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

  async settings(): Promise<ChainSettings> {
    const contract = { address: this.#contract, abi: subscriptionsAbi } as const
    const [callerFee, nextUncheckedDay] = await ask('The fees and the next day of the contract', () =>
      Promise.all([
        readContract(this.#reader, { ...contract, functionName: 'callerFee' }),
        readContract(this.#reader, { ...contract, functionName: 'nextUncheckedDay' }),
      ]),
    )
    return { callerFee, nextUncheckedDay }
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

  /** What the contract holds of an account for each subscription, in protocol units. */
  feeBalances(account: Address, ids: readonly Hex[]): Promise<bigint[]> {
    return ask(`The fee balances of ${account}`, () =>
      Promise.all(
        ids.map((id) =>
          readContract(this.#reader, {
            address: this.#contract,
            abi: subscriptionsAbi,
            functionName: 'feeBalance',
            args: [id, account],
          }),
        ),
      ),
    )
  }

  /** What is due together, in the order of the contract's due list, which remit walks from its end. */
  dueList({ frequency, dueDay }: Pick<ChainTerms, 'frequency' | 'dueDay'>): Promise<readonly Hex[]> {
    return ask('A due list', () =>
      readContract(this.#reader, {
        address: this.#contract,
        abi: subscriptionsAbi,
        functionName: 'getIdByTime',
        args: [BigInt(frequency), dueDay],
      }),
    )
  }

  /** Whether a token would take this approval of its owner as the allowance stands now. */
  takesApproval(owner: Address, approval: ExpectedCall): Promise<boolean> {
    return ask(`Whether ${approval.to} takes the approval`, async () => {
      try {
        const { data } = await call(this.#reader, {
          account: owner,
          to: approval.to,
          data: encodeCall(approval),
        })
        return data !== FALSE
      } catch (error) {
        if (isRevert(error)) return false
        throw error
      }
    })
  }

  /**
   * What remit charges an account for.
   * @param blockNumber at which block; a node that has not seen it fails. Default: the latest
   */
  async subscribed(account: Address, blockNumber?: number): Promise<ChainTerms[]> {
    const rows = await ask(`The subscriptions of ${account}`, () =>
      readContract(this.#reader, {
        address: this.#contract,
        abi: subscriptionsAbi,
        functionName: 'getAccountSubscriptions',
        args: [true, account],
        ...(blockNumber === undefined ? {} : { blockNumber: BigInt(blockNumber) }),
      }),
    )
    return rows
      .filter(
        ({ status, subscription }) => status === ACCOUNT_STATUS_NUMBERS.ACTIVE && !subscription.cancelled,
      )
      .map(({ subscription }) => subscription)
  }
}

async function ask<Answer>(what: string, read: () => Promise<Answer>): Promise<Answer> {
  try {
    return await read()
  } catch (cause) {
    throw new ChainReadError(what, cause)
  }
}
