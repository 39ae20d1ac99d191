import { BlockingToken } from '@remit/contracts/BlockingToken'
import { TestToken } from '@remit/contracts/TestToken'
import { dayNumberOf } from '@remit/protocol/calendar'
import { approvedToken } from '@remit/testing/support/chain/approvedToken'
import { contractAt } from '@remit/testing/support/chain/contractAt'
import { Frequency, protocolOn } from '@remit/testing/support/chain/protocolOn'
import { MONDAY_NOON, useTestChain } from '@remit/testing/support/chain/useTestChain'
import { indexed } from '@remit/testing/support/service/indexed'
import { lasting, useTestService } from '@remit/testing/support/service/testService'
import { afterEach, expect, it } from 'vitest'
import * as z from 'zod'

const maxRemits = 25n
const chain = await useTestChain({ goesOn: true, terms: { maxRemits } })
const protocol = protocolOn(chain)
const { admin, alice, bob, carol, dave, provider, otherProvider, stranger } = chain.wallets
const weekly = await protocol.create()
const monthly = await protocol.create({ frequency: Frequency.MONTHLY, dueDay: 9 })
const blocking = await approvedToken(chain, BlockingToken)
const elsewhere = await protocol.create({
  provider: otherProvider,
  token: blocking,
  frequency: Frequency.MONTHLY,
  dueDay: 20,
})
await protocol.join(weekly, alice)
await protocol.join(weekly, bob, { balance: 25_000_000n })
await protocol.join(weekly, carol, { allowance: 15_000_000n })
await protocol.join(monthly, alice)
await protocol.join(elsewhere, dave)
let wall = 0
const service = await useTestService([chain], { SWEEP_REQUESTS_PER_HOUR: '100000' }, () => wall * 1_000)
afterEach(() => {
  wall = 0
})

const Stopped = z.object({
  remit: z.object({ stop: z.looseObject({ day: z.object({ date: z.string() }) }).nullable() }),
})

const Outlook = Stopped.extend({
  income: z.object({
    totals: z.array(z.looseObject({ charges: z.number(), fails: z.number() })),
    days: z.array(z.looseObject({ date: z.string(), waits: z.number(), skipped: z.number() })),
  }),
  troubled: z.array(
    z.looseObject({ subscriber: z.string(), outcome: z.string(), reason: z.string().nullable() }),
  ),
  total: z.number(),
  nextCursor: z.string().nullable(),
  blockedBy: z.looseObject({ subscriber: z.string() }).nullable(),
  verdicts: z.object({ memberships: z.number(), unread: z.number() }),
})

const Unchecked = z.object({ nextUncheckedDay: z.object({ dayNumber: z.number() }) })

const SINCE = {
  readAt: { blockNumber: expect.any(Number), timestamp: expect.any(Number) },
  subscribedAt: expect.any(Number),
  formattedSubscribedAt: expect.stringMatching(/^2026-03-02T12:/),
}

