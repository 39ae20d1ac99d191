import { approvedToken } from '@remit/testing/support/chain/approvedToken'
import { describeLogs } from '@remit/testing/support/chain/describeLogs'
import {
  Frequency,
  protocolOn,
  type Subscription,
  tupleOf,
  units,
} from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { type Address, maxUint256, zeroHash } from 'viem'
import { describe, expect, test } from 'vitest'
import { StubbornAllowanceToken } from '../generated/StubbornAllowanceToken.ts'
import { dueDayOf, firstCharge } from './model.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { admin, provider, alice, bob } = chain.wallets
const { usdc } = chain.tokens
const PERIOD = 10_000_000n // 10 USDC

const reverts = (from: Address, subscription: Subscription) =>
  protocol.reverts(from, 'subscribe', [subscription])
const checkpointAt = (subscription: Subscription, initialized = true) =>
  protocol.send(admin, 'setPageStart', [
    { id: subscription.id, subscriberIndex: 1n, subscriptionIndex: 1n, frequency: 0n, initialized },
  ])

describe('subscribe refuses', () => {
  test('an id that does not exist with "3"', async () => {
    expect(await reverts(alice, tupleOf(zeroHash))).toBe('3')
  })

  test('a paused token with "20", before the checkpoint', async () => {
    const subscription = await protocol.create()
    await checkpointAt(subscription)
    await protocol.send(admin, 'pauseToken', [usdc, true])
    expect(await reverts(alice, subscription)).toBe('20')
  })

  test('the subscription that is the checkpoint with "24", initialized or not, before allowance and balance', async () => {
    const subscription = await protocol.create()
    const other = await protocol.create()
    for (const initialized of [true, false]) {
      await checkpointAt(subscription, initialized)
      expect(await reverts(alice, subscription)).toBe('24')
      expect(await reverts(alice, other)).toBe('10')
    }
  })

  test('less allowance or balance than one full period with "10", although less is taken', async () => {
    const subscription = await protocol.create()
    await protocol.fund(usdc, alice, { balance: PERIOD - 1n, allowance: PERIOD })
    expect(await reverts(alice, subscription)).toBe('10')
    await protocol.fund(usdc, alice, { balance: PERIOD, allowance: PERIOD - 1n })
    expect(await reverts(alice, subscription)).toBe('10')
    await protocol.fund(usdc, alice, { allowance: PERIOD })
    expect(await reverts(alice, subscription)).toBeUndefined()
  })

  test('its own provider with "0", but one without allowance with "10"', async () => {
    const subscription = await protocol.create()
    expect(await reverts(provider, subscription)).toBe('10')
    await protocol.fund(usdc, provider, { balance: PERIOD, allowance: PERIOD })
    expect(await reverts(provider, subscription)).toBe('0')
  })

  test('who is subscribed already with "25", even where it is cancelled', async () => {
    const subscription = await protocol.create()
    await protocol.join(subscription, alice)
    expect(await reverts(alice, subscription)).toBe('25')
    await protocol.send(provider, 'cancelSubscription', [subscription])
    expect(await reverts(alice, subscription)).toBe('25')
  })

  test('a cancelled subscription with "23", but its provider with "0"', async () => {
    const subscription = await protocol.create()
    await protocol.send(provider, 'cancelSubscription', [subscription])
    for (const account of [alice, provider]) {
      await protocol.fund(usdc, account, { balance: PERIOD, allowance: PERIOD })
    }
    expect(await reverts(alice, subscription)).toBe('23')
    expect(await reverts(provider, subscription)).toBe('0')
  })

  test('an amount that overflows in a token of more than 18 decimals with Panic 0x11, before "10"', async () => {
    const token = await approvedToken(chain, StubbornAllowanceToken, { decimals: 20, minimum: 0n })
    const subscription = await protocol.create({ token, amount: maxUint256 })
    expect(await reverts(alice, subscription)).toBe('Panic(17)')
  })

  test('an amount of 0 with Panic 0x12 once remit is ahead, but weekly', async () => {
    const token = await approvedToken(chain, StubbornAllowanceToken, { minimum: 0n })
    const free = (frequency: Frequency, dueDay: number) =>
      protocol.create({ token, amount: 0n, frequency, dueDay })
    const weekly = await free(Frequency.WEEKLY, 3)
    const monthly = await free(Frequency.MONTHLY, 20)
    // A share of 0 is the whole amount: too low while remit is behind, and then nothing is divided.
    expect(await reverts(alice, monthly)).toBeUndefined()
    await protocol.send(admin, 'setNextUncheckedDay', [Math.floor((await chain.now()) / 86_400) + 1])
    expect(await reverts(alice, monthly)).toBe('Panic(18)')
    expect(await reverts(alice, weekly)).toBeUndefined()
  })
})

