import { Frequency, protocolOn, tupleOf, units } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { indexed } from '@remit/testing/support/service/indexed'
import { lasting, useTestService } from '@remit/testing/support/service/testService'
import { expect, it } from 'vitest'
import * as z from 'zod'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice, bob, carol, dave, provider, otherProvider, keeper, stranger } = chain.wallets

// From Monday, 2 March 2026.
const weekly = await protocol.create()
const monthly = await protocol.create({ frequency: Frequency.MONTHLY, dueDay: 9, amount: units('20') })
const ended = await protocol.create({ dueDay: 5 })
const elsewhere = await protocol.create({ provider: otherProvider })
await protocol.send(provider, 'editDetails', [{ url: '', description: 'Beans for a week' }, weekly.id])
await protocol.join(weekly, alice)
await protocol.join(monthly, alice, { balance: 1_000_000_000n })
await protocol.join(weekly, bob, { balance: 25_000_000n })
await protocol.join(weekly, carol, { allowance: 25_000_000n })
await protocol.join(ended, alice)
await protocol.join(elsewhere, dave)
await protocol.join(weekly, dave)
await protocol.send(dave, 'unsubscribe', [tupleOf(weekly.id)])
await protocol.send(provider, 'cancelSubscription', [tupleOf(ended.id)])
// Wednesday the 4th, which remit charges: carol again, later than the others.
await chain.advanceDays(2)
for (let calls = 0; calls < 6; calls += 1) await protocol.send(keeper, 'remit', []).catch(() => undefined)
await protocol.send(carol, 'unsubscribe', [tupleOf(weekly.id)])
await protocol.send(carol, 'subscribe', [tupleOf(weekly.id)])
await chain.keep()
const service = await useTestService([chain], { SWEEP_REQUESTS_PER_HOUR: '100000' })

const Members = z.object({
  members: z.array(
    z.looseObject({
      subscriber: z.string(),
      subscription: z.looseObject({ id: z.string() }),
      description: z.string().nullable(),
      formattedSubscribedAt: z.string(),
      paidThrough: z.object({ date: z.string() }),
      nextCharge: z.looseObject({ date: z.string(), outcome: z.string() }).nullable(),
      trouble: z.looseObject({ date: z.string(), reason: z.string() }).nullable(),
    }),
  ),
  total: z.number(),
  count: z.number(),
  hasMore: z.boolean(),
  nextCursor: z.string().nullable(),
})
const NAMES = new Map([
  [alice, 'alice'],
  [bob, 'bob'],
  [carol, 'carol'],
  [dave, 'dave'],
] as const)
const nameOf = (address: string) => [...NAMES].find(([known]) => known === address)?.[1] ?? address

/** The members, once each has been looked at. */
async function membersOf(query = '', of = provider) {
  await indexed(service, chain)
  const read = async () => {
    const { status, body } = await service.get(`/providers/${of}/members${query}`)
    expect({ status, body }).toMatchObject({ status: 200 })
    return { body, ...Members.parse(body) }
  }
  await expect
    .poll(async () => (await read()).members.every(({ nextCharge }) => nextCharge !== null), {
      timeout: 15_000,
    })
    .toBe(true)
  return read()
}

const rowsOf = async (query = '') =>
  (await membersOf(query)).members.map(({ subscriber, subscription }) => [
    nameOf(subscriber),
    subscription.id === weekly.id ? 'weekly' : 'monthly',
  ])