/** Waits until every membership has a verdict. */
async function swept(path: string) {
  await indexed(service, chain)
  const deadline = performance.now() + 15_000
  for (;;) {
    const { status, body } = await service.get(path)
    expect({ status, body }).toMatchObject({ status: 200 })
    const outlook = Outlook.parse(body)
    if (outlook.verdicts.unread === 0) return { body, outlook }
    if (performance.now() > deadline) throw new Error(`never swept: ${JSON.stringify(outlook.verdicts)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

it('tells what a provider will earn, and who fails, when and why', async () => {
  const { body } = await swept(`/providers/${provider}/outlook`)
  const { troubled, verdicts, income, ...others } = Outlook.parse(lasting(body, { [weekly.id]: '0xWEEKLY' }))
  expect(verdicts).toMatchObject({ memberships: 4, unread: 0 })
  expect({ ...others, totals: income.totals, days: income.days.length }).toMatchInlineSnapshot(`
    {
      "blockedBy": null,
      "days": 5,
      "nextCursor": null,
      "remit": {
        "stop": null,
      },
      "total": 2,
      "totals": [
        {
          "charges": 8,
          "fails": 2,
          "income": {
            "amount": "80",
            "amountRaw": "80000000",
            "tokenDecimals": 6,
          },
          "missed": {
            "amount": "20",
            "amountRaw": "20000000",
            "tokenDecimals": 6,
          },
          "skipped": 0,
          "token": {
            "address": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
            "decimals": 6,
            "name": "USD Coin (dev chain)",
            "symbol": "USDC",
          },
          "waiting": {
            "amount": "0",
            "amountRaw": "0",
            "tokenDecimals": 6,
          },
          "waits": 0,
        },
      ],
    }
  `)
  for (const row of troubled) expect(row).toMatchObject(SINCE)
  expect(
    troubled.map(({ readAt: _, subscribedAt: __, formattedSubscribedAt: ___, ...row }) => row),
  ).toMatchInlineSnapshot(`
    [
      {
        "amount": "10",
        "amountRaw": "10000000",
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
        "outcome": "fails",
        "reason": "allowance",
        "subscriber": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
        "subscriptionId": "0xWEEKLY",
        "token": {
          "address": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
          "decimals": 6,
          "name": "USD Coin (dev chain)",
          "symbol": "USDC",
        },
        "tokenDecimals": 6,
      },
      {
        "amount": "10",
        "amountRaw": "10000000",
        "date": "2026-03-18",
        "dayNumber": 20530,
        "missing": {
          "allowance": {
            "amount": "0",
            "amountRaw": "0",
            "tokenDecimals": 6,
          },
          "balance": {
            "amount": "7.857142",
            "amountRaw": "7857142",
            "tokenDecimals": 6,
          },
        },
        "outcome": "fails",
        "reason": "balance",
        "subscriber": "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
        "subscriptionId": "0xWEEKLY",
        "token": {
          "address": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
          "decimals": 6,
          "name": "USD Coin (dev chain)",
          "symbol": "USDC",
        },
        "tokenDecimals": 6,
      },
    ]
  `)
})

it('begins today by the chain’s clock, where no block has come for days', async () => {
  const path = `/subscriptions/${weekly.id}/outlook?days=7`
  const { body: before } = await swept(path)
  expect(before).toMatchObject({ from: { date: '2026-03-02' }, through: { date: '2026-03-08' } })
  wall = MONDAY_NOON + 3 * 86_400
  const { body } = await service.get(path)
  expect(body).toMatchObject({
    from: { date: '2026-03-05' },
    through: { date: '2026-03-11' },
    // Wednesday is overdue by now, and carol fails on the next one.
    income: {
      days: [
        { date: '2026-03-04', charges: 3 },
        { date: '2026-03-11', fails: 1 },
      ],
    },
    troubled: [{ subscriber: carol, date: '2026-03-11' }],
    total: 1,
  })
})

it('gives the same of one subscription, and pages with exact totals', async () => {
  const { outlook } = await swept(`/subscriptions/${weekly.id}/outlook?days=60&first=1`)
  expect(outlook).toMatchObject({ total: 2, verdicts: { memberships: 3 } })
  const [first] = outlook.troubled
  const next = await swept(`/subscriptions/${weekly.id}/outlook?days=60&first=1&after=${outlook.nextCursor}`)
  expect([first?.subscriber, next.outlook.troubled[0]?.subscriber]).toEqual([carol, bob])
  expect([next.outlook.total, next.outlook.nextCursor]).toEqual([2, null])
})

it('reads all that are charged within it again where it is asked to, and not only who was short', async () => {
  const path = `/subscriptions/${weekly.id}/outlook`
  await swept(path)
  // What no log of the contract and no approval tells.
  const token = contractAt(chain.client, weekly.token, TestToken.abi)
  const balance = await protocol.balanceOf(weekly.token, alice)
  await token.send(alice, 'transfer', [stranger, balance])
  await protocol.fund(weekly.token, bob, { balance: 10n ** 12n })
  await indexed(service, chain)
  const rows = async (query: string) => {
    const { body } = await service.get(`${path}${query}`)
    const { troubled, ...outlook } = Outlook.parse(body)
    return { ...outlook, rows: troubled.map(({ subscriber, outcome }) => [subscriber, outcome]) }
  }
  expect((await rows('')).rows).toEqual([
    [carol, 'fails'],
    [bob, 'fails'],
  ])
  const fresh = await rows('?fresh=true')
  expect(fresh).toMatchObject({ total: 2, verdicts: { memberships: 3, unread: 0 } })
  expect(fresh.rows).toEqual([
    [alice, 'fails'],
    [carol, 'fails'],
    [bob, 'pays'],
  ])
  // Bob pays four times, carol once.
  expect(fresh.income.totals).toMatchObject([{ charges: 5, fails: 2 }])
  const first = await rows('?fresh=true&first=1')
  expect(first.rows).toEqual([[alice, 'fails']])
  expect((await rows(`?fresh=true&first=2&after=${first.nextCursor}`)).rows).toEqual(fresh.rows.slice(1))
  await token.send(stranger, 'transfer', [alice, balance])
  await protocol.fund(weekly.token, carol, { allowance: 10n ** 12n })
})

it('says from which day on everybody waits, and for whom', async () => {
  await contractAt(chain.client, blocking, BlockingToken.abi).send(admin, 'setBlacklisted', [dave, true])
  // An event of the payer, so that it is read again.
  const plan = await protocol.create()
  await protocol.join(plan, dave)
  const { outlook } = await swept(`/providers/${provider}/outlook`)
  expect(outlook.blockedBy).toMatchObject({
    subscriber: dave,
    subscriptionId: elsewhere.id,
    date: '2026-03-20',
  })
  const waiting = outlook.income.days.filter(({ waits }) => waits !== 0).map(({ date }) => date)
  expect(waiting.every((date) => date >= '2026-03-20')).toBe(true)
  expect(waiting.length).toBeGreaterThan(0)
})

it('lets everybody wait where remit stops for another reason, from the day on the account’s outlook names', async () => {
  await protocol.send(admin, 'changeMaxRemits', [0n])
  const { outlook } = await swept(`/providers/${provider}/outlook`)
  const { body } = await service.get(`/accounts/${alice}/outlook?days=29`)
  const { stop } = Stopped.parse(body).remit
  expect(stop).toMatchObject({ day: { date: '2026-03-04' }, blockedBy: 'paging' })
  // The blocked payer comes later.
  expect(outlook).toMatchObject({ blockedBy: null, remit: { stop: { day: stop?.day, blockedBy: 'paging' } } })
  expect(outlook.income.totals).toMatchObject([{ charges: 0, fails: 0 }])
  for (const day of outlook.income.days) expect(day).toMatchObject({ charges: 0, waits: expect.any(Number) })
  for (const row of outlook.troubled) expect(row).toMatchObject({ outcome: 'waits' })
  await protocol.send(admin, 'changeMaxRemits', [maxRemits])
})

it('lets nobody wait for a day that remit has finished, whatever a verdict of before says', async () => {
  const { nextUncheckedDay } = Unchecked.parse((await service.get('/protocol/state')).body)
  const behind = (dayNumberOf('2026-03-20') ?? expect.fail('a date')) + 1
  await protocol.send(admin, 'setNextUncheckedDay', [behind])
  await indexed(service, chain)
  const { body } = await service.get(`/providers/${provider}/outlook`)
  const { blockedBy, income, troubled, total } = Outlook.parse(body)
  expect(blockedBy).toBeNull()
  expect(income.days.map(({ date, waits }) => [date > '2026-03-20', waits])).toEqual(
    income.days.map(() => [true, 0]),
  )
  expect(income.days.length).toBeGreaterThan(0)
  expect(troubled.filter(({ outcome }) => outcome === 'waits')).toEqual([])
  expect(total).toBe(troubled.length)
  await protocol.send(admin, 'setNextUncheckedDay', [nextUncheckedDay.dayNumber])
})

it('expects nothing of a charge that a page break of remit skips', async () => {
  // Remit breaks off at the weekly subscription, which is the first of its list: of the monthly list, it skips the second.
  await protocol.send(admin, 'changeMaxRemits', [3n])
  const terms = { provider: stranger, frequency: Frequency.MONTHLY, dueDay: 4 }
  const plans = [await protocol.create(terms), await protocol.create(terms)]
  for (const plan of plans) await protocol.join(plan, alice)
  const { outlook } = await swept(`/providers/${stranger}/outlook?days=5`)
  expect(outlook.income.days).toMatchObject([{ date: '2026-03-04', charges: 1, skipped: 1 }])
})

it('refuses what it cannot answer, and a subscription that does not exist', async () => {
  const path = `/providers/${provider}/outlook`
  for (const [query, field] of [
    ['days=0', 'days'],
    ['days=93', 'days'],
    ['first=101', 'first'],
    ['after=nonsense', 'after'],
  ]) {
    const { status, body } = await service.get(`${path}?${query}`)
    expect({ status, body }).toMatchObject({ status: 400, body: { issues: [{ path: field }] } })
  }
  const { status } = await service.get(`/subscriptions/0x${'12'.repeat(32)}/outlook`)
  expect(status).toBe(404)
})