describe('subscribe charges at once', () => {
  /** Today is a Monday, day 2 of its month and 61 of its quarter and year. */
  const subscribeAs = async (account: Address, subscription: Subscription) => {
    await protocol.fund(subscription.token, account, { balance: 100n * PERIOD, allowance: maxUint256 })
    return describeLogs(chain, await protocol.send(account, 'subscribe', [subscription]))
  }

  test('weekly: the share of the week, all of it as fee balance', async () => {
    const subscription = await protocol.create({ amount: units('7'), dueDay: 3 })
    expect(await subscribeAs(alice, subscription)).toEqual([
      'SUBSCRIBED alice 7',
      'FEEFILL alice 2',
      'Transfer alice→contract 2',
    ])
    expect(await protocol.feeBalance(subscription, alice)).toBe(units('2'))
  })

  test('monthly: a quarter of the period as fee balance and the rest to the provider', async () => {
    const subscription = await protocol.create({
      amount: units('365'),
      frequency: Frequency.MONTHLY,
      dueDay: 12,
    })
    // Ten days of 365·12/365 a day.
    expect(await subscribeAs(alice, subscription)).toEqual([
      'SUBSCRIBED alice 365',
      'FEEFILL alice 91.25',
      'Transfer alice→contract 91.25',
      'PROVPAID alice 28.75',
      'Transfer alice→provider 28.75',
    ])
  })

  test('monthly: all of it as fee balance where it is less than a quarter of the period', async () => {
    const terms = { amount: units('365'), frequency: Frequency.MONTHLY }
    // 7 days are 23 %, 8 days 26 %.
    expect(await subscribeAs(alice, await protocol.create({ ...terms, dueDay: 9 }))).toContain(
      'FEEFILL alice 84',
    )
    expect(await subscribeAs(bob, await protocol.create({ ...terms, dueDay: 10 }))).toContain(
      'PROVPAID bob 4.75',
    )
  })

  test.each([
    ['quarterly', Frequency.QUARTERLY, '90', 7],
    ['yearly', Frequency.YEARLY, '365', 30],
  ])(
    '%s: 8.3 % of the period as fee balance, or all of it where the share is less',
    async (_, frequency, amount, most) => {
      const terms = { amount: units(amount), frequency }
      const short = await subscribeAs(alice, await protocol.create({ ...terms, dueDay: 61 + most }))
      expect(short.slice(1)).toEqual([`FEEFILL alice ${most}`, `Transfer alice→contract ${most}`])
      const long = await subscribeAs(bob, await protocol.create({ ...terms, dueDay: 61 + most + 1 }))
      const fill = (Number(amount) * 83) / 1000
      expect(long[1]).toBe(`FEEFILL bob ${fill}`)
      expect(Number(long[3]?.split(' ')[2])).toBeCloseTo(most + 1 - fill, 9)
    },
  )

  test('only the fee of one remit where the share is less than that', async () => {
    await protocol.send(admin, 'changeCallerFee', [10_833n])
    const subscription = await protocol.create({
      amount: units('365'),
      frequency: Frequency.YEARLY,
      dueDay: 62,
    })
    expect(await subscribeAs(alice, subscription)).toEqual([
      'SUBSCRIBED alice 365',
      'FEEFILL alice 30.4045',
      'Transfer alice→contract 30.4045',
    ])
  })

  test.each(Object.entries(Frequency))(
    'on a %s due day: one fee while remit has not been there, else a full period',
    async (_, frequency) => {
      const today = Math.floor((await chain.now()) / 86_400)
      const amount = units('10')
      const terms = { amount, frequency, dueDay: dueDayOf(today, frequency) }
      for (const nextUncheckedDay of [today, today + 1]) {
        await protocol.send(admin, 'setNextUncheckedDay', [nextUncheckedDay])
        const subscription = await protocol.create(terms)
        const model = { ...terms, dayNumber: today, nextUncheckedDay, callerFee: 10_200n }
        const { fill, toProvider } = firstCharge(model)
        const before = await protocol.balanceOf(usdc, provider)
        await subscribeAs(alice, subscription)
        expect(await protocol.feeBalance(subscription, alice)).toBe(fill)
        expect((await protocol.balanceOf(usdc, provider)) - before).toBe(toProvider / 10n ** 12n)
        expect(fill + toProvider).toBe(nextUncheckedDay === today ? units('0.2') : amount)
      }
    },
  )

  test('each transfer truncated on its own, while balance and logs keep 18 decimals', async () => {
    const amount = units('10') + 7n
    const subscription = await protocol.create({ amount, dueDay: 3 })
    expect(await subscribeAs(alice, subscription)).toEqual([
      'SUBSCRIBED alice 10.000000000000000007',
      'FEEFILL alice 2.857142857142857144',
      'Transfer alice→contract 2.857142',
    ])
    expect(await protocol.feeBalance(subscription, alice)).toBe(2n * (amount / 7n))
    expect(await protocol.balanceOf(usdc, protocol.address)).toBe(2_857_142n)
  })
})

