import { Multicall3 } from '@remit/contracts/Multicall3'
import { Subscriptions } from '@remit/contracts/Subscriptions'
import { TestToken } from '@remit/contracts/TestToken'
import { revertTo } from '@remit/testing/support/chain/revertTo'
import { type Sending, useProvingGround } from '@remit/testing/support/chain/useProvingGround'
import { type Address, encodeDeployData, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { FactStore } from '../block/facts.ts'
import { UpstreamError } from '../errors/chain.ts'
import { createTransactions, type SentTransaction } from './transactions.ts'

const ground = await useProvingGround()
const { access, client, wallets, node, tokens } = ground
const { usdc } = tokens
const { alice, bob } = wallets
const USDC = 10n ** 6n

const NOT_MINED = {
  confirmed: false,
  confirmations: 0,
  finalized: false,
  blockNumber: null,
  gasUsed: null,
  events: [],
  createdSubscriptionId: null,
  reason: null,
  reasonSource: null,
}

async function status(hash: Hex, sent: SentTransaction = {}) {
  return createTransactions(access).transaction(await ground.view(), hash, sent)
}

/** Sends and waits; the hash of a mined transaction. */
async function send(from: Address, call: Sending): Promise<Hex> {
  return (await ground.send(from, call)).transactionHash
}

function create(contract: Address = ground.contract): Sending {
  const data = encodeFunctionData({
    abi: Subscriptions.abi,
    functionName: 'createSubscription',
    args: [10n ** 19n, usdc, { url: 'https://example.org', description: 'A plan' }, 1, 20],
  })
  return { to: contract, data }
}

describe('a mined transaction', () => {
  it('states its events, in tokens that are read along with it, in two HTTP requests', async () => {
    const terms = await ground.subscription(usdc)
    await send(alice, ground.approve(usdc, 100n * USDC))
    const hash = await send(alice, ground.subscribe(terms))
    await client.mine({ blocks: 3 })
    const transactions = createTransactions({ ...access, facts: new FactStore() })
    const view = await ground.view()
    ground.counted()
    const outcome = await transactions.transaction(view, hash, {})
    expect(ground.counted()).toEqual({
      requests: 2,
      methods: [
        'eth_getBlockByNumber',
        'eth_getBlockByNumber',
        'eth_getTransactionByHash',
        'eth_getTransactionReceipt',
      ],
    })
    expect(outcome).toMatchObject({
      transactionHash: hash,
      status: 'success',
      confirmed: true,
      confirmations: 4,
      blockNumber: view.asOf.blockNumber - 3,
      createdSubscriptionId: null,
      reason: null,
      reasonSource: null,
    })
    expect(
      outcome.events.map(({ event, eventName, amount, tokenDecimals }) => [
        event,
        eventName,
        amount,
        tokenDecimals,
      ]),
    ).toEqual([
      ['SubLog', 'Subscribed', '12', 6],
      ['SubLog', 'FeeFilled', '3', 6],
      ['Transfer', undefined, '3', 6],
      ['SubLog', 'ProviderPaid', '4.101369', 6],
      ['Transfer', undefined, '4.101369', 6],
    ])
    // Protocol units stay inside.
    expect(outcome.events[0]?.args).not.toHaveProperty('amount')

    expect(await transactions.transaction(view, hash, {})).toEqual(outcome)
    expect(ground.counted().requests).toBe(0)
  })

  it('names the subscription that it created, and the texts that came with it', async () => {
    const hash = await send(wallets.provider, create())
    const outcome = await status(hash)
    const [row] = await ground.protocol.read('getAccountSubscriptions', [false, wallets.provider])
    expect(outcome.createdSubscriptionId).toBe(row?.subscription.id)
    expect(outcome.events.map(({ event, eventName }) => eventName ?? event)).toEqual([
      'DetailsLog',
      'Created',
    ])
    expect(outcome.events[0]?.args).toMatchObject({ url: 'https://example.org', description: 'A plan' })
  })

  it('names none of several creations in one bundle, but the one by the account that is asked about', async () => {
    const accounts = await Promise.all([1, 2].map(() => ground.deploy(Multicall3.bytecode)))
    const bundle = (calls: readonly { target: Address; callData: Hex }[]): Hex =>
      encodeFunctionData({
        abi: Multicall3.abi,
        functionName: 'aggregate3',
        args: [calls.map((call) => ({ ...call, allowFailure: false }))],
      })
    const callData = bundle([{ target: ground.contract, callData: create().data ?? '0x' }])
    const data = bundle(accounts.map((target) => ({ target, callData })))
    const hash = await send(alice, { to: await ground.deploy(Multicall3.bytecode), data })
    expect((await status(hash)).createdSubscriptionId).toBeNull()
    for (const account of accounts) {
      const [row] = await ground.protocol.read('getAccountSubscriptions', [false, account])
      const { createdSubscriptionId } = await status(hash, { from: account, nonce: 0 })
      expect(createdSubscriptionId).toBe(row?.subscription.id)
    }
  })

  it('ignores creations by a contract that is not the protocol’s', async () => {
    const args = [10_200n, 11_000n, 5n, 5n, false, wallets.admin, wallets.admin] as const
    const other = await ground.deploy(encodeDeployData({ ...Subscriptions, args }))
    const approve = { abi: Subscriptions.abi, functionName: 'addERC20Contract' } as const
    await send(wallets.admin, { to: other, data: encodeFunctionData({ ...approve, args: [usdc, 1n, 6] }) })
    const outcome = await status(await send(wallets.provider, create(other)))
    expect(outcome).toMatchObject({ status: 'success', createdSubscriptionId: null })
    expect(outcome.events.map(({ event }) => event)).toEqual([null, null])
  })

  it('states no amount of a token that the protocol does not know', async () => {
    const stranger = await ground.deploy(encodeDeployData({ ...TestToken, args: ['Strange', 'ODD', 3] }))
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [bob, 7n] })
    const { events } = await status(await send(alice, { to: stranger, data }))
    expect(events).toMatchObject([{ event: 'Approval', args: { value: '7' } }])
    expect(events[0]).not.toHaveProperty('amount')
  })
})

