import { setTimeout as sleep } from 'node:timers/promises'
import type { Progress } from '@remit/client/testing/sending/wallet/Wallet'
import { StubbornAllowanceToken } from '@remit/contracts/StubbornAllowanceToken'
import { createWalletClient, erc20Abi, http, maxUint256 } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { approvedToken } from '../support/chain/approvedToken.ts'
import { units } from '../support/chain/protocolOn.ts'
import { signerOf } from '../support/chain/useTestChain.ts'
import { localWallet, QUICK, SIGNERS, useSendingGround } from './sendingGround.ts'

const ground = await useSendingGround()
const { chain, protocol, service, flows, weekly, injected } = ground
const { alice, bob, provider } = chain.wallets
const { usdc } = chain.tokens

beforeEach(() => service.caughtUp())

const allowanceOf = (owner: `0x${string}`) =>
  chain.client.readContract({
    address: usdc,
    abi: erc20Abi,
    functionName: 'allowance',
    args: [owner, chain.contract],
  })

it('a wallet that has delegated its account to a contract (EIP-7702) is checked and sends as any other', async () => {
  await chain.client.setCode({ address: alice, bytecode: `0xef0100${'11'.repeat(20)}` })
  await chain.client.mine({ blocks: 1 })
  await service.caughtUp()
  const wallet = localWallet(chain, SIGNERS.alice)
  const outcome = await flows.subscribe({ id: weekly.id }).send(wallet, QUICK)
  expect(outcome).toMatchObject({ status: 'success', subscriptionId: weekly.id })
})

