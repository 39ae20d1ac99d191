import { TrialLens } from '@remit/contracts/TrialLens'
import { Frequency, tupleOf, units } from '@remit/testing/support/chain/protocolOn'
import { checkpointAt, useReadingGround } from '@remit/testing/support/chain/useReadingGround'
import { encodeFunctionData, type Hex, maxUint256 } from 'viem'
import { describe, expect, it } from 'vitest'
import { SubscriptionNotFoundError, ViewFailedError } from '../errors/chain.ts'
import type { ChainReads } from '../ports/chainReads.ts'

const ground = await useReadingGround()
const { protocol, proxy, wallets, tokens } = ground
const { admin, provider, alice, bob, carol, stranger } = wallets

const UNKNOWN: Hex = `0x${'77'.repeat(32)}`
const weekly = await protocol.create()
const monthly = await protocol.create({ token: tokens.dai, frequency: Frequency.MONTHLY, dueDay: 9 })
await protocol.join(weekly, alice)
await protocol.join(weekly, bob, { balance: 50_000_000n, allowance: 20_000_000n })
await protocol.join(monthly, alice)
await ground.keep()

const usdc = {
  address: tokens.usdc,
  symbol: 'USDC',
  name: 'USD Coin (dev chain)',
  decimals: 6,
  ownDecimals: 6,
  paused: false,
  minimum: units('0.01'),
}

const trial = encodeFunctionData({ ...TrialLens, functionName: 'tryCalls', args: [usdc.address, alice, []] })

describe('every read', () => {
  const reads: Record<keyof ChainReads, (read: ChainReads) => Promise<unknown>> = {
    protocol: (read) => read.protocol(),
    subscription: (read) => read.subscription(weekly.id),
    subscribers: (read) => read.subscribers(weekly.id),
    feeBalance: (read) => read.feeBalance(weekly.id, alice),
    due: (read) => read.due([{ frequency: 0, dueDay: 3 }]),
    account: (read) => read.account(alice),
    accountSubscriptions: (read) => read.accountSubscriptions(provider, false),
    subscriptionsById: (read) => read.subscriptionsById([weekly.id, monthly.id]),
    membershipsById: (read) => read.membershipsById(alice, [weekly.id, monthly.id]),
    feeBalances: (read) => read.feeBalances(weekly.id, [alice, bob, stranger]),
    tokens: (read) => read.tokens(),
    lastingTokens: (read) => read.lastingTokens([tokens.usdc, tokens.dai]),
    token: (read) => read.token(tokens.usdc),
    membershipState: (read) => read.membershipState(weekly.id, carol, carol),
    providerState: (read) => read.providerState(weekly.id, provider),
    createState: (read) => read.createState(tokens.usdc, provider),
    walletState: (read) => read.walletState(tokens.usdc, alice),
    signer: (read) => read.signer(alice),
    backlog: (read) => read.backlog(stranger),
    lend: (read) => read.lend(TrialLens.deployedBytecode, trial),
    payers: (read) => read.payers([{ id: weekly.id, account: alice, token: tokens.usdc }]),
  }

  it.each(Object.entries(reads))(
    '%s takes one request cold, none warm, and one for many at once',
    async (_, read) => {
      await ground.view(async (view) => {
        const answers = await Promise.all([read(view.read), read(view.read), read(view.read)])
        expect(proxy.requests).toBe(1)
        expect(proxy.methods).toEqual(['eth_call'])
        expect(await read(view.read)).toEqual(answers[0])
        expect(proxy.requests).toBe(1)
      })
    },
  )

  it('that failed is not kept', async () => {
    await ground.view(async ({ read }) => {
      proxy.fail({ status: 500 })
      await expect(read.protocol()).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' })
      proxy.fail({})
      await expect(read.protocol()).resolves.toBeDefined()
    })
  })
})

describe('a subscription', () => {
  it('comes with its token and the next unchecked day', async () => {
    await ground.view(async ({ read }) => {
      const nextUncheckedDay = await protocol.read('nextUncheckedDay', [])
      const { id } = weekly
      expect(await read.subscription(id)).toEqual({ terms: weekly, token: usdc, nextUncheckedDay })
    })
  })

  it('that does not exist is not found by any read', async () => {
    await ground.view(async ({ read }) => {
      for (const reading of [
        read.subscription(UNKNOWN),
        read.subscribers(UNKNOWN),
        read.feeBalance(UNKNOWN, alice),
        read.feeBalances(UNKNOWN, [alice]),
        read.feeBalances(UNKNOWN, []),
        read.membershipState(UNKNOWN, alice, alice),
        read.providerState(UNKNOWN, alice),
      ]) {
        await expect(reading).rejects.toBeInstanceOf(SubscriptionNotFoundError)
      }
    })
  })

  it('has its subscribers and their fee balances', async () => {
    const [ofAlice, ofBob] = [
      await protocol.feeBalance(weekly, alice),
      await protocol.feeBalance(weekly, bob),
    ]
    await ground.view(async ({ read }) => {
      expect((await read.subscribers(weekly.id)).subscribers).toEqual([
        { subscriber: alice, feeBalance: ofAlice },
        { subscriber: bob, feeBalance: ofBob },
      ])
      expect(await read.feeBalance(weekly.id, bob)).toMatchObject({ token: usdc, feeBalance: ofBob })
      expect(await read.feeBalance(weekly.id, stranger)).toMatchObject({ feeBalance: 0n })
    })
  })

  it('fails by name while the contract’s own view panics', async () => {
    await protocol.send(admin, 'setPageStart', [checkpointAt(weekly.id)])
    // Listed, but still in front of bob in the set.
    await protocol.send(alice, 'unsubscribe', [tupleOf(weekly.id)])
    await ground.view(async ({ read }) => {
      const error = await read.subscribers(weekly.id).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(ViewFailedError)
      expect(error).toMatchObject({ code: 'UPSTREAM_ERROR', facts: { view: 'getSubscribersById' } })
      await expect(read.feeBalance(weekly.id, bob)).resolves.toBeDefined()
    })
  })
})

