import {
  address,
  ann,
  backlog,
  bob,
  caller,
  cem,
  contract,
  dee,
  idOf,
  monday,
  type Plan,
  provider,
  rich,
  token,
} from '@remit/testing/support/models/remitBacklog'
import { describe, expect, it } from 'vitest'
import { dayNumberOf, dueDayOn } from '../calendar.ts'
import { forecastRemit } from './forecastRemit.ts'
import { type Checkpoint, dueListsBetween, removeAt } from './remitState.ts'

describe('forecastRemit', () => {
  it('has nothing to do where every day up to today is empty', () => {
    const days = { nextUncheckedDay: monday - 20 }
    expect(forecastRemit(backlog([], days))).toEqual({
      days: [],
      expectedTransactions: 0,
      callerFees: [],
      failing: [],
      skipped: [],
      nextUncheckedDay: monday - 20,
    })
    expect(forecastRemit(backlog([{ id: 1, subscribers: [] }]))).toMatchObject({ expectedTransactions: 0 })
    expect(forecastRemit(backlog([{ id: 1 }], { nextUncheckedDay: monday + 1 }))).toMatchObject({
      expectedTransactions: 0,
    })
  })

  it('counts subscribers, not subscriptions, and what the caller earns', () => {
    const plans: Plan[] = [
      { id: 1, subscribers: [ann, bob] },
      { id: 2, subscribers: [cem] },
      { id: 3, frequency: 1, subscribers: [dee] },
    ]
    expect(forecastRemit(backlog(plans))).toEqual({
      days: [
        { dayNumber: monday, subscriptions: 3, subscribers: 4, willPay: 4, willFail: 0, transactions: 1 },
      ],
      expectedTransactions: 1,
      callerFees: [{ token, amountRaw: 80n }],
      failing: [],
      skipped: [],
      nextUncheckedDay: monday + 1,
    })
  })

  it('takes the system’s share out of the caller’s part, each truncated', () => {
    const accounts = { contract, caller, systemFeeReceiver: address(0x5e) }
    const changes = { systemFee: 11_000n, accounts }
    const { callerFees } = forecastRemit(backlog([{ id: 1, amount: 1_050n }], changes))
    expect(callerFees).toEqual([{ token, amountRaw: 19n }])
  })

  it('clears one day that is not empty in one transaction, and walks the empty ones along', () => {
    const weeks = { nextUncheckedDay: monday - 16, currentDay: monday + 3 }
    const forecast = forecastRemit(backlog([{ id: 1 }], weeks))
    expect(forecast.days.map(({ dayNumber }) => dayNumber)).toEqual([monday - 14, monday - 7, monday])
    expect(forecast).toMatchObject({ expectedTransactions: 3, nextUncheckedDay: monday + 1 })
  })

  it('needs one transaction for each page of maxRemits subscribers', () => {
    const four = { id: 1, subscribers: [ann, bob, cem, dee] }
    const transactions = (maxRemits: number) =>
      forecastRemit(backlog([four], { maxRemits })).expectedTransactions
    expect([1, 2, 3, 4, 5].map(transactions)).toEqual([4, 2, 2, 1, 1])
  })

  it('spends a transaction on a day whose subscriptions are all cancelled or paused', () => {
    const plans: Plan[] = [
      { id: 1, cancelled: true },
      { id: 2, paused: true },
    ]
    const weeks = { nextUncheckedDay: monday - 7 }
    const forecast = forecastRemit(backlog(plans, weeks))
    expect(forecast.days.map(({ transactions, subscribers }) => [transactions, subscribers])).toEqual([
      [1, 0],
      [1, 0],
    ])
    // On the first of the two days the cancelled subscription leaves its list. The paused one keeps that day from being empty.
    expect(forecastRemit(backlog([{ id: 1, cancelled: true }], weeks)).expectedTransactions).toBe(1)
  })

  it('drops on the second due day who could pay only the first', () => {
    const weeks = { nextUncheckedDay: monday - 14 }
    const short = [{ token, account: ann, balance: 10n ** 30n, allowance: 1_999n }]
    const forecast = forecastRemit(backlog([{ id: 1 }], { ...weeks, funds: short }))
    expect(forecast.failing).toEqual([
      { id: idOf(1), subscriber: ann, dayNumber: monday - 7, reason: 'allowance' },
    ])
    // On the third Monday nobody is left.
    expect(forecast.days.map(({ willPay, willFail }) => [willPay, willFail])).toEqual([
      [1, 0],
      [0, 1],
    ])
  })

  it('spends one allowance and one balance on all of a wallet’s subscriptions', () => {
    const plans: Plan[] = [{ id: 1 }, { id: 2, amount: 600n }]
    const funds = [{ token, account: ann, balance: 1_500n, allowance: 10n ** 30n }]
    // The list is walked from its end: the second takes 600, and 900 are too few for the first.
    expect(forecastRemit(backlog(plans, { funds })).failing).toEqual([
      { id: idOf(1), subscriber: ann, dayNumber: monday, reason: 'balance' },
    ])
  })

  it('lets a provider pay with what it has just received', () => {
    const plans: Plan[] = [
      { id: 1, frequency: 1, subscribers: [provider] },
      { id: 2, subscribers: [ann] },
    ]
    const own = { token, account: provider, balance: 0n, allowance: 10n ** 30n }
    const asPayer = forecastRemit(backlog(plans, { funds: [rich(ann), own] }))
    expect(asPayer.failing).toEqual([])
  })

  it('pays a drop’s fee and sends the rest of its fee balance to the provider', () => {
    const poor = [{ token, account: ann, balance: 0n, allowance: 0n }]
    const fees = (feeBalance: bigint) => {
      const subscribers = [{ address: ann, feeBalance }]
      return forecastRemit(backlog([{ id: 1, subscribers }], { funds: poor })).callerFees
    }
    expect(fees(21n)).toEqual([{ token, amountRaw: 20n }])
    // A balance of exactly one fee stays locked; the transfer of 0 is made all the same.
    expect(fees(20n)).toEqual([{ token, amountRaw: 0n }])
  })

  it('fills the fee balance where it is not more than one fee', () => {
    const low = [{ address: ann, feeBalance: 20n }]
    const funds = [
      { token, account: ann, balance: 10_000n, allowance: 1_000n },
      { token, account: contract, balance: 20n, allowance: 0n },
    ]
    const forecast = forecastRemit(backlog([{ id: 1, frequency: 1, subscribers: low }], { funds }))
    expect(forecast).toMatchObject({ days: [{ willPay: 1 }], callerFees: [{ token, amountRaw: 20n }] })
  })

  it('reports subscribers who lose a period because a page broke off below their position', () => {
    const plans: Plan[] = [
      { id: 1, subscribers: [ann, bob] },
      { id: 2, frequency: 1, subscribers: [cem] },
      { id: 3, frequency: 1, subscribers: [dee] },
    ]
    const forecast = forecastRemit(backlog(plans, { maxRemits: 1 }))
    expect(forecast.skipped).toEqual([{ id: idOf(3), dayNumber: monday }])
    expect(forecast).toMatchObject({ days: [{ subscribers: 3, transactions: 3 }], expectedTransactions: 3 })
  })

  it('passes over accounts on the unsubscribed list without counting them', () => {
    const listed = { address: bob, feeBalance: 0n, isUnsubscribed: true }
    const forecast = forecastRemit(backlog([{ id: 1, subscribers: [ann, listed, cem] }], { maxRemits: 2 }))
    expect(forecast).toMatchObject({ expectedTransactions: 1, days: [{ subscribers: 2 }] })
  })

  it('tests the limit before it looks at the unsubscribed list', () => {
    const listed = { address: ann, feeBalance: 0n, isUnsubscribed: true }
    const forecast = forecastRemit(backlog([{ id: 1, subscribers: [listed, bob] }], { maxRemits: 1 }))
    // The page breaks off at the listed account, whose position then ends the day unpaid: its share
    // was paid at the break.
    expect(forecast).toMatchObject({ expectedTransactions: 2, callerFees: [{ token, amountRaw: 20n }] })
  })

  it('counts listed accounts that the view does not show by the size of the set', () => {
    const plan = { id: 1, subscribers: [ann, bob], setSize: 3, unsubscribedCount: 1 }
    const forecast = forecastRemit(backlog([plan], { maxRemits: 2 }))
    expect(forecast).toMatchObject({
      days: [{ subscribers: 2 }],
      expectedTransactions: 1,
      callerFees: [{ token, amountRaw: 40n }],
    })
    // All of its members are listed: nobody is charged, and yet the day is not empty.
    const emptied = forecastRemit(backlog([{ id: 1, subscribers: [], setSize: 2, unsubscribedCount: 2 }]))
    expect(emptied).toMatchObject({ days: [{ subscribers: 0 }], expectedTransactions: 1, callerFees: [] })
  })

  it('leaves the fees in the contract where the account at position 1 is listed, or nobody is live', () => {
    const listed = { address: ann, feeBalance: 0n, isUnsubscribed: true }
    expect(forecastRemit(backlog([{ id: 1, subscribers: [listed, bob] }])).callerFees).toEqual([])
    expect(forecastRemit(backlog([{ id: 1, subscribers: [bob], unsubscribedCount: 1 }])).callerFees).toEqual(
      [],
    )
  })

  it('fails on a missing payer rather than guess its funds', () => {
    expect(() => forecastRemit(backlog([{ id: 1 }], { funds: [] }))).toThrow(`The funds of ${ann}`)
  })
})

