import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { expect } from 'vitest'
import type { Client } from '../../client/src/createClient.ts'
import type { Flows } from '../../client/src/sending/createFlows.ts'
import { UnsafeTransactionError } from '../../client/src/sending/errors.ts'
import type { SendOptions } from '../../client/src/sending/Wallet.ts'
import { type Subscription, units } from '../support/protocol.ts'
import { type Injected, QUICK, type SendingGround, useSendingGround } from './sendingGround.ts'

export interface Call {
  to: Address
  data: Hex
  value: bigint
}

export interface Transaction extends Call {
  chainId: number
  from: Address
}

/** The part of an answer that is signed. */
export interface Batch {
  chainId: number
  signingMode?: string
  validUntil?: number
  unsignedTransactions: Transaction[]
  eip5792?: { version: string; from: Address; chainId: bigint; atomicRequired: boolean; calls: Call[] }
  preflight?: { allowance?: { proposed: { amountRaw: bigint } } }
}

export interface FlowCase {
  readonly account: Address
  send(flows: Flows, wallet: Injected['wallet'], options?: SendOptions): Promise<unknown>
}

/** A service that lies: it answers what the real one has prepared, with something changed. */
export interface LyingService extends SendingGround {
  /** 20 USDC a week. */
  readonly dearer: Subscription
  /** What alice subscribes to already, with an allowance that lasts for it. */
  readonly joined: Subscription
  /** Every flow that can be sent here. */
  readonly cases: Readonly<Record<CaseName, FlowCase>>
  /** The client, whose preparations are told otherwise by `retell`. */
  apiWith(retell: (prepare: () => Promise<Batch>) => Promise<Batch>): Client
  /** What the real service prepares for a flow. */
  preparedFor(flow: FlowCase): Promise<Batch>
  /** Sends with an answer that was changed, sees that nothing is asked of the wallet, and gives the reason. */
  refusal(flow: FlowCase, prepared: Batch, change: Change, options?: SendOptions): Promise<string>
  approval(amount: bigint, other?: { to?: Address; spender?: Address }): Transaction
}

export type Change = (batch: Batch) => void

type CaseName =
  | 'subscribe'
  | 'createSubscription'
  | 'removeSubscriber'
  | 'editDetails'
  | 'revokeAllowance'
  | 'unsubscribe'
  | 'cancelSubscription'
  | 'editProviderDetails'

export const DETAILS = { url: 'https://provider.example', description: 'A plan' }