describe('subscribing', () => {
  it('approves, waits, subscribes and reports the first charge, with its own key', async () => {
    const progress: Progress[] = []
    const wallet = localWallet(chain, SIGNERS.alice)
    const outcome = await flows
      .subscribe({ id: weekly.id })
      .send(wallet, { ...QUICK, onProgress: (told) => progress.push(told) })

    expect(outcome).toMatchObject({
      status: 'success',
      chainId: chain.chainId,
      callsId: null,
      subscriptionId: weekly.id,
      // Two days of seven until Wednesday, all of it into the fee balance.
      firstCharge: {
        toFeeBalance: { amount: '2.857142', amountRaw: 2_857_142n, tokenDecimals: 6 },
        toProvider: { amount: '0', amountRaw: 0n },
      },
      transactions: [{ functions: ['approve'] }, { functions: ['subscribe'] }],
      events: [
        { event: 'SubLog', eventName: 'Subscribed', amountRaw: 10_000_000n, args: { subscriber: alice } },
        { event: 'SubLog', eventName: 'FeeFilled', amount: '2.857142', tokenDecimals: 6 },
      ],
    })
    expect(await protocol.subscribersOf(weekly)).toEqual([alice])
    expect(await protocol.balanceOf(usdc, alice)).toBe(1_000_000_000n - 2_857_142n)
    // First charge and twelve periods, of which the first charge is spent.
    expect(await allowanceOf(alice)).toBe(120_000_000n)
    expect(progress.map(({ kind, step, of }) => `${kind} ${step}/${of}`)).toEqual([
      'prepared 0/2',
      'checked 0/2',
      'signing 1/2',
      'sent 1/2',
      'mined 1/2',
      'signing 2/2',
      'sent 2/2',
      'mined 2/2',
    ])
    for (const { hash, blockNumber, gasUsed } of outcome.transactions) {
      const receipt = await chain.client.getTransactionReceipt({ hash })
      expect({ blockNumber: BigInt(blockNumber), gasUsed }).toEqual({
        blockNumber: receipt.blockNumber,
        gasUsed: receipt.gasUsed,
      })
    }
  })

  it('sends both calls at once to a wallet that has wallet_sendCalls', async () => {
    const { wallet, provider: asked, signatures } = injected(alice)
    const outcome = await flows.subscribe({ id: weekly.id }).send(wallet, QUICK)
    expect(outcome).toMatchObject({
      callsId: expect.stringMatching(/^calls-/),
      firstCharge: { toFeeBalance: { amountRaw: 2_857_142n } },
      transactions: [{ functions: ['approve'] }, { functions: ['subscribe'] }],
    })
    expect(signatures().map(({ method }) => method)).toEqual(['wallet_sendCalls'])
    expect(signatures()[0]?.params).toMatchObject([
      { version: '2.0.0', atomicRequired: false, from: alice, chainId: '0x7a69', calls: [{}, {}] },
    ])
    expect(asked.requests.some(({ method }) => method === 'wallet_getCallsStatus')).toBe(true)
  })

  it.each([
    ['4200', { sendsCalls: false }],
    ['-32601', { refuses: { wallet_sendCalls: -32601 } }],
    ['-32602, not in this version', { refuses: { wallet_sendCalls: -32602 } }],
    ['5710, not on this chain', { refuses: { wallet_sendCalls: 5710 } }],
  ])('sends one by one with a wallet that refuses wallet_sendCalls (%s)', async (_, options) => {
    const { wallet, signatures } = injected(alice, options)
    const outcome = await flows.subscribe({ id: weekly.id }).send(wallet, QUICK)
    expect(outcome).toMatchObject({ callsId: null, transactions: [{}, {}], subscriptionId: weekly.id })
    expect(signatures().map(({ method }) => method)).toEqual([
      'wallet_sendCalls',
      'eth_sendTransaction',
      'eth_sendTransaction',
    ])
  })

  it('hands a paymaster on, also with one call, and sends as without where a wallet has no wallet_sendCalls', async () => {
    const paymasterUrl = 'https://pay.example/rpc'
    const asked = injected(alice)
    await flows.subscribe({ id: weekly.id, paymasterUrl }).send(asked.wallet, QUICK)
    await flows.unsubscribe({ id: weekly.id, paymasterUrl }).send(asked.wallet, QUICK)
    const capabilities = { paymasterService: { url: paymasterUrl, optional: true } }
    expect(asked.signatures()).toMatchObject([
      { method: 'wallet_sendCalls', params: [{ version: '2.0.0', calls: [{}, {}], capabilities }] },
      { method: 'wallet_sendCalls', params: [{ version: '2.0.0', calls: [{}], capabilities }] },
    ])

    const without = injected(alice, { sendsCalls: false })
    await flows.subscribe({ id: weekly.id, paymasterUrl }).send(without.wallet, QUICK)
    await flows.unsubscribe({ id: weekly.id, paymasterUrl }).send(without.wallet, QUICK)
    const asks = ['wallet_sendCalls', 'eth_sendTransaction']
    expect(new Set(without.signatures().map(({ method }) => method))).toEqual(new Set(asks))
    expect(await protocol.subscribersOf(weekly)).toEqual([])
  })

  it('sends one by one if it is told to', async () => {
    const { wallet, signatures } = injected(alice)
    await flows.subscribe({ id: weekly.id }).send(wallet, { ...QUICK, together: false })
    expect(signatures().map(({ method }) => method)).toEqual(['eth_sendTransaction', 'eth_sendTransaction'])
  })

  it('reads a bundle that the wallet mined as one transaction', async () => {
    const { wallet } = injected(alice, {
      // What an account with code of its own answers: one receipt with the logs of all calls.
      around: async ({ method }, go) => {
        const answer = await go()
        if (method !== 'wallet_getCallsStatus') return answer
        const status = answer as { status: number; receipts: { logs: unknown[] }[] }
        const last = status.receipts.at(-1)
        if (status.status !== 200 || last === undefined) return { ...status, status: 100, receipts: [] }
        const logs = status.receipts.flatMap((receipt) => receipt.logs)
        return { ...status, atomic: true, receipts: [{ ...last, logs }] }
      },
    })
    const outcome = await flows.subscribe({ id: weekly.id }).send(wallet, QUICK)
    expect(outcome.transactions).toMatchObject([{ functions: ['approve', 'subscribe'] }])
    expect(outcome.firstCharge.toFeeBalance.amountRaw).toBe(2_857_142n)
  })

  it('approves nothing if the allowance is enough already', async () => {
    await protocol.fund(usdc, alice, { allowance: 500_000_000n })
    await service.caughtUp()
    const { wallet, signatures } = injected(alice)
    const outcome = await flows.subscribe({ id: weekly.id }).send(wallet, QUICK)
    expect(outcome.transactions).toMatchObject([{ functions: ['subscribe'] }])
    expect(signatures().map(({ method }) => method)).toEqual(['eth_sendTransaction'])
    expect(await allowanceOf(alice)).toBe(500_000_000n - 2_857_142n)
  })

  it.each([true, false])(
    'resets an allowance that the token refuses to change (together: %s)',
    async (together) => {
      const token = await approvedToken(chain, StubbornAllowanceToken)
      const plan = await protocol.create({ token })
      await protocol.fund(token, alice, { balance: 100_000_000n, allowance: 5n })
      await service.caughtUp()
      const { wallet } = injected(alice)
      const outcome = await flows
        .subscribe({ id: plan.id, approvalPeriods: 2 })
        .send(wallet, { ...QUICK, together })
      const functions = outcome.transactions.flatMap((one) => one.functions)
      expect(functions).toEqual(['approve', 'approve', 'subscribe'])
      expect(await protocol.subscribersOf(plan)).toEqual([alice])
    },
  )

  it('approves enough for the wallet’s other subscriptions too', async () => {
    const monthly = await protocol.create({ frequency: 1, dueDay: 15, amount: units('3') })
    await protocol.join(monthly, alice, { allowance: 3_000_000n })
    await service.caughtUp()
    await flows.subscribe({ id: weekly.id, approvalPeriods: 52 }).send(injected(alice).wallet, QUICK)
    expect(await allowanceOf(alice)).toBe(520_000_000n + 12n * 3_000_000n)
  })

  it('approves the maximum if asked to', async () => {
    await flows.subscribe({ id: weekly.id, infiniteApproval: true }).send(injected(alice).wallet, QUICK)
    expect(await allowanceOf(alice)).toBeGreaterThan(maxUint256 / 2n)
  })

  it('subscribes if the terms are the agreed ones', async () => {
    const terms = { amount: '10', provider, token: usdc, frequency: 0, dueDay: 3 }
    const outcome = await flows.subscribe({ id: weekly.id, terms }).send(injected(alice).wallet, QUICK)
    expect(outcome.status).toBe('success')
  })
})