describe('from a checkpoint', () => {
  const checkpoint = (changes: Partial<Checkpoint> = {}): Checkpoint => ({
    id: idOf(1),
    subscriberPosition: 1,
    subscriptionPosition: 1,
    frequency: 0,
    ...changes,
  })
  const two: Plan = { id: 1, subscribers: [ann, bob] }

  it('goes on below what was processed', () => {
    const forecast = forecastRemit(
      backlog([two, { id: 2, subscribers: [cem] }], { checkpoint: checkpoint() }),
    )
    expect(forecast).toMatchObject({ expectedTransactions: 1, days: [{ subscriptions: 1, subscribers: 1 }] })
  })

  it('cuts later frequencies at the same position', () => {
    const later: Plan[] = [3, 4].map((id) => ({ id, frequency: 1, subscribers: [cem] }))
    const forecast = forecastRemit(backlog([two, ...later], { checkpoint: checkpoint() }))
    expect(forecast.skipped).toEqual([{ id: idOf(4), dayNumber: monday }])
    expect(forecast.days).toMatchObject([{ subscribers: 2 }])
  })

  it.each([{ cancelled: true }, { paused: true }, { subscribers: [] }])(
    'takes a period from nobody where what is cut off is %o',
    (state) => {
      const later: Plan[] = [{ id: 3, frequency: 1, subscribers: [cem] }]
      const cut = { id: 4, frequency: 1, subscribers: [dee], ...state } as const
      const plans = [two, ...later, cut]
      expect(forecastRemit(backlog(plans, { checkpoint: checkpoint() })).skipped).toEqual([])
    },
  )

  it('has the day empty where nothing but the frequencies before it is due', () => {
    const later = checkpoint({ frequency: 1 })
    expect(forecastRemit(backlog([two], { checkpoint: later })).expectedTransactions).toBe(0)
  })

  it.each([{ cancelled: true }, { paused: true }])('walks the rest in full where it is %o', (state) => {
    const later: Plan[] = [3, 4].map((id) => ({ id, frequency: 1, subscribers: [cem] }))
    const forecast = forecastRemit(backlog([{ ...two, ...state }, ...later], { checkpoint: checkpoint() }))
    expect(forecast.skipped).toEqual([])
    expect(forecast.days).toMatchObject([{ subscribers: 2 }])
  })

  it('pays nobody on that day where it is never met', () => {
    const gone = checkpoint({ id: idOf(9), subscriptionPosition: 5 })
    expect(forecastRemit(backlog([two], { checkpoint: gone }))).toMatchObject({
      expectedTransactions: 1,
      days: [{ dayNumber: monday, subscribers: 0 }],
    })
    const above = checkpoint({ id: idOf(9), frequency: 3 })
    expect(forecastRemit(backlog([two], { checkpoint: above })).expectedTransactions).toBe(0)
    for (const subscriberPosition of [0, 3]) {
      const beyond = checkpoint({ subscriberPosition })
      expect(forecastRemit(backlog([two], { checkpoint: beyond }))).toMatchObject({
        days: [{ subscribers: 0 }],
      })
    }
  })

  it('counts only for the day that it was left on', () => {
    const weeks = { nextUncheckedDay: monday - 7, checkpoint: checkpoint() }
    const forecast = forecastRemit(backlog([two], weeks))
    expect(forecast.days.map(({ subscribers }) => subscribers)).toEqual([1, 2])
  })
})

