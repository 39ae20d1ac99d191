import { Frequency, tupleOf, units } from '@remit/testing/support/chain/protocolOn'
import { checkpointAt, useReadingGround } from '@remit/testing/support/chain/useReadingGround'
import { maxUint256 } from 'viem'
import { describe, expect, it } from 'vitest'

const ground = await useReadingGround()
const { protocol, wallets, tokens, client } = ground
const { admin, provider, alice, bob, carol, stranger } = wallets

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

describe('a wallet that wants to subscribe', () => {
  it('gets all that it needs to know in one answer', async () => {
    await protocol.fund(tokens.usdc, carol, { balance: 7n, allowance: 3n })
    const nativeBalance = await client.getBalance({ address: carol })
    await ground.view(async ({ read }) => {
      const settings = await read.protocol()
      expect(await read.membershipState(weekly.id, carol, carol)).toEqual({
        terms: weekly,
        token: usdc,
        nextUncheckedDay: settings.nextUncheckedDay,
        settings,
        status: 'ACTIVE',
        isSubscribed: false,
        isPaging: false,
        feeBalance: 0n,
        wallet: { token: tokens.usdc, balance: 7n, allowance: 3n },
        nativeBalance,
        memberships: [],
        dueOrder: [],
      })
    })
  })

  it('sees its other memberships', async () => {
    await ground.view(async ({ read }) => {
      const state = await read.membershipState(monthly.id, bob, bob)
      expect(state).toMatchObject({ isSubscribed: false, wallet: { token: tokens.dai, balance: 0n } })
      expect(state.memberships.map(({ terms }) => terms.id)).toEqual([weekly.id])
    })
  })

  it('sees the due order of what it would be charged for on the same day, and of nothing else', async () => {
    const second = await protocol.create()
    const third = await protocol.create()
    const inDai = await protocol.create({ token: tokens.dai })
    await protocol.join(inDai, bob)
    await protocol.join(second, bob)
    await ground.view(async ({ read }) => {
      const order = [weekly.id, second.id]
      expect(await read.account(bob)).toMatchObject({ dueOrder: order })
      // One that nobody subscribes to is on no list yet.
      expect(await read.membershipState(third.id, bob, bob)).toMatchObject({ dueOrder: order })
      expect(await read.account(alice)).toMatchObject({ dueOrder: [] })
      expect(await read.membershipState(second.id, alice, alice)).toMatchObject({ dueOrder: order })
    })
  })

  it('knows whether it is subscribed, also while the list of subscribers panics', async () => {
    await protocol.send(admin, 'setPageStart', [checkpointAt(weekly.id)])
    await protocol.send(alice, 'unsubscribe', [tupleOf(weekly.id)])
    await ground.view(async ({ read }) => {
      expect(await read.membershipState(weekly.id, bob, bob)).toMatchObject({
        status: 'ACTIVE',
        isSubscribed: true,
        isPaging: true,
      })
      expect(await read.membershipState(weekly.id, alice, alice)).toMatchObject({
        status: 'UNSUBSCRIBED',
        isSubscribed: false,
      })
      expect(await read.membershipState(monthly.id, alice, alice)).toMatchObject({ isPaging: false })
    })
  })
})

describe('an account and a subscription', () => {
  it('keep the account’s facts and the signer’s ether apart', async () => {
    await client.setBalance({ address: provider, value: 5n })
    await client.mine({ blocks: 1 })
    const feeBalance = await protocol.feeBalance(weekly, bob)
    const wallet = { token: tokens.usdc, balance: await protocol.balanceOf(tokens.usdc, bob) }
    await ground.view(async ({ read }) => {
      expect(await read.membershipState(weekly.id, bob, provider)).toMatchObject({
        terms: weekly,
        status: 'ACTIVE',
        isSubscribed: true,
        feeBalance,
        wallet,
        nativeBalance: 5n,
      })
    })
  })

  it('tell a dropped account, with its locked fee balance, from one that never subscribed', async () => {
    await protocol.fund(tokens.usdc, bob, { allowance: 0n })
    await ground.advanceDays(3)
    await protocol.send(stranger, 'remit', [])
    await ground.view(async ({ read }) => {
      expect(await read.membershipState(weekly.id, bob, bob)).toMatchObject({
        status: 'UNSUBSCRIBED',
        isSubscribed: false,
      })
      expect(await read.membershipState(weekly.id, carol, carol)).toMatchObject({
        status: 'ACTIVE',
        isSubscribed: false,
        feeBalance: 0n,
        memberships: [],
      })
    })
  })
})

it('a provider that wants to change a subscription gets its terms and its own ether', async () => {
  const nativeBalance = await client.getBalance({ address: stranger })
  await ground.view(async ({ read }) => {
    const subscription = await read.subscription(weekly.id)
    expect(await read.providerState(weekly.id, stranger)).toEqual({ ...subscription, nativeBalance })
    expect(await read.signer(stranger)).toEqual({ nativeBalance })
  })
})

describe('what a wallet lets the protocol take', () => {
  it('comes with all its memberships', async () => {
    const balance = await protocol.balanceOf(tokens.usdc, alice)
    const nativeBalance = await client.getBalance({ address: alice })
    await ground.view(async ({ read }) => {
      const state = await read.walletState(tokens.usdc, alice)
      expect(state).toMatchObject({
        nativeBalance,
        approved: { token: usdc, wallet: { token: tokens.usdc, balance, allowance: maxUint256 } },
      })
      expect(state.memberships.map(({ terms }) => terms.id)).toEqual([weekly.id, monthly.id])
    })
  })

  it('is known for an approved token without memberships, and not for one that is not approved', async () => {
    await ground.view(async ({ read }) => {
      expect(await read.walletState(tokens.dai, stranger)).toMatchObject({
        approved: { token: { symbol: 'DAI' }, wallet: { balance: 0n, allowance: 0n } },
        memberships: [],
      })
      expect(await read.walletState(stranger, alice)).toMatchObject({ approved: undefined, memberships: [] })
    })
  })
})

it('a provider that wants to create gets the token and the settings', async () => {
  await ground.view(async ({ read }) => {
    expect(await read.createState(tokens.usdc, provider)).toMatchObject({
      token: usdc,
      settings: { maxRemits: 25 },
    })
    expect((await read.createState(stranger, provider)).token).toBeUndefined()
  })
})