describe('the provider’s flows', () => {
  const wallet = localWallet(chain, SIGNERS.provider)

  it('creates a subscription and returns its id', async () => {
    const details = { url: 'https://provider.example', description: 'Newsletter' }
    const request = { amount: '12.345678', token: usdc, details, frequency: 1, dueDay: 15 } as const
    const outcome = await flows.createSubscription(request).send(wallet, QUICK)
    const record = await protocol.read('idSubMap', [outcome.subscriptionId])
    expect(record).toEqual([outcome.subscriptionId, units('12.345678'), provider, usdc, false, 1, 15])
    expect(outcome.events.map(({ event }) => event)).toEqual(['DetailsLog', 'SubLog'])
  })

  it('cancels a subscription', async () => {
    const outcome = await flows.cancelSubscription({ id: weekly.id }).send(wallet, QUICK)
    expect(outcome).toMatchObject({ subscriptionId: weekly.id, events: [{ eventName: 'Cancelled' }] })
  })

  it('removes a subscriber and reports the refund', async () => {
    await protocol.join(weekly, alice)
    await service.caughtUp()
    const outcome = await flows.removeSubscriber({ id: weekly.id, subscriber: alice }).send(wallet, QUICK)
    expect(outcome.refunded).toEqual({
      amount: '2.857142',
      amountRaw: 2_857_142n,
      tokenDecimals: 6,
      to: alice,
    })
    expect(await protocol.subscribersOf(weekly)).toEqual([])
  })

  it('replaces details, and the profile', async () => {
    const details = { url: 'https://provider.example/new', description: 'Größer – „besser“' }
    const edited = await flows.editDetails({ id: weekly.id, details }).send(wallet, QUICK)
    expect(edited.events).toMatchObject([
      { event: 'DetailsLog', args: { id: weekly.id, provider, ...details } },
    ])

    const profile = {
      description: 'Sells',
      company: 'P',
      url: '',
      domain: '',
      email: 'a@b.example',
      misc: '',
    }
    const said = await flows.editProviderDetails(profile).send(wallet, QUICK)
    expect(said).toMatchObject({ provider, events: [{ event: 'ProvDetailsLog', args: profile }] })
  })
})

