import { Frequency, protocolOn, units } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { maxUint256 } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { dueDayOf, fillPeriod } from './model.ts'
import { remittingOn } from './remitting.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { remit, remitOnly, weekly } = remittingOn(chain, protocol)
const { admin, provider, otherProvider, alice, bob, carol, keeper, janitor } = chain.wallets
const { usdc, dai } = chain.tokens

let monday = 0
beforeEach(async () => {
  monday = Math.floor((await chain.now()) / 86_400)
})

describe('remit charges', () => {
  test('the four frequencies in their order, each list and each set from its end', async () => {
    // Wednesday 4 March: day 4 of the month, 63 of the quarter and of the year.
    const terms = [
      { frequency: Frequency.YEARLY, dueDay: 63 },
      { frequency: Frequency.WEEKLY, dueDay: 3 },
      { frequency: Frequency.QUARTERLY, dueDay: 63 },
      { frequency: Frequency.MONTHLY, dueDay: 4 },
      { frequency: Frequency.WEEKLY, dueDay: 3 },
    ]
    for (const [index, each] of terms.entries()) {
      const subscription = await weekly(each)
      for (const account of index === 1 ? [alice, bob, carol] : [alice]) {
        await protocol.join(subscription, account)
      }
    }
    await chain.advanceDays(2)
    const lines = await remitOnly(monday + 2)
    expect(lines.filter((line) => line.startsWith('Coordinates'))).toEqual([
      'Coordinates 1,2,0',
      'Coordinates 3,1,0',
      'Coordinates 2,1,0',
      'Coordinates 1,1,0',
      'Coordinates 1,1,1',
      'Coordinates 1,1,2',
      'Coordinates 1,1,3',
    ])
    expect(lines.filter((line) => line.startsWith('SUBPAID'))[1]).toBe('SUBPAID carol 7')
  })

  test('the caller fee from the fee balance and the full amount from the subscriber', async () => {
    const subscription = await weekly()
    await protocol.join(subscription, alice)
    await chain.advanceDays(2)
    await remit()
    expect(await protocol.feeBalance(subscription, alice)).toBe(units('1.86'))
    expect(await protocol.balanceOf(usdc, keeper)).toBe(140_000n)
  })

  test('the caller fee once per subscription, in its own token', async () => {
    const first = await weekly()
    const second = await weekly({ token: dai, provider: otherProvider })
    for (const account of [alice, bob]) await protocol.join(first, account)
    await protocol.join(second, alice)
    await chain.advanceDays(2)
    await remit()
    expect(await protocol.balanceOf(usdc, keeper)).toBe(280_000n)
    expect(await protocol.balanceOf(dai, keeper)).toBe(units('0.14'))
  })

  test('a fee transfer of 0 where the caller fee is nothing', async () => {
    await protocol.send(admin, 'changeCallerFee', [10_000n])
    await protocol.join(await weekly(), alice)
    await chain.advanceDays(2)
    expect(await remitOnly(monday + 2)).toContain('Transfer contract→keeper 0')
  })

  test('the system share out of the caller fee, first, to its receiver, only while it is on', async () => {
    const subscription = await weekly()
    for (const account of [alice, bob]) await protocol.join(subscription, account)
    await protocol.send(admin, 'systemFeeActivate', [true])
    await protocol.send(admin, 'changeSysFeeReceiver', [janitor])
    await chain.advanceDays(2)
    const lines = await remitOnly(monday + 2)
    expect(lines.slice(-3)).toEqual([
      // 10 % of 0.28.
      'Transfer contract→janitor 0.028',
      'Transfer contract→keeper 0.252',
      `CallerLog ${monday + 2} finished`,
    ])
    await protocol.send(admin, 'systemFeeActivate', [false])
    await chain.advanceDays(7)
    expect((await remitOnly(monday + 9)).slice(-2)).toEqual([
      'Transfer contract→keeper 0.28',
      `CallerLog ${monday + 9} finished`,
    ])
  })

  test('each fee transfer truncated on its own', async () => {
    await protocol.send(admin, 'systemFeeActivate', [true])
    // A fee of 0.2000001: shares of 0.02000001 and 0.18000009.
    await protocol.join(await weekly({ amount: units('10.000005') }), alice)
    await chain.advanceDays(2)
    const lines = await remitOnly(monday + 2)
    expect(lines).toContain('Transfer contract→admin 0.02')
    expect(lines).toContain('Transfer contract→keeper 0.18')
  })
})