export async function useLyingService(): Promise<LyingService> {
  const ground = await useSendingGround()
  const { chain, protocol, service, api, weekly, flowsOver, injected } = ground
  const { alice, provider } = chain.wallets
  const { usdc } = chain.tokens
  const { contract, chainId } = chain

  const dearer = await protocol.create({ amount: units('20') })
  const joined = await protocol.create({ frequency: 1, dueDay: 9 })
  await protocol.join(joined, alice, { allowance: 17_000_000n })
  await chain.keep()
  await service.caughtUp()

  const profile = { description: 'd', company: 'c', url: '', domain: 'e.example', email: 'f', misc: 'g' }
  const terms = { amount: '10.5', token: usdc, details: DETAILS, frequency: 2, dueDay: 90 } as const

  const subscribe: FlowCase = {
    account: alice,
    send: (flows, wallet, options) =>
      flows.subscribe({ id: weekly.id }).send(wallet, { ...QUICK, ...options }),
  }
  const createSubscription: FlowCase = {
    account: provider,
    send: (flows, wallet) => flows.createSubscription(terms).send(wallet, QUICK),
  }
  const removeSubscriber: FlowCase = {
    account: provider,
    send: (flows, wallet) => flows.removeSubscriber({ id: joined.id, subscriber: alice }).send(wallet, QUICK),
  }
  const editDetails: FlowCase = {
    account: provider,
    send: (flows, wallet) => flows.editDetails({ id: weekly.id, details: DETAILS }).send(wallet, QUICK),
  }
  const revokeAllowance: FlowCase = {
    account: alice,
    send: (flows, wallet) => flows.revokeAllowance({ token: usdc }).send(wallet, QUICK),
  }
  const cases: LyingService['cases'] = {
    subscribe,
    createSubscription,
    removeSubscriber,
    editDetails,
    revokeAllowance,
    unsubscribe: {
      account: alice,
      send: (flows, wallet) => flows.unsubscribe({ id: joined.id }).send(wallet, QUICK),
    },
    cancelSubscription: {
      account: provider,
      send: (flows, wallet) => flows.cancelSubscription({ id: weekly.id }).send(wallet, QUICK),
    },
    editProviderDetails: {
      account: provider,
      send: (flows, wallet) => flows.editProviderDetails(profile).send(wallet, QUICK),
    },
  }

  function apiWith(retell: (prepare: () => Promise<Batch>) => Promise<Batch>): Client {
    const entries = Object.entries(api).map(([name, method]) => [
      name,
      name.startsWith('prepare')
        ? (...args: unknown[]) => retell(async () => structuredClone(await Reflect.apply(method, api, args)))
        : method,
    ])
    return { ...api, ...Object.fromEntries(entries) }
  }

  async function preparedFor({ account, send }: FlowCase): Promise<Batch> {
    let prepared: Batch | undefined
    const stop = new Error('only prepared')
    const flows = flowsOver(
      apiWith(async (prepare) => {
        prepared = await prepare()
        throw stop
      }),
    )
    await expect(send(flows, injected(account).wallet)).rejects.toBe(stop)
    if (prepared === undefined) throw new Error('Nothing was prepared')
    return prepared
  }

  async function refusal(
    flow: FlowCase,
    prepared: Batch,
    change: (batch: Batch) => void,
    options?: SendOptions,
  ) {
    const changed = structuredClone(prepared)
    change(changed)
    expect(changed, 'the change changes something').not.toEqual(prepared)
    const { wallet, signatures } = injected(flow.account)
    const flows = flowsOver(apiWith(() => Promise.resolve(structuredClone(changed))))
    const failure: unknown = await flow.send(flows, wallet, options).catch((error: unknown) => error)
    expect(signatures()).toEqual([])
    if (!(failure instanceof UnsafeTransactionError)) {
      throw new Error(`It was not refused as unsafe: ${String(failure)}`, { cause: failure })
    }
    expect(failure).toMatchObject({ sent: [], callsId: null, code: 'UNSAFE_TRANSACTION' })
    return failure.message
  }

  const approval = (
    amount: bigint,
    { to = usdc, spender = contract }: { to?: Address; spender?: Address } = {},
  ) => ({
    to,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] }),
    value: 0n,
    chainId,
    from: alice,
  })

  return { ...ground, dearer, joined, cases, apiWith, preparedFor, refusal, approval }
}

/** Changes the transactions, and what else is said of them, as a liar would who knows what is compared. */
export function retransact(change: (transactions: Transaction[]) => Transaction[]): Change {
  return (batch) => {
    const [first] = batch.unsignedTransactions
    if (first === undefined) throw new Error('There is nothing to change')
    const { from, chainId } = first
    const transactions = change(batch.unsignedTransactions)
    const several = transactions.length > 1
    batch.unsignedTransactions = transactions
    batch.signingMode = several ? 'eip5792' : 'raw'
    delete batch.eip5792
    if (!several) return
    const calls = transactions.map(({ to, data, value }) => ({ to, data, value }))
    batch.eip5792 = { version: '2.0.0', from, chainId: BigInt(chainId), atomicRequired: false, calls }
  }
}

/** Changes one of them. */
export const at = (index: number, patch: (transaction: Transaction) => Partial<Transaction>) =>
  retransact((all) => all.map((one, place) => (place === index ? { ...one, ...patch(one) } : one)))