describe('a transaction in no block', () => {
  it('is pending while a node holds it, and not after a node has mined it', async () => {
    await client.setAutomine(false)
    const view = await ground.view()
    const hash = await ground.post(alice, { to: bob })
    const pending = { transactionHash: hash, status: 'pending', ...NOT_MINED }
    const transactions = createTransactions(access)
    ground.counted()
    expect(await transactions.transaction(view, hash, {})).toEqual(pending)
    expect(ground.counted().requests).toBe(1)
    await client.mine({ blocks: 1 })
    await client.setAutomine(true)
    const { blockNumber } = view.asOf
    const ahead = { name: 'ReceiptAheadError', blockNumber: blockNumber + 1 }
    await expect(transactions.transaction(view, hash, {})).rejects.toMatchObject(ahead)
    const reader = await ground.view()
    for (const method of ['eth_getTransactionReceipt', 'eth_getBlockByNumber']) {
      // Behind the same URL, another node answers this question, and does not have the block.
      node.fail({ answer: (call) => (call.method === method ? { result: null } : undefined) })
      await ground.post(alice, { to: bob })
      await expect(transactions.transaction(await ground.view(), hash, {})).rejects.toMatchObject(ahead)
    }
    node.fail({})
    expect(await transactions.transaction(reader, hash, {})).toMatchObject({ status: 'success' })
    expect(await transactions.transaction(await ground.view(), hash, {})).toMatchObject({ status: 'success' })
  })

  it('is unknown where nobody holds it', async () => {
    const hash: Hex = `0x${'5e'.repeat(32)}`
    expect(await status(hash)).toEqual({ transactionHash: hash, status: 'unknown', ...NOT_MINED })
  })

  it('is replaced if its sender used the nonce otherwise, and only if the caller names both', async () => {
    await client.setAutomine(false)
    const nonce = await client.getTransactionCount({ address: alice })
    const hash = await ground.post(alice, { to: bob })
    await client.dropTransaction({ hash })
    await ground.post(alice, { to: wallets.carol, nonce })
    expect(await status(hash, { from: alice, nonce })).toMatchObject({ status: 'unknown' })
    await client.mine({ blocks: 1 })
    await client.setAutomine(true)
    expect(await status(hash, { from: alice, nonce })).toEqual({
      transactionHash: hash,
      status: 'replaced',
      ...NOT_MINED,
    })
    expect(await status(hash, { from: alice, nonce: nonce + 1 })).toMatchObject({ status: 'unknown' })
    expect(await status(hash)).toMatchObject({ status: 'unknown' })
  })

  it('is not replaced by facts of another transaction', async () => {
    await send(bob, { to: alice })
    await client.setAutomine(false)
    const hash = await ground.post(alice, { to: bob })
    expect(await status(hash, { from: bob, nonce: 0 })).toMatchObject({ status: 'pending' })
    await client.setAutomine(true)
  })
})

