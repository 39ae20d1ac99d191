import { Frequency, protocolOn } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { lasting, startTestService, useTestService } from '@remit/testing/support/service/testService'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice, bob, carol, dave, provider, stranger, admin, janitor } = chain.wallets
const weekly = await protocol.create()
await protocol.join(weekly, alice)
const monthly = await protocol.create({ frequency: Frequency.MONTHLY, dueDay: 2, token: chain.tokens.dai })
await chain.keep()
const service = await useTestService([chain])
const names = { [weekly.id]: '<weekly>', [monthly.id]: '<monthly>' }

describe('GET /subscriptions/:id', () => {
  it('tells the terms and when it is next due', async () => {
    const { status, body } = await service.get(`/subscriptions/${weekly.id}`)
    expect(status).toBe(200)
    expect(lasting(body, names)).toMatchInlineSnapshot(`
      {
        "chainId": 31337,
        "subscription": {
          "amount": "10",
          "amountRaw": "10000000",
          "cancelled": false,
          "dueDay": 3,
          "frequency": 0,
          "frequencyLabel": "WEEKLY",
          "id": "<weekly>",
          "nextDue": {
            "date": "2026-03-04",
            "dayNumber": 20516,
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
      }
    `)
  })

  it('is never due again once it is cancelled', async () => {
    await protocol.send(provider, 'cancelSubscription', [weekly])
    await service.caughtUp()
    const { body } = await service.get(`/subscriptions/${weekly.id}`)
    expect(body).toMatchObject({ subscription: { cancelled: true, nextDue: null } })
  })

  it('names days of the past as overdue, and never as the next one', async () => {
    await chain.advanceDays(12)
    await service.caughtUp()
    const { body } = await service.get(`/subscriptions/${weekly.id}`)
    expect(body).toMatchObject({
      subscription: {
        nextDue: { date: '2026-03-18' },
        overdue: [{ date: '2026-03-04' }, { date: '2026-03-11' }],
        overdueCount: 2,
      },
    })
  })
})

describe('GET /subscriptions/due', () => {
  it('lists what a remit of that day would charge, for all four frequencies', async () => {
    const { status, body } = await service.get('/subscriptions/due?date=2026-03-04')
    expect(status).toBe(200)
    expect(lasting(body, names)).toMatchInlineSnapshot(`
      {
        "chainId": 31337,
        "date": "2026-03-04",
        "dayNumber": 20516,
        "results": [
          {
            "dueDay": 3,
            "frequency": 0,
            "frequencyLabel": "WEEKLY",
            "skipped": false,
            "subscriptionIds": [
              "<weekly>",
            ],
          },
          {
            "dueDay": 4,
            "frequency": 1,
            "frequencyLabel": "MONTHLY",
            "skipped": false,
            "subscriptionIds": [],
          },
          {
            "dueDay": 63,
            "frequency": 2,
            "frequencyLabel": "QUARTERLY",
            "skipped": false,
            "subscriptionIds": [],
          },
          {
            "dueDay": 63,
            "frequency": 3,
            "frequencyLabel": "YEARLY",
            "skipped": false,
            "subscriptionIds": [],
          },
        ],
      }
    `)
  })

  it('is about today on the chain’s clock where no day is named', async () => {
    const { body } = await service.get('/subscriptions/due?frequency=0')
    expect(body).toMatchObject({ date: '2026-03-02', results: [{ frequency: 0, dueDay: 1 }] })
  })

  it('leaves out what nobody subscribes to, what is cancelled and what is paused', async () => {
    const idsOn = async (date: string, frequency: number) => {
      await service.caughtUp()
      const { body } = await service.get(`/subscriptions/due?date=${date}&frequency=${frequency}`)
      const { results } = z
        .object({ results: z.array(z.object({ subscriptionIds: z.array(z.string()) })) })
        .parse(body)
      return results.flatMap(({ subscriptionIds }) => subscriptionIds)
    }
    expect(await idsOn('2026-03-02', 1)).toEqual([])
    await protocol.join(monthly, bob)
    expect(await idsOn('2026-03-02', 1)).toEqual([monthly.id])
    await protocol.send(admin, 'pauseToken', [chain.tokens.dai, true])
    expect(await idsOn('2026-03-02', 1)).toEqual([])
    expect(await idsOn('2026-03-04', 0)).toEqual([weekly.id])
    await protocol.send(provider, 'cancelSubscription', [weekly])
    expect(await idsOn('2026-03-04', 0)).toEqual([])
  })

  it.each(['2026-01-29', '2026-01-30', '2026-01-31'])(
    'says why %s is skipped by monthly ones',
    async (date) => {
      const { body } = await service.get(`/subscriptions/due?date=${date}&frequency=1`)
      expect(body).toMatchObject({
        results: [{ skipped: true, skipReason: expect.stringContaining('of a month'), subscriptionIds: [] }],
      })
    },
  )

  it.each([
    ['2026-02-30', 'date'],
    ['1969-12-31', 'date'],
    ['tomorrow', 'date'],
  ])('refuses the date %s by name', async (date, path) => {
    const { status, body } = await service.get(`/subscriptions/due?date=${date}`)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path }] })
  })

  it('takes one name of a day, not two', async () => {
    const { status, body } = await service.get('/subscriptions/due?date=2026-03-04&dayNumber=20516')
    expect(status).toBe(400)
    expect(body).toMatchObject({ issues: [{ path: 'date' }] })
  })

  it('knows the last day of the year 9999 and none after it', async () => {
    expect((await service.get('/subscriptions/due?dayNumber=2932896')).body).toMatchObject({
      date: '9999-12-31',
    })
    expect((await service.get('/subscriptions/due?dayNumber=2932897')).status).toBe(400)
  })
})