describe('a stall', () => {
  const yearly: Plan = { id: 1, frequency: 3, dueDay: dueDayOn(monday, 3).dueDay }

  it('is reported where more empty days than one call can walk lie before a due one', () => {
    const stalledOver = (emptyDays: number) =>
      forecastRemit(backlog([yearly], { nextUncheckedDay: monday - emptyDays, emptyDaysPerCall: 5 }))
    expect(stalledOver(5)).toMatchObject({ expectedTransactions: 1 })
    expect(stalledOver(5).stalled).toBeUndefined()
    expect(stalledOver(6)).toMatchObject({
      expectedTransactions: 0,
      stalled: { dayNumber: monday - 6, reason: 'emptyDays', dueDayNumber: monday },
    })
  })

  it('is not reported where nothing waits behind the empty days', () => {
    const days = { nextUncheckedDay: 0, emptyDaysPerCall: 5 }
    expect(forecastRemit(backlog([], days)).stalled).toBeUndefined()
  })

  it('is reported where maxRemits is 0', () => {
    expect(forecastRemit(backlog([{ id: 1 }], { maxRemits: 0 }))).toMatchObject({
      expectedTransactions: 0,
      stalled: { dayNumber: monday, reason: 'maxRemits' },
    })
  })

  it('is reported where an unsubscribed list has outgrown its set', () => {
    expect(forecastRemit(backlog([{ id: 1, unsubscribedCount: 2 }])).stalled).toEqual({
      dayNumber: monday,
      reason: 'listedExceedSubscribers',
    })
  })

  it('is reported where the contract is known to hold too little', () => {
    const funds = [rich(ann), { token, account: contract, balance: 19n, allowance: 0n }]
    expect(forecastRemit(backlog([{ id: 1 }], { funds })).stalled?.reason).toBe('contractFunds')
  })
})