it('a reorg takes a transaction back to unknown, or to pending where nodes still hold it', async () => {
  const before = await client.snapshot()
  const hash = await send(alice, { to: bob })
  const [transaction, receipt] = await Promise.all([
    access.rpc.request('eth_getTransactionByHash', [hash], z.unknown()),
    access.rpc.request('eth_getTransactionReceipt', [hash], z.unknown()),
  ])
  expect(await status(hash)).toMatchObject({ status: 'success' })
  await revertTo(client, before)
  await send(wallets.carol, { to: bob })
  await client.mine({ blocks: 2 })
  expect(await status(hash)).toMatchObject({ status: 'unknown', ...NOT_MINED })

  // A node may still answer with the receipt of a block that is no longer on the chain.
  node.fail({
    answer: ({ method }) => (method === 'eth_getTransactionReceipt' ? { result: receipt } : undefined),
  })
  expect(await status(hash)).toMatchObject({ status: 'unknown', ...NOT_MINED })
  node.fail({
    answer: ({ method }) =>
      method === 'eth_getTransactionReceipt'
        ? { result: receipt }
        : method === 'eth_getTransactionByHash'
          ? { result: transaction }
          : undefined,
  })
  expect(await status(hash)).toMatchObject({ status: 'pending', ...NOT_MINED })
})

describe('a receipt of another block than the chain has at its height', () => {
  const elsewhere = `0x${'ab'.repeat(32)}`
  const Placed = z.looseObject({ blockHash: z.string() })

  it('is asked for again: a mined transaction is never pending', async () => {
    const hash = await send(alice, { to: bob })
    await client.mine({ blocks: 1 })
    const receipt = Placed.parse(await access.rpc.request('eth_getTransactionReceipt', [hash], z.unknown()))
    const falsely = (times: number) => {
      let left = times
      node.fail({
        answer: ({ method }) =>
          method === 'eth_getTransactionReceipt' && left-- > 0
            ? { result: { ...receipt, blockHash: elsewhere } }
            : undefined,
      })
    }
    falsely(1)
    expect(await status(hash)).toMatchObject({ status: 'success' })
    falsely(Number.POSITIVE_INFINITY)
    await expect(status(hash)).rejects.toMatchObject({ name: 'ReceiptAheadError' })
  })

  it('is none where it names no block, and a deposit without a nonce is a transaction', async () => {
    await client.setAutomine(false)
    const hash = await ground.post(alice, { to: bob })
    const [transaction, unplaced] = [
      z.looseObject({}).parse(await access.rpc.request('eth_getTransactionByHash', [hash], z.unknown())),
      { blockNumber: null, blockHash: null, status: '0x1', gasUsed: '0x1', logs: [] },
    ]
    const { nonce: _, ...deposit } = transaction
    node.fail({
      answer: ({ method }) =>
        method === 'eth_getTransactionReceipt'
          ? { result: unplaced }
          : method === 'eth_getTransactionByHash'
            ? { result: deposit }
            : undefined,
    })
    expect(await status(hash)).toMatchObject({ status: 'pending', ...NOT_MINED })
    await client.setAutomine(true)
  })
})

it('is never called unknown because a node failed', async () => {
  node.fail({
    answer: ({ method }) => (method === 'eth_getTransactionReceipt' ? { result: 'nonsense' } : undefined),
  })
  await expect(status(`0x${'5e'.repeat(32)}`)).rejects.toBeInstanceOf(UpstreamError)
})