describe('GET /subscriptions/:id/subscribers', () => {
  it('tells each subscriber’s fee balance', async () => {
    const { status, body } = await service.get(`/subscriptions/${weekly.id}/subscribers`)
    expect(status).toBe(200)
    expect(lasting(body, names)).toMatchInlineSnapshot(`
      {
        "chainId": 31337,
        "count": 1,
        "hasMore": false,
        "nextCursor": null,
        "subscribers": [
          {
            "feeBalance": {
              "amount": "2.857142",
              "amountRaw": "2857142",
              "tokenDecimals": 6,
            },
            "feeBalanceRaw": "2857142",
            "subscriber": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
            "tokenDecimals": 6,
          },
        ],
        "subscriptionId": "<weekly>",
        "token": {
          "address": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
          "decimals": 6,
          "name": "USD Coin (dev chain)",
          "symbol": "USDC",
        },
      }
    `)
  })

  const Page = z.object({
    subscribers: z.array(z.object({ subscriber: z.string() })),
    hasMore: z.boolean(),
    nextCursor: z.string().nullable(),
    count: z.number(),
  })

  async function page(query: string) {
    await service.caughtUp()
    const { body } = await service.get(`/subscriptions/${weekly.id}/subscribers?${query}`)
    return Page.parse(body)
  }

  it('pages by cursor without losing or doubling anybody who stays, while others come and go', async () => {
    for (const account of [bob, carol, dave]) await protocol.join(weekly, account)
    const first = await page('first=2')
    expect(first).toMatchObject({ count: 2, hasMore: true })
    // Whoever leaves makes the contract move its last one into the gap, before the reader's place.
    const gone = first.subscribers[0]?.subscriber
    const leaving = [alice, bob, carol, dave].find((account) => account === gone) ?? alice
    await protocol.send(leaving, 'unsubscribe', [weekly])
    await protocol.join(weekly, stranger)
    const rest = await page(`first=10&after=${first.nextCursor}`)
    expect(rest).toMatchObject({ hasMore: false, nextCursor: null })
    const seen = [...first.subscribers, ...rest.subscribers].map(({ subscriber }) => subscriber)
    for (const account of [alice, bob, carol, dave]) {
      expect(seen.filter((subscriber) => subscriber === account)).toHaveLength(1)
    }
  })

  it('pages by skip, and says exactly whether there is more', async () => {
    for (const account of [bob, carol]) await protocol.join(weekly, account)
    const all = await page('first=3')
    expect(all).toMatchObject({ count: 3, hasMore: false, nextCursor: null })
    expect((await page('first=1&skip=1')).subscribers).toEqual([all.subscribers[1]])
    expect(await page('first=1&skip=3')).toMatchObject({ count: 0, hasMore: false, nextCursor: null })
  })

  it('lists the members of a cancelled plan with their fee balances until these are paid back', async () => {
    const { id } = weekly
    await service.caughtUp()
    const before = await service.get(`/subscriptions/${id}/subscribers`)
    await protocol.send(provider, 'cancelSubscription', [weekly])
    await service.caughtUp()
    const kept = await service.get(`/subscriptions/${id}/subscribers`)
    expect(kept.body).toMatchObject({ count: 1, subscribers: before.body.subscribers })
    await protocol.send(janitor, 'cleanupCancelledSubscribers', [weekly])
    await service.caughtUp()
    const after = await service.get(`/subscriptions/${id}/subscribers`)
    expect(after.body).toMatchObject({ count: 0, subscribers: [] })
  })

  it('names the view that the contract cannot answer, instead of an empty list, where there is no index', async () => {
    // remit stops at the page's end, in the middle of this subscription; then one of its subscribers leaves.
    for (const account of [bob, carol, dave]) await protocol.join(weekly, account)
    await protocol.send(admin, 'changeMaxRemits', [2n])
    await chain.advanceDays(2)
    await protocol.send(stranger, 'remit', [])
    await protocol.send(alice, 'unsubscribe', [weekly])
    const bare = await startTestService([chain], { [`INDEX_${chain.chainId}`]: 'off' })
    await bare.caughtUp()
    const { status, body } = await bare.get(`/subscriptions/${weekly.id}/subscribers`)
    await bare.close()
    expect(status).toBe(502)
    expect(body).toMatchObject({ code: 'UPSTREAM_ERROR', view: 'getSubscribersById' })
  })

  it.each(['after=nobody', `after=${alice}&skip=1`])('refuses %s', async (query) => {
    const { status, body } = await service.get(`/subscriptions/${weekly.id}/subscribers?${query}`)
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
  })
})

describe('GET /subscriptions/:id/fee-balance', () => {
  it('tells what is held for one subscriber', async () => {
    const { body } = await service.get(`/subscriptions/${weekly.id}/fee-balance?address=${alice}`)
    expect(lasting(body, names)).toMatchInlineSnapshot(`
      {
        "chainId": 31337,
        "feeBalance": {
          "amount": "2.857142",
          "amountRaw": "2857142",
          "tokenDecimals": 6,
        },
        "feeBalanceRaw": "2857142",
        "subscriber": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
        "subscriptionId": "<weekly>",
        "token": {
          "address": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
          "decimals": 6,
          "name": "USD Coin (dev chain)",
          "symbol": "USDC",
        },
        "tokenDecimals": 6,
      }
    `)
  })

  it('is "0" for an address that never subscribed', async () => {
    const { status, body } = await service.get(`/subscriptions/${weekly.id}/fee-balance?address=${stranger}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ feeBalance: { amount: '0', amountRaw: '0' }, feeBalanceRaw: '0' })
  })
})