describe('an account', () => {
  it('has its memberships, its creations and what it holds', async () => {
    const [ofWeekly, ofMonthly] = [
      await protocol.feeBalance(weekly, alice),
      await protocol.feeBalance(monthly, alice),
    ]
    const balance = await protocol.balanceOf(tokens.usdc, alice)
    await ground.view(async ({ read }) => {
      const state = await read.account(alice)
      expect(state.created).toEqual([])
      expect(state.subscribedTo).toMatchObject([
        { terms: weekly, status: 'ACTIVE', totalSubscribers: 2, feeBalance: ofWeekly, token: usdc },
        {
          terms: monthly,
          status: 'ACTIVE',
          totalSubscribers: 1,
          feeBalance: ofMonthly,
          token: { symbol: 'DAI' },
        },
      ])
      expect(state.wallet).toMatchObject([
        { token: tokens.usdc, balance, allowance: maxUint256 },
        { token: tokens.dai },
      ])
      expect(await read.account(provider)).toMatchObject({
        subscribedTo: [],
        created: [{ terms: weekly }, { terms: monthly }],
        wallet: [],
      })
      expect(await read.account(stranger)).toMatchObject({ subscribedTo: [], created: [], wallet: [] })
    })
  })

  it('keeps the subscriptions that it left, with their status', async () => {
    await protocol.send(alice, 'unsubscribe', [tupleOf(weekly.id)])
    await protocol.send(provider, 'cancelSubscription', [tupleOf(monthly.id)])
    await ground.view(async ({ read }) => {
      const { rows } = await read.accountSubscriptions(alice, true)
      expect(rows).toMatchObject([
        { terms: { id: weekly.id }, status: 'UNSUBSCRIBED', totalSubscribers: 1 },
        { terms: { id: monthly.id, cancelled: true }, status: 'ACTIVE' },
      ])
      const created = await read.accountSubscriptions(provider, false)
      expect(created.rows).toMatchObject([{ status: 'ACTIVE' }, { status: 'CANCELLED' }])
    })
  })
})

describe('what of tokens never changes', () => {
  const both = [tokens.usdc, tokens.dai]

  it('comes with the settings in one HTTP request, and at later blocks costs nothing', async () => {
    const chains = ground.open()
    const readAll = () =>
      chains.withView(ground.chainId, {}, async ({ read }) => {
        const [, found] = await Promise.all([read.protocol(), read.lastingTokens(both)])
        return [...found.values()].map(({ symbol, decimals }) => [symbol, decimals])
      })
    await chains.withView(ground.chainId, {}, async () => proxy.reset())
    const expected = [
      ['USDC', 6],
      ['DAI', 18],
    ]
    expect(await readAll()).toEqual(expected)
    expect(proxy.requests).toBe(1)

    const { number } = await ground.client.getBlock()
    await ground.advanceDays(1)
    await chains.withView(ground.chainId, { minBlock: Number(number) + 1 }, async ({ read }) => {
      proxy.reset()
      expect((await read.lastingTokens([tokens.dai])).get(tokens.dai)).toMatchObject({ symbol: 'DAI' })
      expect(proxy.requests).toBe(0)
    })
  })

  it('comes under the address as it was given, for approved tokens only', async () => {
    const lower: Hex = `0x${tokens.dai.slice(2).toLowerCase()}`
    await ground.view(async ({ read }) => {
      const found = await read.lastingTokens([stranger, tokens.usdc, lower])
      expect([...found.keys()]).toEqual([tokens.usdc, lower])
      expect(found.get(lower)).toMatchObject({ address: tokens.dai, symbol: 'DAI', ownDecimals: 18 })
      proxy.reset()
      // A token that is not approved is asked for once in each block.
      await read.lastingTokens([stranger, tokens.usdc])
      await read.lastingTokens([stranger])
      expect(proxy.requests).toBe(1)
    })
  })
})

it('an address without the contract is a named error before anything is read', async () => {
  const read = ground.view(({ read }) => read.protocol(), { contractAddress: stranger })
  await expect(read).rejects.toMatchObject({ code: 'CHAIN_MISCONFIGURED' })
})
