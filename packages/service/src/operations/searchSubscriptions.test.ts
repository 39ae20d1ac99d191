import { FeeOnTransferToken } from '@remit/contracts/FeeOnTransferToken'
import { Subscriptions } from '@remit/contracts/Subscriptions'
import { decode } from '@remit/engine/declare/codec'
import type { Lane } from '@remit/engine/declare/lanes'
import { ValidationError } from '@remit/engine/errors/input'
import { approvedToken } from '@remit/testing/support/chain/approvedToken'
import { DETAILS, Frequency, protocolOn, units } from '@remit/testing/support/chain/protocolOn'
import { createMany } from '@remit/testing/support/chain/subscribeCrowd'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { indexed } from '@remit/testing/support/service/indexed'
import { lasting, useTestService } from '@remit/testing/support/service/testService'
import { type Address, parseEventLogs } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { searchSubscriptions } from './searchSubscriptions.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { provider, otherProvider, stranger } = chain.wallets
const { usdc, dai } = chain.tokens
const weekly = await protocol.create()
const monthly = await protocol.create({ frequency: Frequency.MONTHLY, dueDay: 9, token: dai })
const others = await protocol.create({ provider: otherProvider })
const cancelled = await protocol.create()
await protocol.send(provider, 'cancelSubscription', [cancelled])
const [fee, otherFee] = [
  await approvedToken(chain, FeeOnTransferToken),
  await approvedToken(chain, FeeOnTransferToken),
]
await chain.keep()
const ADMIN_SECRET = 'a secret of sixteen characters'
const tokens = { ...chain.tokens, fee, otherFee }
const service = await useTestService([{ ...chain, tokens }], { DEVELOPER_KEYS_ADMIN_SECRET: ADMIN_SECRET })

const Rows = z.object({
  subscriptions: z.array(z.looseObject({ id: z.string(), cancelled: z.boolean() })),
  hasMore: z.boolean(),
  nextCursor: z.string().nullable(),
  index: z.object({ blockNumber: z.number() }),
})

async function search(query = '') {
  await indexed(service, chain)
  const { status, body } = await service.get(`/subscriptions?${query}`)
  expect([status, body.code]).toEqual([200, undefined])
  const parsed = Rows.parse(body)
  return { body, ...parsed, ids: parsed.subscriptions.map(({ id }) => id) }
}

