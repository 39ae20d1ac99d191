import { Subscriptions } from '@remit/contracts/Subscriptions'
import { TestToken } from '@remit/contracts/TestToken'
import { createWalletClient, custom, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { contractAt } from '../support/chain/contractAt.ts'
import { DETAILS, Frequency, units } from '../support/chain/protocolOn.ts'
import { signerOf } from '../support/chain/useTestChain.ts'
import { indexed } from '../support/service/indexed.ts'
import { delegateTo } from '../support/wallets/delegateTo.ts'
import { deploySmartAccounts, type SmartWallet } from '../support/wallets/deploySmartAccounts.ts'
import { QUICK, useSendingGround } from './sendingGround.ts'

// Transactions of a bundler to a handler, as ERC-4337 has them: neither `from` nor `to` nor the data are the wallet's, and
// others' operations are in the same transaction.

const { chain, protocol, service, flows, weekly } = await useSendingGround()
const accounts = await deploySmartAccounts(chain)
const [owner, neighbour] = [signerOf(6), await accounts.of(signerOf(7))]
const { usdc } = chain.tokens
const token = contractAt(chain.client, usdc, TestToken.abi)
const mint = (to: Hex) => token.send(chain.wallets.provider, 'mint', [to, 1_000_000_000n])
await mint((await accounts.of(owner)).address)
await mint(neighbour.address)
await chain.keep()

beforeEach(() => service.caughtUp())

const clientOf = (wallet: SmartWallet) => createWalletClient({ transport: custom(wallet) })
const calling = (functionName: 'subscribe' | 'unsubscribe', id: Hex) => {
  const args = [{ ...weekly, id }] as const
  return { to: chain.contract, data: encodeFunctionData({ abi: Subscriptions.abi, functionName, args }) }
}
const creating = () => ({
  to: chain.contract,
  data: encodeFunctionData({
    abi: Subscriptions.abi,
    functionName: 'createSubscription',
    args: [units('3'), usdc, DETAILS, Frequency.WEEKLY, 5],
  }),
})
const approving = () => ({
  to: usdc,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [chain.contract, 10n ** 9n] }),
})
/** Another account subscribes in the same transaction, before. */
const beside = async () => [await neighbour.operation([approving(), calling('subscribe', weekly.id)])]