it('lists who is charged by the provider, who will not pay first, with what is known of each', async () => {
  const { body, members, total, hasMore } = await membersOf()
  expect([total, hasMore]).toEqual([4, false])
  const told = members.map(({ subscriber, description, paidThrough, nextCharge, trouble, ...row }) => [
    nameOf(subscriber),
    description,
    row.formattedSubscribedAt.slice(0, 10),
    paidThrough.date,
    `${nextCharge?.date} ${nextCharge?.outcome}`,
    trouble && `${trouble.date} ${trouble.reason}`,
  ])
  expect(told).toEqual([
    // She has subscribed again, on the due day: a whole period more of what she allows.
    ['carol', 'Beans for a week', '2026-03-04', '2026-03-10', '2026-03-11 fails', '2026-03-11 allowance'],
    ['bob', 'Beans for a week', '2026-03-02', '2026-03-10', '2026-03-11 pays', '2026-03-18 balance'],
    ['alice', 'A plan', '2026-03-02', '2026-03-08', '2026-03-09 pays', null],
    ['alice', 'Beans for a week', '2026-03-02', '2026-03-10', '2026-03-11 pays', null],
  ])
  const [row] = z.object({ members: z.array(z.looseObject({})) }).parse(body).members
  // The chain's clock may be a second later.
  const { subscribedAt, formattedSubscribedAt, readAt, ...others } = row ?? {}
  expect(Date.parse(String(formattedSubscribedAt))).toBe(Number(subscribedAt) * 1_000)
  expect(readAt).toEqual({ blockNumber: 38, timestamp: expect.closeTo(Number(subscribedAt), -1) })
  expect(lasting(others, { [weekly.id]: '0xWEEKLY' })).toMatchInlineSnapshot(`
    {
      "description": "Beans for a week",
      "nextCharge": {
        "date": "2026-03-11",
        "dayNumber": 20523,
        "outcome": "fails",
      },
      "paidThrough": {
        "date": "2026-03-10",
        "dayNumber": 20522,
      },
      "subscriber": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
      "subscription": {
        "amount": "10",
        "amountRaw": "10000000",
        "cancelled": false,
        "dueDay": 3,
        "frequency": 0,
        "frequencyLabel": "WEEKLY",
        "id": "0xWEEKLY",
        "nextDue": {
          "date": "2026-03-11",
          "dayNumber": 20523,
        },
        "overdue": [],
        "overdueCount": 0,
        "provider": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
        "token": {
          "address": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
          "decimals": 6,
          "name": "USD Coin (dev chain)",
          "symbol": "USDC",
        },
        "tokenDecimals": 6,
      },
      "trouble": {
        "date": "2026-03-11",
        "dayNumber": 20523,
        "missing": {
          "allowance": {
            "amount": "7.857142",
            "amountRaw": "7857142",
            "tokenDecimals": 6,
          },
          "balance": {
            "amount": "0",
            "amountRaw": "0",
            "tokenDecimals": 6,
          },
        },
        "reason": "allowance",
      },
    }
  `)
})

it('sorts by what is asked for, and tells one subscription apart', async () => {
  const newest = await rowsOf('?sort=subscribedAt&order=desc')
  expect([newest.length, newest[0]]).toEqual([4, ['carol', 'weekly']])
  expect((await rowsOf('?sort=nextCharge'))[0]).toEqual(['alice', 'monthly'])
  const byAddress = [...NAMES].map(([address, name]) => [address.toLowerCase(), name]).sort()
  const ofWeekly = byAddress.filter(([, name]) => name !== 'dave').map(([, name]) => [name, 'weekly'])
  expect(await rowsOf(`?sort=subscriber&subscriptionId=${weekly.id}`)).toEqual(ofWeekly)
})

it.each([
  [(address: string) => address.toLowerCase()],
  [(address: string) => address.slice(0, 10)],
  [(address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`],
  [(address: string) => address.slice(12, 24)],
])('finds an address by what is copied of it', async (write) => {
  const rows = await rowsOf(`?subscriber=${encodeURIComponent(write(bob))}`)
  expect(rows).toEqual([['bob', 'weekly']])
  expect((await membersOf(`?subscriber=${encodeURIComponent(write(stranger))}`)).total).toBe(0)
})

it.each(['trouble', 'nextCharge', 'subscribedAt', 'subscriber'])(
  'pages by %s in both directions: everybody once, in the order of the whole list',
  async (sort) => {
    for (const order of ['asc', 'desc']) {
      const query = `?sort=${sort}&order=${order}`
      const whole = await rowsOf(query)
      const rows: string[][] = []
      let after = ''
      for (;;) {
        const page = await membersOf(`${query}&first=1${after}`)
        expect(page).toMatchObject({ total: 4, count: 1 })
        rows.push(
          ...page.members.map(({ subscriber, subscription }) => [
            nameOf(subscriber),
            subscription.id === weekly.id ? 'weekly' : 'monthly',
          ]),
        )
        if (page.nextCursor === null) break
        after = `&after=${page.nextCursor}`
      }
      expect(rows).toEqual(whole)
    }
  },
)

it('is empty for one who has no members', async () => {
  expect(await membersOf('', stranger)).toMatchObject({ members: [], total: 0, nextCursor: null })
})

it.each([
  ['first=501', 'first'],
  ['sort=amount', 'sort'],
  ['subscriber=bob', 'subscriber'],
  ['subscriptionId=0x12', 'subscriptionId'],
  [`after=subscriber-asc-0-0x${'11'.repeat(20)}-0x${'22'.repeat(32)}`, 'after'],
])('refuses %s and names %s', async (query, field) => {
  await indexed(service, chain)
  const { status, body } = await service.get(`/providers/${provider}/members?${query}`)
  expect([status, body]).toMatchObject([400, { code: 'VALIDATION_ERROR', issues: [{ path: field }] }])
})