describe('GET /subscriptions', () => {
  it('finds live ones, newest first, with terms, next due day and creation', async () => {
    const { body, ids, subscriptions } = await search()
    expect(ids).toEqual([others.id, monthly.id, weekly.id])
    expect(body).toMatchObject({
      count: 3,
      hasMore: false,
      nextCursor: null,
      filters: {
        q: null,
        provider: null,
        token: null,
        frequency: null,
        minAmount: null,
        maxAmount: null,
        cancelled: false,
        sort: 'newest',
      },
    })
    const { createdAt, formattedCreatedAt, ...row } = subscriptions[1] ?? expect.fail('no row')
    expect(formattedCreatedAt).toBe(new Date(Number(createdAt) * 1000).toISOString().replace('.000Z', 'Z'))
    expect(lasting(row, { [monthly.id]: '<monthly>' })).toMatchInlineSnapshot(`
      {
        "amount": "10",
        "amountRaw": "10000000000000000000",
        "cancelled": false,
        "descriptionLine": "A plan",
        "dueDay": 9,
        "frequency": 1,
        "frequencyLabel": "MONTHLY",
        "id": "<monthly>",
        "nextDue": {
          "date": "2026-03-09",
          "dayNumber": 20521,
        },
        "overdue": [],
        "overdueCount": 0,
        "provider": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
        "providerIdentity": {
          "chainName": null,
          "domain": null,
        },
        "providerName": null,
        "subscribers": 0,
        "token": {
          "address": "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0",
          "decimals": 18,
          "name": "Dai Stablecoin (dev chain)",
          "symbol": "DAI",
        },
        "tokenDecimals": 18,
      }
    `)
  })

  it('tells of each row just what the chain tells of it', async () => {
    const { subscriptions } = await search()
    for (const row of subscriptions) {
      const { body } = await service.get(`/subscriptions/${row.id}`)
      expect(row).toMatchObject(Object(body.subscription))
    }
  })

  it.each([
    ['by provider', `provider=${provider}`, [monthly.id, weekly.id]],
    ['by provider in lower case', `provider=${provider.toLowerCase()}`, [monthly.id, weekly.id]],
    ['by token', `token=${dai}`, [monthly.id]],
    ['by frequency', 'frequency=0', [others.id, weekly.id]],
    ['by frequency in words', 'frequency=monthly', [monthly.id]],
    ['by frequency as text', 'frequency=1', [monthly.id]],
    ['by the symbol of a token', 'token=dai', [monthly.id]],
    ['by a symbol in which there is nothing', 'token=USDC&frequency=yearly', []],
    ['by words', 'q=plan&maxAmount=10', [others.id, monthly.id, weekly.id]],
    ['by an amount', 'minAmount=10.000000000000000001', []],
    ['up to an amount', 'maxAmount=9.999999999999999999', []],
    ['in the order of amounts', 'sort=highest_amount', [others.id, monthly.id, weekly.id]],
    ['cancelled ones', 'cancelled=true', [cancelled.id]],
    ['by all of it', `provider=${provider}&token=${usdc}&frequency=0&cancelled=false`, [weekly.id]],
    ['nothing for a stranger', `provider=${stranger}`, []],
    ['nothing for a token that nobody uses', `token=${stranger}`, []],
  ])('%s', async (_what, query, ids) => {
    expect((await search(query)).ids).toEqual(ids)
  })

  it('echoes what it searched for', async () => {
    const { body } = await search(`provider=${provider.toLowerCase()}&frequency=0&cancelled=true`)
    expect(body.filters).toMatchObject({ provider, token: null, frequency: 0, cancelled: true })
  })

  it('has ten rows on a page where nobody says', async () => {
    await createMany(chain, otherProvider, [usdc], 12)
    const { body } = await search()
    expect(body).toMatchObject({ count: 10, hasMore: true })
  })

  it.each([
    ['first=11', 'first', 'at most 10 on the free lane'],
    ['first=26', 'first', 'at most 10 on the free lane'],
    ['first=1000', 'first', 'must be at most 10 on the free lane; with an API key it may be 25'],
    ['first=11.5', 'first', 'must be a whole number'],
    ['includeDetails=true', 'includeDetails', 'on the free lane'],
    ['skip=1&after=abc', 'skip', 'together with after'],
    ['frequency=4', 'frequency', 'must be 0'],
    ['cancelled=1', 'cancelled', 'true or false'],
    ['provider=0x1', 'provider', '40 hex digits'],
    ['after=abc', 'after', ''],
    ['frequency=daily', 'frequency', 'must be 0'],
    ['q=', 'q', 'a letter or a digit'],
    ['q=%22%20%2A', 'q', 'a letter or a digit'],
    [`q=${'a'.repeat(101)}`, 'q', 'at most 100 characters'],
    [`q=${'a+'.repeat(21)}`, 'q', 'at most 20 words'],
    ['q=a%00b', 'q', 'control'],
    ['sort=relevance', 'sort', 'only with q'],
    ['sort=cheapest', 'sort', 'one of newest'],
    ['minAmount=1e3', 'minAmount', 'plain decimal number'],
    ['maxAmount=-1', 'maxAmount', 'plain decimal number'],
    ['minAmount=10.1&maxAmount=10', 'minAmount', 'more than maxAmount'],
    ['token=EURC', 'token', 'no approved token’s symbol; those that have one are'],
    ['token=0x1', 'token', '40 hex digits'],
  ])('refuses %s by name', async (query, path, sentence) => {
    const { status, body } = await service.get(`/subscriptions?${query}`)
    expect(status).toBe(400)
    expect(body).toMatchObject({
      code: 'VALIDATION_ERROR',
      issues: [{ path, message: expect.stringContaining(sentence) }],
    })
  })
})