describe('remit fills the fee balance', () => {
  const today = (frequency: Frequency) => dueDayOf(monday, frequency)

  test('with the whole of a week, and nothing for the provider', async () => {
    const subscription = await weekly({ dueDay: today(Frequency.WEEKLY) })
    await protocol.join(subscription, alice)
    expect(await protocol.feeBalance(subscription, alice)).toBe(units('0.14'))
    expect(await remitOnly(monday)).toEqual([
      'Coordinates 1,1,0',
      'FEEFILL alice 7',
      'Transfer alice→contract 7',
      'Transfer contract→keeper 0.14',
      `CallerLog ${monday} finished`,
    ])
    expect(await protocol.feeBalance(subscription, alice)).toBe(units('7'))
  })

  test.each([
    ['a quarter of a month', Frequency.MONTHLY, '3', '9'],
    ['a twelfth of a quarter', Frequency.QUARTERLY, '1', '11'],
    ['a twelfth of a year', Frequency.YEARLY, '1', '11'],
  ])('with %s, and the rest for the provider', async (_, frequency, fill, rest) => {
    const subscription = await weekly({ amount: units('12'), frequency, dueDay: today(frequency) })
    await protocol.join(subscription, alice)
    expect(await remitOnly(monday)).toEqual([
      `Coordinates 1,1,${frequency}`,
      'FEEFILL alice 12',
      `Transfer alice→contract ${fill}`,
      `PROVPAID alice ${rest}`,
      `Transfer alice→provider ${rest}`,
      'Transfer contract→keeper 0.24',
      `CallerLog ${monday} finished`,
    ])
    // The fee of this very remit is taken in the same step.
    expect(await protocol.feeBalance(subscription, alice)).toBe(units(fill))
  })

  test('in parts that are divided first and then multiplied', async () => {
    const amount = units('12') + 11n
    const terms = { amount, frequency: Frequency.QUARTERLY, token: dai, dueDay: today(Frequency.QUARTERLY) }
    const subscription = await weekly(terms)
    await protocol.join(subscription, alice)
    const before = await protocol.balanceOf(dai, provider)
    const filled = await protocol.feeBalance(subscription, alice)
    await remitOnly(monday)
    const { fill, toProvider } = fillPeriod(amount, Frequency.QUARTERLY)
    expect(fill + toProvider).toBe(amount - 11n)
    expect((await protocol.balanceOf(dai, provider)) - before).toBe(toProvider)
    expect(await protocol.feeBalance(subscription, alice)).toBe(
      filled + fill - ((amount * 10_200n) / 10_000n - amount),
    )
  })

  test('again when the balance has run down to one fee, not before it', async () => {
    const subscription = await weekly({ dueDay: 2 })
    await protocol.send(admin, 'changeCallerFee', [10_500n])
    // One seventh, 1 USDC: two fees of 0.35, then a fill.
    await protocol.join(subscription, alice)
    const kinds: (string | undefined)[] = []
    for (const day of [1, 8, 15]) {
      await chain.advanceDays(monday + day - Math.floor((await chain.now()) / 86_400))
      kinds.push((await remitOnly(monday + day))[1])
    }
    expect(kinds).toEqual(['SUBPAID alice 7', 'SUBPAID alice 7', 'FEEFILL alice 7'])
    expect(await protocol.feeBalance(subscription, alice)).toBe(units('6.95'))
  })
})

