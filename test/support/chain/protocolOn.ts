import { Subscriptions } from '@remit/contracts/Subscriptions'
import { TestToken } from '@remit/contracts/TestToken'
import { type Address, type Hex, maxUint256, parseEventLogs, parseUnits, zeroAddress } from 'viem'
import { contractAt, type TestContract } from './contractAt.ts'
import type { TestChain } from './useTestChain.ts'

export const Frequency = { WEEKLY: 0, MONTHLY: 1, QUARTERLY: 2, YEARLY: 3 } as const
export type Frequency = (typeof Frequency)[keyof typeof Frequency]

/** The tuple that the contract's functions take, and a subscription's record. */
export interface Subscription {
  readonly id: Hex
  readonly amount: bigint
  readonly provider: Address
  readonly token: Address
  readonly cancelled: boolean
  readonly frequency: Frequency
  readonly dueDay: number
}

/** What a test says of a subscription to be created; the rest is usual. */
export interface Terms {
  readonly provider?: Address
  readonly token?: Address
  /** In protocol units. */
  readonly amount?: bigint
  readonly frequency?: Frequency
  readonly dueDay?: number
}

export const DETAILS = { url: 'https://provider.example/plan', description: 'A plan' }

/** An amount in protocol units: `units('10.5')`. */
export const units = (amount: string) => parseUnits(amount, 18)

/** A tuple with an id and nothing else, which is all that most of the functions read. */
export function tupleOf(id: Hex): Subscription {
  return {
    id,
    amount: 0n,
    provider: zeroAddress,
    token: zeroAddress,
    cancelled: false,
    frequency: Frequency.WEEKLY,
    dueDay: 0,
  }
}

export interface Protocol extends TestContract<typeof Subscriptions.abi> {
  /** Creates a subscription: 10 USDC weekly on Wednesdays by the provider, where nothing else is said. */
  create(terms?: Terms): Promise<Subscription>
  /** Mints, approves and subscribes: by default enough for a hundred periods. */
  join(subscription: Subscription, subscriber: Address, means?: Means): Promise<void>
  /** Sets a wallet's allowance, and mints until it holds this much at least. */
  fund(token: Address, account: Address, means: Means): Promise<void>
  balanceOf(token: Address, account: Address): Promise<bigint>
  /** Protocol units in the token's smallest unit, truncated, by the decimals that the contract has for it. */
  toRaw(token: Address, amount: bigint): Promise<bigint>
  feeBalance(subscription: Subscription, account: Address): Promise<bigint>
  /** Who is in the subscriber set, in its order. */
  subscribersOf(subscription: Subscription): Promise<Address[]>
}

/** In the token's smallest unit. */
export interface Means {
  readonly balance?: bigint
  readonly allowance?: bigint
}

/** The contract on a test chain, with the steps that nearly every test takes. */
export function protocolOn(
  chain: Pick<TestChain, 'client' | 'wallets' | 'tokens' | 'contract'>,
  address = chain.contract,
): Protocol {
  const { client, wallets, tokens } = chain
  const contract = contractAt(client, address, Subscriptions.abi)
  const tokenAt = (token: Address) => contractAt(client, token, TestToken.abi)
  const balanceOf = (token: Address, account: Address) => tokenAt(token).read('balanceOf', [account])

  const fund: Protocol['fund'] = async (token, account, { balance = 0n, allowance }) => {
    const missing = balance - (await balanceOf(token, account))
    if (missing > 0n) await tokenAt(token).send(account, 'mint', [account, missing])
    if (allowance !== undefined) await tokenAt(token).send(account, 'approve', [address, allowance])
  }

  const toRaw = async (token: Address, amount: bigint) => {
    const [, decimals] = await contract.read('approvedERC20', [token])
    return decimals > 18 ? amount * 10n ** BigInt(decimals - 18) : amount / 10n ** BigInt(18 - decimals)
  }

  return {
    ...contract,
    balanceOf,
    toRaw,
    fund,
    async create(terms = {}) {
      const { provider = wallets.provider, token = tokens.usdc, amount = units('10') } = terms
      const { frequency = Frequency.WEEKLY, dueDay = 3 } = terms
      const logs = await contract.send(provider, 'createSubscription', [
        amount,
        token,
        DETAILS,
        frequency,
        dueDay,
      ])
      const [created] = parseEventLogs({ abi: Subscriptions.abi, logs, eventName: 'SubLog' })
      if (created === undefined) throw new Error('createSubscription logged no SubLog')
      return { id: created.args.id, amount, provider, token, cancelled: false, frequency, dueDay }
    },
    async join(subscription, subscriber, means = {}) {
      const { token, amount } = subscription
      const { balance = 100n * (await toRaw(token, amount)), allowance = maxUint256 } = means
      await fund(token, subscriber, { balance, allowance })
      await contract.send(subscriber, 'subscribe', [subscription])
    },
    feeBalance: ({ id }, account) => contract.read('feeBalance', [id, account]),
    async subscribersOf({ id }) {
      const rows = await contract.read('getSubscribersById', [id])
      return rows.map(({ subscriber }) => subscriber)
    },
  }
}
