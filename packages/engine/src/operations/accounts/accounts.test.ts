import { Frequency, protocolOn } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { lasting, useTestService } from '@remit/testing/support/service/testService'
import ICAL from 'ical.js'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice, provider, otherProvider, stranger } = chain.wallets
const weekly = await protocol.create()
const monthly = await protocol.create({ provider: otherProvider, frequency: Frequency.MONTHLY, dueDay: 5 })
// 35 USDC for both: after the first charges, that is a week, the month, and another week.
await protocol.join(weekly, alice, { balance: 10n ** 9n, allowance: 35_000_000n })
await protocol.send(alice, 'subscribe', [monthly])
await chain.keep()
const names = { [weekly.id]: '<weekly>', [monthly.id]: '<monthly>' }
const service = await useTestService([chain])

describe('GET /accounts/:address', () => {
  it('tells what it subscribes to, with fee balances and how far its shared allowance carries', async () => {
    const { status, body } = await service.get(`/accounts/${alice}`)
    expect(status).toBe(200)
    expect(lasting(body, names)).toMatchInlineSnapshot(`
      {
        "account": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
        "chainId": 31337,
        "created": [],
        "createdCount": 0,
        "hasMore": false,
        "nextCursor": null,
        "subscribedTo": [
          {
            "allowanceCovers": {
              "periods": 2,
              "until": {
                "date": "2026-03-11",
                "dayNumber": 20523,
              },
            },
            "covers": {
              "failsOn": {
                "date": "2026-03-18",
                "dayNumber": 20530,
              },
              "limitedBy": "allowance",
              "periods": 2,
              "until": {
                "date": "2026-03-11",
                "dayNumber": 20523,
              },
            },
            "feeBalance": {
              "amount": "2.857142",
              "amountRaw": "2857142",
              "tokenDecimals": 6,
            },
            "status": 0,
            "statusLabel": "ACTIVE",
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
            "tokenPaused": false,
            "totalSubscribers": 1,
          },
          {
            "allowanceCovers": {
              "periods": 1,
              "until": {
                "date": "2026-03-05",
                "dayNumber": 20517,
              },
            },
            "covers": {
              "failsOn": {
                "date": "2026-04-05",
                "dayNumber": 20548,
              },
              "limitedBy": "allowance",
              "periods": 1,
              "until": {
                "date": "2026-03-05",
                "dayNumber": 20517,
              },
            },
            "feeBalance": {
              "amount": "0.986301",
              "amountRaw": "986301",
              "tokenDecimals": 6,
            },
            "status": 0,
            "statusLabel": "ACTIVE",
            "subscription": {
              "amount": "10",
              "amountRaw": "10000000",
              "cancelled": false,
              "dueDay": 5,
              "frequency": 1,
              "frequencyLabel": "MONTHLY",
              "id": "<monthly>",
              "nextDue": {
                "date": "2026-03-05",
                "dayNumber": 20517,
              },
              "overdue": [],
              "overdueCount": 0,
              "provider": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
              "token": {
                "address": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
                "decimals": 6,
                "name": "USD Coin (dev chain)",
                "symbol": "USDC",
              },
              "tokenDecimals": 6,
            },
            "tokenPaused": false,
            "totalSubscribers": 1,
          },
        ],
        "subscribedToCount": 2,
      }
    `)
  })

  it('tells what it created', async () => {
    const { body } = await service.get(`/accounts/${provider}`)
    expect(body).toMatchObject({
      account: provider,
      subscribedTo: [],
      created: [{ subscription: { id: weekly.id }, statusLabel: 'ACTIVE', totalSubscribers: 1 }],
    })
  })

  it('keeps what it left, and says so', async () => {
    await protocol.send(alice, 'unsubscribe', [weekly])
    await service.caughtUp()
    const { body } = await service.get(`/accounts/${alice}`)
    expect(body).toMatchObject({
      subscribedTo: [
        { subscription: { id: weekly.id }, status: 2, statusLabel: 'UNSUBSCRIBED', allowanceCovers: null },
        { subscription: { id: monthly.id }, status: 0, statusLabel: 'ACTIVE' },
      ],
    })
  })

  it('says that nothing is charged where the token is paused', async () => {
    await protocol.send(chain.wallets.admin, 'pauseToken', [chain.tokens.usdc, true])
    await service.caughtUp()
    const { body } = await service.get(`/accounts/${alice}`)
    expect(body).toMatchObject({ subscribedTo: [{ tokenPaused: true }, { tokenPaused: true }] })
  })

  it('has empty lists for an account that never used the protocol', async () => {
    const { status, body } = await service.get(`/accounts/${stranger}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ subscribedTo: [], created: [] })
  })

  it('comes in pages, whose counts and coverage are those of the whole account', async () => {
    const path = `/accounts/${alice}`
    const { body } = await service.get(path)
    const [first, second] = z.object({ subscribedTo: z.array(z.unknown()) }).parse(body).subscribedTo
    const counts = { subscribedToCount: 2, created: [], createdCount: 0 }
    const pages = [await service.get(`${path}?first=1`), await service.get(`${path}?first=1&after=1`)]
    expect(pages.map((page) => page.body)).toMatchObject([
      { subscribedTo: [first], ...counts, hasMore: true, nextCursor: '1' },
      { subscribedTo: [second], ...counts, hasMore: false, nextCursor: null },
    ])
    const own = await service.get(`${path}/subscriptions?bySubscriber=true&first=1&after=1`)
    expect(own.body).toMatchObject({
      subscriptions: [{ subscription: { id: monthly.id } }],
      subscriptionsCount: 2,
      count: 1,
      hasMore: false,
      nextCursor: null,
    })
    expect((await service.get(`${path}?after=0x1`)).body).toMatchObject({ issues: [{ path: 'after' }] })
  })
})

describe('GET /accounts/:address/subscriptions', () => {
  it('lists what the account created, unless it is asked for the other side', async () => {
    const { body } = await service.get(`/accounts/${provider}/subscriptions`)
    expect(lasting(body, names)).toMatchInlineSnapshot(`
      {
        "account": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
        "bySubscriber": false,
        "chainId": 31337,
        "count": 1,
        "hasMore": false,
        "nextCursor": null,
        "subscriptions": [
          {
            "status": 0,
            "statusLabel": "ACTIVE",
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
            "totalSubscribers": 1,
          },
        ],
        "subscriptionsCount": 1,
      }
    `)
  })

  it.each([
    ['true', [weekly.id, monthly.id]],
    ['false', []],
  ])('with bySubscriber=%s', async (bySubscriber, ids) => {
    const { body } = await service.get(`/accounts/${alice}/subscriptions?bySubscriber=${bySubscriber}`)
    expect(body).toMatchObject({
      bySubscriber: bySubscriber === 'true',
      subscriptions: ids.map((id) => ({ subscription: { id } })),
    })
  })
})

describe('calendars', () => {
  const days = async (path: string) => {
    const response = await fetch(`${service.url}${path}`)
    expect(response.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
    const events = new ICAL.Component(ICAL.parse(await response.text())).getAllSubcomponents('vevent')
    return events.map(
      (event) => `${event.getFirstPropertyValue('summary')}: ${event.getFirstPropertyValue('rrule')}`,
    )
  }

  it('have what an account pays, what a provider is paid, and one subscription', async () => {
    // Alice holds money for three payments, and none for the next.
    expect(await days(`/accounts/${alice}/calendar.ics`)).toEqual([
      'Pay 10 USDC for A plan, by 0x7099…79C8: FREQ=WEEKLY;COUNT=2;BYDAY=WE',
      'Not covered: Pay 10 USDC for A plan, by 0x7099…79C8: null',
      'Pay 10 USDC for A plan, by 0x3C44…93BC: FREQ=MONTHLY;COUNT=1;BYMONTHDAY=5',
      'Not covered: Pay 10 USDC for A plan, by 0x3C44…93BC: null',
    ])
    expect(await days(`/providers/${otherProvider}/calendar.ics`)).toEqual([
      'Income: 10 USDC each (members: 1) for A plan, by 0x3C44…93BC: FREQ=MONTHLY;BYMONTHDAY=5',
    ])
    expect(await days(`/subscriptions/${weekly.id}/calendar.ics`)).toEqual([
      'Due: 10 USDC for A plan, by 0x7099…79C8: FREQ=WEEKLY;BYDAY=WE',
    ])
    expect(await days(`/accounts/${stranger}/calendar.ics`)).toEqual([])
  })

  it('name the feed that goes on, where one has as many as it may', async () => {
    const path = `/accounts/${alice}/calendar.ics`
    const { headers } = await fetch(`${service.url}${path}?first=1`)
    expect(headers.get('link')).toBe(`<${path}?first=1&after=1>; rel="next"`)
    expect(await days(`${path}?first=1&after=1`)).toEqual([
      'Pay 10 USDC for A plan, by 0x3C44…93BC: FREQ=MONTHLY;COUNT=1;BYMONTHDAY=5',
      'Not covered: Pay 10 USDC for A plan, by 0x3C44…93BC: null',
    ])
  })

  it('take new names, also where their reader has asked before', async () => {
    const path = `/accounts/${alice}/calendar.ics?first=1`
    const etag = (await fetch(`${service.url}${path}`)).headers.get('etag') ?? ''
    const again = () => fetch(`${service.url}${path}`, { headers: { 'If-None-Match': etag } })
    expect((await again()).status).toBe(304)
    await protocol.send(provider, 'editDetails', [{ url: '', description: 'Tea,\nfresh' }, weekly.id])
    await protocol.send(provider, 'editProvDetails', [
      { description: '', company: 'Tea; House', url: '', domain: '', email: '', misc: '' },
    ])
    await expect
      .poll(() => days(path))
      .toEqual([
        'Pay 10 USDC for Tea, fresh, by Tea; House: FREQ=WEEKLY;COUNT=2;BYDAY=WE',
        'Not covered: Pay 10 USDC for Tea, fresh, by Tea; House: null',
      ])
    expect((await again()).status).toBe(200)
  })

  it('lose what an account has left', async () => {
    await protocol.send(alice, 'unsubscribe', [weekly])
    await service.caughtUp()
    expect(await days(`/accounts/${alice}/calendar.ics`)).toEqual([
      'Pay 10 USDC for A plan, by 0x3C44…93BC: FREQ=MONTHLY;COUNT=3;BYMONTHDAY=5',
      'Not covered: Pay 10 USDC for A plan, by 0x3C44…93BC: null',
    ])
  })
})