describe('the subscriber’s other flows', () => {
  it('unsubscribes and reports that the fee balance went to the provider', async () => {
    await protocol.join(weekly, alice)
    await service.caughtUp()
    const outcome = await flows.unsubscribe({ id: weekly.id }).send(injected(alice).wallet, QUICK)
    expect(outcome.refunded).toEqual({
      amount: '2.857142',
      amountRaw: 2_857_142n,
      tokenDecimals: 6,
      to: provider,
    })
  })

  it('revokes an allowance', async () => {
    await protocol.fund(usdc, alice, { allowance: 7_000_000n })
    await service.caughtUp()
    const outcome = await flows.revokeAllowance({ token: usdc }).send(injected(alice).wallet, QUICK)
    expect(outcome).toMatchObject({
      token: usdc,
      allowanceRaw: 0n,
      transactions: [{ functions: ['approve'] }],
    })
    expect(await allowanceOf(alice)).toBe(0n)
  })
})

it('one flow after another is prepared on top of what the previous one did', async () => {
  const { wallet } = injected(alice)
  for (let round = 0; round < 3; round += 1) {
    await flows.subscribe({ id: weekly.id }).send(wallet, QUICK)
    await flows.unsubscribe({ id: weekly.id }).send(wallet, QUICK)
  }
  expect(await protocol.subscribersOf(weekly)).toEqual([])
})

it('two equal flows at once are two transactions of the key that signs them', async () => {
  // Slow to send: both have learnt the nonce by then, where nothing keeps them in order.
  const transport = http(chain.url, {
    async onFetchRequest(_request, { body }) {
      if (String(body).includes('eth_sendRawTransaction')) await sleep(500)
    },
  })
  const wallet = createWalletClient({ account: signerOf(SIGNERS.provider), transport })
  const details = { url: '', description: '' }
  const create = () =>
    flows
      .createSubscription({ amount: '1', token: usdc, details, frequency: 0, dueDay: 1 })
      .send(wallet, QUICK)
  const both = await Promise.all([create(), create()])
  expect(new Set(both.map(({ subscriptionId }) => subscriptionId)).size).toBe(2)
})

it('a flow that is not sent returns its readiness and its unsigned transactions', async () => {
  const subscribe = flows.subscribe({ id: weekly.id })
  expect(await subscribe.readiness(alice)).toMatchObject({ ready: true, details: { needsApproval: true } })
  expect(await subscribe.readiness(bob)).toMatchObject({
    ready: false,
    issues: [{ code: 'INSUFFICIENT_BALANCE' }],
  })
  expect((await subscribe.prepare(alice)).unsignedTransactions).toHaveLength(2)

  const cancel = flows.cancelSubscription({ id: weekly.id })
  expect(await cancel.readiness(bob)).toMatchObject({ ready: false, issues: [{ code: 'NOT_PROVIDER' }] })
  expect(await cancel.readiness(provider)).toMatchObject({
    ready: true,
    details: { subscription: { id: weekly.id } },
  })
})