const day = (date: string) => dayNumberOf(date) ?? Number.NaN

describe('dueListsBetween', () => {
  it('names the lists of each day and no list for days that match nothing', () => {
    expect(dueListsBetween(day('2025-12-30'), day('2026-01-01'))).toEqual([
      { frequency: 0, dueDay: 2 },
      { frequency: 3, dueDay: 364 },
      { frequency: 0, dueDay: 3 },
      { frequency: 3, dueDay: 365 },
      { frequency: 0, dueDay: 4 },
      { frequency: 1, dueDay: 1 },
      { frequency: 2, dueDay: 1 },
      { frequency: 3, dueDay: 1 },
    ])
  })

  it('names every list once, however long the backlog', () => {
    expect(dueListsBetween(0, 2_000_000)).toHaveLength(7 + 28 + 90 + 365)
  })

  it('is empty where remit is up to date', () => {
    expect(dueListsBetween(10, 9)).toEqual([])
  })
})

it('removeAt moves the last element into the gap', () => {
  const list = ['a', 'b', 'c', 'd']
  removeAt(list, 2)
  expect(list).toEqual(['a', 'd', 'c'])
  removeAt(list, 3)
  expect(list).toEqual(['a', 'd'])
  removeAt(list, 1)
  removeAt(list, 1)
  expect(list).toEqual([])
})
