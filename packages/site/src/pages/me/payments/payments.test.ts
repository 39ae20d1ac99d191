import type { GetAccountActivityAnswer, Subscription } from '@remit/client'
import { usePageModules } from '@remit/testing/support/browser/usePageModules'
import { expect, it } from 'vitest'
import type { PastPayment } from './payments.ts'

usePageModules()

const A = '0x00000000000000000000000000000000000000aa'
const AT = new Date(0)

type Event = GetAccountActivityAnswer['events'][number]
const eventOf = (eventName: string, transactionHash: string, amountRaw: bigint, more: object = {}) =>
  // Safe: it is all that is looked at.
  ({
    id: '0x1',
    subscriber: A,
    eventName,
    transactionHash,
    logIndex: 1,
    amountRaw,
    formattedTimestamp: AT,
    ...more,
  }) as unknown as Event

// Safe: it is all that is looked at.
const PLAN = {
  id: '0x1',
  frequency: 1,
  tokenDecimals: 6,
  token: { address: '0x7', symbol: 'USDC' },
} as unknown as Subscription

const quantity = (amountRaw: bigint) => ({ amount: '', amountRaw, tokenDecimals: 6 })
const RESERVE = { day: { dayNumber: 0, date: '1970-01-01' }, toProvider: quantity(0n) }

it('payments are one row each, of what the token moved, and ends say who ended it', async () => {
  const { paymentsIn } = await import('./payments.ts')
  const behind = { logIndex: 2 }
  const events = [
    eventOf('Unsubscribed', '0xf', 100n),
    eventOf('ProviderRefunded', '0xe', 3n, behind),
    eventOf('Unsubscribed', '0xe', 100n),
    eventOf('Failed', '0xd', 0n, behind),
    eventOf('Unsubscribed', '0xd', 100n),
    eventOf('ProviderPaid', '0xc', 100n),
    eventOf('SubscriberPaid', '0xc', 100n),
    // A period that fills the fee balance logs all of it, and what went to the provider beside.
    eventOf('ProviderPaid', '0xb', 75n),
    eventOf('FeeFilled', '0xb', 100n),
    eventOf('ProviderPaid', '0xa', 30n),
    eventOf('FeeFilled', '0xa', 25n),
    eventOf('Subscribed', '0xa', 100n),
    // Another plan, and another wallet.
    eventOf('SubscriberPaid', '0xc', 7n, { id: '0x2' }),
    eventOf('SubscriberPaid', '0xc', 100n, { subscriber: '0xbb' }),
  ]
  const reserve = { ...RESERVE, toSubscriber: quantity(25n) }
  const known = { events, reserves: new Map([['0xf/1', reserve]]) }
  const rows = paymentsIn(known, { plans: [PLAN], account: A })
  const told = rows.map((row) => [
    row.kind,
    row.amountRaw,
    row.reserve?.toSubscriber.amountRaw,
    row.transactionHash,
  ])
  expect(told).toEqual([
    ['removed', undefined, 25n, '0xf'],
    ['left', undefined, undefined, '0xe'],
    ['dropped', undefined, undefined, '0xd'],
    ['period', 100n, undefined, '0xc'],
    ['fill', 100n, undefined, '0xb'],
    ['first', 55n, undefined, '0xa'],
  ])
})

it('a payment that fills the fee balance counts what both transfers moved, each cut off on its own', async () => {
  const { paymentsIn } = await import('./payments.ts')
  const events = [eventOf('ProviderPaid', '0xb', 9_166_666n), eventOf('FeeFilled', '0xb', 10_000_000n)]
  const [row] = paymentsIn(
    { events, reserves: new Map() },
    { plans: [{ ...PLAN, frequency: 2 }], account: A },
  )
  expect(row?.amountRaw).toBe(9_999_999n)
})

it('totals are exact, by month and token and by plan', async () => {
  const { ofMonth, totalsOf } = await import('./Paid.tsx')
  const paid = (at: string, amountRaw: bigint | undefined, plan = PLAN, backRaw = 0n): PastPayment => ({
    kind: amountRaw === undefined ? 'removed' : 'period',
    at: new Date(at),
    amountRaw,
    reserve: amountRaw === undefined ? { ...RESERVE, toSubscriber: quantity(backRaw) } : undefined,
    plan,
    transactionHash: '0x',
    logIndex: 0,
    finalized: true,
  })
  const other = { ...PLAN, id: '0x12', token: { ...PLAN.token, address: A } } as Subscription
  const payments = [
    paid('2026-03-01T00:00:00Z', 5n),
    paid('2026-02-28T23:59:59Z', 10_000_001n),
    paid('2026-02-28T20:00:00Z', 2n, other),
    paid('2026-02-01T00:00:00Z', 1n),
    paid('2026-02-01T00:00:00Z', undefined, PLAN, 4n),
    paid('2026-01-01T00:00:00Z', undefined),
  ]
  const totals = totalsOf(payments, ofMonth)
  expect(totals.map(({ key, count, raw, backRaw }) => [key.slice(0, 7), count, raw, backRaw])).toEqual([
    ['2026-03', 1, 5n, 0n],
    ['2026-02', 2, 10_000_002n, 4n],
    ['2026-02', 1, 2n, 0n],
  ])
  const byPlan = totalsOf(payments, ({ plan }) => plan.id)
  expect(byPlan.map(({ key, count, raw, backRaw }) => [key, count, raw, backRaw])).toEqual([
    [PLAN.id, 3, 10_000_007n, 4n],
    ['0x12', 1, 2n, 0n],
  ])
})