describe('a smart account (ERC-4337)', () => {
  it('subscribes by one operation that deploys it, in a transaction with somebody else’s', async () => {
    const account = await accounts.of(owner, { beside })
    const outcome = await flows.subscribe({ id: weekly.id }).send(clientOf(account), QUICK)
    expect(outcome).toMatchObject({
      status: 'success',
      subscriptionId: weekly.id,
      transactions: [{ functions: ['approve', 'subscribe'] }],
      firstCharge: { toFeeBalance: { amountRaw: 2_857_142n }, toProvider: { amountRaw: 0n } },
    })
    const [sent] = outcome.transactions
    const { from, to } = await chain.client.getTransaction({ hash: sent?.hash ?? '0x' })
    expect([from, to].map(String)).toEqual([accounts.bundler.toLowerCase(), accounts.handler.toLowerCase()])
    expect(account.requests.filter(({ method }) => /send/i.test(method)).map(({ method }) => method)).toEqual(
      ['wallet_sendCalls'],
    )
    expect(await protocol.subscribersOf(weekly)).toEqual([neighbour.address, account.address])
    expect(await token.read('allowance', [account.address, chain.contract])).toBe(120_000_000n)

    await indexed(service, chain)
    const path = `/subscriptions/${weekly.id}/subscribers/${account.address}`
    expect((await service.get(path)).body).toMatchObject({ state: 'active', entitled: true })
    const { body } = await service.get(`/accounts/${account.address}/activity`)
    expect(body).toMatchObject({
      breakdown: { asSubscriber: 3, asProvider: 0 },
      events: [{ eventName: 'FeeFilled' }, { eventName: 'Subscribed' }, { eventName: 'APPROVAL' }],
    })
  })

  it('has its subscription only where its own operation has done it, whatever its wallet says', async () => {
    // It has nothing to pay with any more once its operation is carried.
    const poor = async () => {
      const account = await accounts.of(owner)
      const data = encodeFunctionData({
        abi: erc20Abi,
        functionName: 'transfer',
        args: [neighbour.address, 1_000_000_000n],
      })
      await account.execute([{ to: usdc, data }])
      return beside()
    }
    const honest = await accounts.of(owner, { beside: poor })
    await expect(flows.subscribe({ id: weekly.id }).send(clientOf(honest), QUICK)).rejects.toThrow(
      /revert|failed/i,
    )
    expect(await protocol.subscribersOf(weekly)).toEqual([neighbour.address])
  })

  it('is not taken for a member because somebody else in the bundle became one', async () => {
    const sugarcoating = await accounts.of(owner, {
      sugarcoats: true,
      async beside() {
        const account = await accounts.of(owner)
        const args = [neighbour.address, 1_000_000_000n] as const
        await account.execute([
          { to: usdc, data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }) },
        ])
        return beside()
      },
    })
    const sending = flows
      .subscribe({ id: weekly.id })
      .send(clientOf(sugarcoating), { ...QUICK, timeoutMs: 1_000 })
    await expect(sending).rejects.toThrow()
    expect(await protocol.subscribersOf(weekly)).toEqual([neighbour.address])
  })

  it('creates by a single transaction of the bundler’s, and is told its own id among others', async () => {
    const account = await accounts.of(owner, {
      beside: async () => [await neighbour.operation([creating()])],
    })
    const terms = { token: usdc, amount: '3', frequency: Frequency.WEEKLY, dueDay: 5, details: DETAILS }
    const outcome = await flows.createSubscription(terms).send(clientOf(account), QUICK)
    const [own] = await protocol.read('getAccountSubscriptions', [false, account.address])
    const [others] = await protocol.read('getAccountSubscriptions', [false, neighbour.address])
    expect(outcome.subscriptionId).toBe(own?.subscription.id)
    expect(others?.subscription.id).not.toBe(own?.subscription.id)
    const [sent] = outcome.transactions
    const status = (from: Hex) => service.post('/transactions/status', { txHash: sent?.hash, from, nonce: 0 })
    expect((await status(account.address)).body).toMatchObject({
      createdSubscriptionId: own?.subscription.id,
    })
    expect((await status(neighbour.address)).body).toMatchObject({
      createdSubscriptionId: others?.subscription.id,
    })
  })

  it('has created nothing where only somebody else in the bundle did', async () => {
    const hash = await neighbour.execute([creating()])
    await service.caughtUp()
    const account = await accounts.of(owner)
    const { body } = await service.post('/transactions/status', {
      txHash: hash,
      from: account.address,
      nonce: 0,
    })
    expect(body).toMatchObject({ status: 'success', createdSubscriptionId: null })
  })

  it('removes a subscriber, and is told that one’s refund alone', async () => {
    const { alice } = chain.wallets
    const account = await accounts.of(owner)
    await account.execute([creating()])
    await neighbour.execute([creating()])
    const [own] = await protocol.read('getAccountSubscriptions', [false, account.address])
    const [others] = await protocol.read('getAccountSubscriptions', [false, neighbour.address])
    if (own === undefined || others === undefined) throw new Error('nothing was created')
    for (const { subscription } of [own, others]) {
      await protocol.join({ ...weekly, ...subscription, frequency: Frequency.WEEKLY }, alice)
    }
    const removing = async () => {
      const args = [others.subscription, alice] as const
      const functionName = 'unsubscribeByProvider'
      const data = encodeFunctionData({ abi: Subscriptions.abi, functionName, args })
      return [await neighbour.operation([{ to: chain.contract, data }])]
    }
    await service.caughtUp()
    const held = await protocol.feeBalance({ ...weekly, id: own.subscription.id }, alice)
    const wallet = clientOf(await accounts.of(owner, { beside: removing }))
    const removed = await flows
      .removeSubscriber({ id: own.subscription.id, subscriber: alice })
      .send(wallet, QUICK)
    expect(removed.refunded.amountRaw).toBe(await protocol.toRaw(usdc, held))
  })

  it('calls remit, and is told what its own call did, with others before it in the transaction', async () => {
    const { alice } = chain.wallets
    await protocol.join(weekly, alice)
    await chain.advanceDays(15)
    await service.caughtUp()
    const remitting = {
      to: chain.contract,
      data: encodeFunctionData({ abi: Subscriptions.abi, functionName: 'remit' }),
    }
    // Another account’s remit pays the first week, and then it subscribes: the second week charges two.
    const calls = [remitting, approving(), calling('subscribe', weekly.id)]
    const account = await accounts.of(owner, { beside: async () => [await neighbour.operation(calls)] })
    const held = await protocol.balanceOf(usdc, account.address)
    const { paid, dropped, finishedDays, feesEarned } = await flows.remit().send(clientOf(account), QUICK)
    expect({ paid, dropped, days: finishedDays.length }).toEqual({ paid: 2, dropped: 0, days: 7 })
    const earned = (await protocol.balanceOf(usdc, account.address)) - held
    expect(feesEarned).toMatchObject([{ token: usdc, amountRaw: earned }])
  })
})

it('a wallet that has delegated its account (EIP-7702) subscribes by one operation that somebody else’s transaction carries', async () => {
  const key = signerOf(3)
  await delegateTo(chain, key, accounts.delegate)
  await service.caughtUp()
  const wallet = accounts.delegated(key, { beside })
  const outcome = await flows.subscribe({ id: weekly.id }).send(clientOf(wallet), QUICK)
  expect(outcome).toMatchObject({
    transactions: [{ functions: ['approve', 'subscribe'] }],
    firstCharge: { toFeeBalance: { amountRaw: 2_857_142n } },
  })
  expect(await protocol.subscribersOf(weekly)).toEqual([neighbour.address, key.address])
})