describe('a search by what people say', () => {
  const coffee = async (
    description: string,
    amount: string,
    more: { token?: Address; frequency?: number } = {},
  ) => {
    const { token = usdc, frequency = Frequency.MONTHLY } = more
    const details = { url: '', description }
    const logs = await protocol.send(provider, 'createSubscription', [
      units(amount),
      token,
      details,
      frequency,
      3,
    ])
    const [created] = parseEventLogs({ abi: Subscriptions.abi, logs, eventName: 'SubLog' })
    return { id: created?.args.id ?? expect.fail('nothing was created'), amount: units(amount), token }
  }

  it('finds a coffee plan under 10 USDC in one call, with what it is said to be, by whom, and how many pay', async () => {
    const profile = { description: '', company: 'Lisbon Roasters', url: '', domain: '', email: '', misc: '' }
    await protocol.send(provider, 'editProvDetails', [profile])
    const cheap = await coffee(`Coffee for ${'a'.repeat(90)}`, '9.5')
    // Of its amount only whole units of the token are charged: 10 USDC.
    const dusty = await coffee('More café', '10.0000001')
    await coffee('Coffee for offices', '10.01')
    await coffee('Coffee, paid in DAI', '5', { token: dai })
    await coffee('Coffee, every week', '5', { frequency: Frequency.WEEKLY })
    await protocol.join({ ...cheap, provider, cancelled: false, frequency: 1, dueDay: 3 }, stranger)
    const { subscriptions, body } = await search('q=roasters&maxAmount=10&token=usdc&frequency=monthly')
    expect(subscriptions.map(({ id }) => id)).toEqual([dusty.id, cheap.id])
    expect(subscriptions[0]).toMatchObject({ amount: '10', descriptionLine: 'More café', subscribers: 0 })
    expect(subscriptions[1]).toMatchObject({
      amount: '9.5',
      descriptionLine: `Coffee for ${'a'.repeat(68)}…`,
      providerName: 'Lisbon Roasters',
      subscribers: 1,
    })
    expect(body.filters).toMatchObject({ q: 'roasters', token: usdc, frequency: 1, sort: 'relevance' })
    const lowest = await search('q=coffee&sort=lowest_amount&first=2')
    expect(lowest.subscriptions.map(({ amount }) => amount)).toEqual(['5', '5'])
    const next = await search(`q=coffee&sort=lowest_amount&after=${lowest.nextCursor}`)
    expect(next.subscriptions.map(({ amount }) => amount)).toEqual(['9.5', '10.01'])
  })

  it('names the addresses where two approved tokens have one symbol', async () => {
    await indexed(service, chain)
    const symbol = 'FEE'
    const { status, body } = await service.get(`/subscriptions?token=${symbol.toLowerCase()}`)
    expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(body.error).toBe(`\`token\` is the symbol of ${fee} and ${otherFee}: give the address of one`)
    expect((await search(`token=${fee}`)).ids).toEqual([])
  })
})

describe('what a lane may ask for', () => {
  it('is 25 rows with their details for a caller with an API key', async () => {
    const admin = { Authorization: `Bearer ${ADMIN_SECRET}` }
    const { body: issued } = await service.post(
      '/developer/keys',
      { subjectId: 'tester' },
      { headers: admin },
    )
    const headers = { Authorization: `Bearer ${z.string().parse(issued.token)}` }
    await createMany(chain, otherProvider, [usdc], 26)
    await indexed(service, chain)
    const { status, body } = await service.get('/subscriptions?first=25&includeDetails=true', { headers })
    expect(status).toBe(200)
    expect(body).toMatchObject({ count: 25, hasMore: true })
    const { subscriptions } = z.object({ subscriptions: z.array(z.looseObject({})) }).parse(body)
    for (const row of subscriptions) expect(row).toMatchObject({ details: DETAILS })
  })

  it('costs nothing but the call where it is too much', async () => {
    const { headers } = await service.get('/subscriptions?first=11')
    expect(headers.get('ratelimit')).toContain('globalRpm')
    expect(headers.get('ratelimit')).not.toContain('expensiveRpm')
    expect((await service.get('/subscriptions')).headers.get('ratelimit')).toContain('expensiveRpm')
  })

  const refusals = (input: object, lane: Lane) => {
    try {
      decode(searchSubscriptions, { input }, lane)
      return []
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      return error.issues?.map(({ path }) => path)
    }
  }

  it.each(['free', 'developer'] as const)('is told to the %s lane by its own bound', (lane) => {
    const sentence = (first: number) => {
      expect(() => decode(searchSubscriptions, { input: { first } }, lane)).toThrow(`on the ${lane} lane`)
      try {
        decode(searchSubscriptions, { input: { first } }, lane)
      } catch (error) {
        return String(error)
      }
    }
    expect(sentence(1000)).toBe(sentence(26))
    expect(sentence(26)).toContain(lane === 'free' ? 'at most 10' : 'at most 25')
  })

  it.each([
    ['free', { first: 10, includeDetails: false }, []],
    ['free', { first: 11, includeDetails: true }, ['first', 'includeDetails']],
    ['developer', { first: 25, includeDetails: true }, []],
    ['developer', { first: 26 }, ['first']],
  ] as const)('%s: %j', (lane, input, refused) => {
    expect(refusals(input, lane)).toEqual(refused)
  })
})