describe('subscribe records', () => {
  test('the membership, reading nothing but the id of what it is given', async () => {
    const subscription = await protocol.create()
    await protocol.fund(usdc, alice, { balance: PERIOD, allowance: PERIOD })
    await protocol.send(alice, 'subscribe', [
      { ...tupleOf(subscription.id), amount: 1n, token: alice, cancelled: true, dueDay: 99 },
    ])
    expect(await protocol.subscribersOf(subscription)).toEqual([alice])
    expect(await protocol.read('getAccountSubscriptions', [true, alice])).toEqual([
      { subscription, status: 0, totalSubscribers: 1n },
    ])
    expect(await protocol.read('getTotalSubscribers', [])).toBe(2n)
  })

  test('the due day once, with the first of the subscribers', async () => {
    const first = await protocol.create()
    const second = await protocol.create()
    for (const subscription of [second, first]) {
      for (const account of [alice, bob]) await protocol.join(subscription, account)
    }
    expect(await protocol.read('getIdByTime', [0n, 3])).toEqual([second.id, first.id])
  })

  test('a return of the first subscriber in the old place on the list of its day, until remit takes it off', async () => {
    const first = await protocol.create()
    const second = await protocol.create()
    for (const subscription of [first, second]) await protocol.join(subscription, alice)
    await protocol.send(alice, 'unsubscribe', [first])
    await protocol.send(alice, 'subscribe', [first])
    expect(await protocol.read('getIdByTime', [0n, 3])).toEqual([first.id, second.id])
    await protocol.send(alice, 'unsubscribe', [first])
    await chain.advanceDays(2)
    await protocol.send(bob, 'remit', [])
    expect(await protocol.read('getIdByTime', [0n, 3])).toEqual([second.id])
    await protocol.send(alice, 'subscribe', [first])
    expect(await protocol.read('getIdByTime', [0n, 3])).toEqual([second.id, first.id])
  })

  test('a return at the end of the set, in its old place among the memberships of the account', async () => {
    const first = await protocol.create()
    const second = await protocol.create()
    for (const subscription of [first, second]) {
      for (const account of [alice, bob]) await protocol.join(subscription, account)
    }
    await protocol.send(alice, 'unsubscribe', [first])
    await protocol.send(alice, 'subscribe', [first])
    expect(await protocol.subscribersOf(first)).toEqual([bob, alice])
    const mine = await protocol.read('getAccountSubscriptions', [true, alice])
    expect(mine.map((row) => row.subscription.id)).toEqual([first.id, second.id])
    expect(await protocol.read('getTotalSubscribers', [])).toBe(3n)
  })

  test('a second fill on top of a fee balance that a drop left locked', async () => {
    const subscription = await protocol.create({ amount: units('10'), dueDay: 1 })
    // On the due day with a backlog: a fee balance of exactly one fee, which no drop pays out.
    await protocol.join(subscription, alice, { balance: PERIOD, allowance: PERIOD })
    await protocol.send(bob, 'remit', [])
    expect(await protocol.subscribersOf(subscription)).toEqual([])
    expect(await protocol.feeBalance(subscription, alice)).toBe(units('0.2'))
    await chain.advanceDays(3)
    await protocol.join(subscription, alice)
    expect(await protocol.feeBalance(subscription, alice)).toBe(units('0.2') + 4n * (units('10') / 7n))
  })

  test('a return from the unsubscribed list in the old place in the set', async () => {
    const subscription = await protocol.create()
    for (const account of [alice, bob]) await protocol.join(subscription, account)
    await checkpointAt(subscription)
    await protocol.send(bob, 'unsubscribe', [subscription])
    expect(await protocol.read('getUnsubscribedLength', [subscription.id])).toBe(1n)
    await checkpointAt(tupleOf(zeroHash))
    await protocol.send(bob, 'subscribe', [subscription])
    expect(await protocol.read('getUnsubscribedLength', [subscription.id])).toBe(0n)
    expect(await protocol.subscribersOf(subscription)).toEqual([alice, bob])
  })
})