describe('remit drops', () => {
  const due = async () => {
    await chain.advanceDays(2)
    return remitOnly(monday + 2)
  }
  const DROPPED = [
    'PROVREFUND alice 1.86',
    'Transfer contract→provider 1.86',
    'UNSUBSCRIBED alice 7',
    'FAILED alice 0',
    'Coordinates 1,1,0',
    'Transfer contract→keeper 0.14',
  ]

  test('a subscriber whose allowance is below a full period, at once', async () => {
    const subscription = await weekly()
    await protocol.join(subscription, alice)
    await protocol.fund(usdc, alice, { allowance: 6_999_999n })
    expect(await due()).toEqual([...DROPPED, `CallerLog ${monday + 2} finished`])
    expect(await protocol.feeBalance(subscription, alice)).toBe(0n)
    expect(await protocol.subscribersOf(subscription)).toEqual([])
    const { subscriptions } = await protocol.read('getAccount', [alice])
    expect(subscriptions).toEqual([{ id: subscription.id, dueDay: 3, frequency: 0, status: 2 }])
  })

  test('a subscriber whose balance is below a full period, at once', async () => {
    await protocol.join(await weekly(), alice, { balance: 8_999_999n })
    expect(await due()).toEqual([...DROPPED, `CallerLog ${monday + 2} finished`])
  })

  test('nobody who has exactly a full period of both', async () => {
    await protocol.join(await weekly(), alice, { balance: 9_000_000n, allowance: 9_000_000n })
    expect(await due()).toContain('SUBPAID alice 7')
  })

  test('whoever approved exactly one period, which subscribe has spent in part', async () => {
    await protocol.join(await weekly(), alice, { allowance: 7_000_000n })
    expect(await due()).toContain('FAILED alice 0')
  })

  test('a subscriber from the second of two subscriptions that share an allowance for one', async () => {
    const first = await weekly()
    const second = await weekly()
    for (const subscription of [first, second]) await protocol.join(subscription, alice)
    await protocol.fund(usdc, alice, { allowance: 7_000_000n })
    await due()
    // The list is walked from its end.
    expect(await protocol.subscribersOf(second)).toEqual([alice])
    expect(await protocol.subscribersOf(first)).toEqual([])
  })

  test('without paying out a fee balance that is not more than one fee: it stays locked', async () => {
    const subscription = await weekly({ dueDay: dueDayOf(monday, Frequency.WEEKLY) })
    await protocol.join(subscription, alice)
    await protocol.fund(usdc, alice, { allowance: 0n })
    expect(await remitOnly(monday)).toEqual([
      'UNSUBSCRIBED alice 7',
      'FAILED alice 0',
      'Coordinates 1,1,0',
      'Transfer contract→keeper 0',
      `CallerLog ${monday} finished`,
    ])
    expect(await protocol.feeBalance(subscription, alice)).toBe(units('0.14'))
    expect(await protocol.reverts(alice, 'unsubscribe', [subscription])).toBe('3')
  })

  test('some and charges the others of the same set', async () => {
    const subscription = await weekly()
    for (const account of [alice, bob, carol]) await protocol.join(subscription, account)
    await protocol.fund(usdc, bob, { allowance: 0n })
    const lines = await due()
    expect(lines.filter((line) => /^(SUBPAID|FAILED)/.test(line))).toEqual([
      'SUBPAID carol 7',
      'FAILED bob 0',
      'SUBPAID alice 7',
    ])
    expect(lines).toContain('Transfer contract→keeper 0.42')
    expect(await protocol.subscribersOf(subscription)).toEqual([alice, carol])
  })

  test('who may subscribe again afterwards', async () => {
    const subscription = await weekly()
    await protocol.join(subscription, alice)
    await protocol.fund(usdc, alice, { allowance: 0n })
    await due()
    await protocol.fund(usdc, alice, { allowance: maxUint256 })
    await protocol.send(alice, 'subscribe', [subscription])
    expect(await protocol.subscribersOf(subscription)).toEqual([alice])
    expect(await protocol.read('getIdByTime', [0n, 3])).toEqual([subscription.id])
  })
})
