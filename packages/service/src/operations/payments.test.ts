import { Subscriptions } from '@remit/contracts/Subscriptions'
import {
  Frequency,
  protocolOn,
  type Subscription,
  tupleOf,
  units,
} from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { indexed } from '@remit/testing/support/service/indexed'
import { ADMIN_SECRET, lasting, useTestService } from '@remit/testing/support/service/testService'
import { type Address, erc20Abi, type Hex, parseEventLogs } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice, bob, carol, dave, provider, otherProvider, keeper, stranger } = chain.wallets
const { usdc, dai } = chain.tokens
const UNKNOWN: Hex = `0x${'12'.repeat(32)}`
const held = (account: Address) => protocol.balanceOf(usdc, account)

// The provider's March, from Monday the 2nd. Nobody held tokens of it before.
const before = { provider: await held(provider), keeper: await held(keeper) }
const weekly = await protocol.create()
const monthly = await protocol.create({ frequency: Frequency.MONTHLY, dueDay: 5, amount: units('20') })
// Its reserves have more digits than 64 bits.
const large = await protocol.create({ provider: otherProvider, token: dai, amount: units('1000000') })
await protocol.join(large, carol)
await protocol.join(weekly, alice)
await protocol.join(monthly, alice, { balance: 1_000_000_000n })
await protocol.join(weekly, carol)
await protocol.join(weekly, dave)
await protocol.join(weekly, bob, { balance: 25_000_000n, allowance: 12_000_000n })
await protocol.send(carol, 'unsubscribe', [tupleOf(weekly.id)])
await protocol.send(provider, 'unsubscribeByProvider', [tupleOf(weekly.id), dave])
// Wednesday the 4th: the weekly charge, for which bob's allowance is too little.
await chain.advanceDays(2)
for (let calls = 0; calls < 6; calls += 1) await protocol.send(keeper, 'remit', []).catch(() => undefined)
await chain.advanceDays(1)
for (let calls = 0; calls < 4; calls += 1) await protocol.send(keeper, 'remit', []).catch(() => undefined)
await chain.keep()
const service = await useTestService([chain])

const get = async (path: string) => {
  await indexed(service, chain)
  return service.get(path)
}

const Amounts = z.record(z.string(), z.unknown())
const Revenue = z.object({
  tokens: z.array(z.object({ total: Amounts, intervals: z.array(Amounts) })),
  warnings: z.unknown().optional(),
})
const raw = (quantity: unknown) => BigInt(z.object({ amountRaw: z.string() }).parse(quantity).amountRaw)

describe('GET /providers/:address/revenue', () => {
  it('adds up to what the provider’s balance has grown by, to the last unit, and the keeper’s', async () => {
    const { status, body } = await get(
      `/providers/${provider}/revenue?from=2026-03-01&to=2026-04-01&interval=week`,
    )
    expect(status).toBe(200)
    const { tokens, warnings } = Revenue.parse(body)
    const [dollars] = tokens
    if (dollars === undefined) throw new Error('there is no revenue')
    const earned = (figures: z.output<typeof Amounts>) =>
      raw(figures.received) + raw(figures.feeBalancesReceived)
    expect(earned(dollars.total)).toBe((await held(provider)) - before.provider)
    expect(raw(dollars.total.keptByCallers)).toBe((await held(keeper)) - before.keeper)
    expect(dollars.intervals.map(earned).reduce((sum, one) => sum + one, 0n)).toBe(earned(dollars.total))
    expect([tokens.length, warnings]).toEqual([1, undefined])
  })

  it('counts who came and who went, and what those who stay pay per month', async () => {
    const { body } = await get(`/providers/${provider}/revenue?from=2026-03-02&to=2026-03-09&interval=week`)
    const [interval] = Revenue.parse(body).tokens[0]?.intervals ?? []
    // alice: 10 a week and 20 a month.
    const monthlyParts = 10_000_000n * 20_871n + 20_000_000n * 4_800n
    expect(interval).toMatchObject({
      complete: false,
      payments: 7,
      failures: 1,
      subscribers: { new: 5, left: 1, removed: 1, dropped: 1, cancelled: 0, activeAtEnd: 2 },
      mrrAtEnd: {
        numerator: String(monthlyParts),
        denominator: '4800',
        amountRaw: String(monthlyParts / 4_800n),
      },
      churn: { voluntary: { ended: 1, of: 5 }, involuntary: { ended: 1, of: 5 } },
    })
  })

  it('says what reserves hold at the end of each day: the contract’s own fee balances then', async () => {
    const head = await chain.client.getBlock()
    const DAY = 86_400n
    const lastBlockBefore = async (timestamp: bigint) => {
      let block = head
      while (block.timestamp >= timestamp) {
        block = await chain.client.getBlock({ blockNumber: block.number - 1n })
      }
      return block.number
    }
    const heldBy = async (plans: readonly Subscription[], blockNumber: bigint) => {
      const balances = plans.flatMap((plan) =>
        [alice, bob, carol, dave].map(async (account) => {
          const { abi, address } = protocol
          const args = [plan.id, account] as const
          const call = { abi, address, functionName: 'feeBalance', args, blockNumber } as const
          return protocol.toRaw(plan.token, await chain.client.readContract(call))
        }),
      )
      return (await Promise.all(balances)).reduce((sum, one) => sum + one, 0n)
    }
    const first = BigInt(Date.parse('2026-03-02') / 1_000)
    const seen = new Set<bigint>()
    for (let begin = first; begin <= head.timestamp; begin += DAY) {
      const block = await lastBlockBefore(begin + DAY)
      const [from, to] = [begin, begin + DAY].map((at) =>
        new Date(Number(at) * 1_000).toISOString().slice(0, 10),
      )
      for (const [of, plans] of [
        [`providers/${provider}`, [weekly, monthly]],
        [`subscriptions/${weekly.id}`, [weekly]],
        [`providers/${otherProvider}`, [large]],
      ] as const) {
        // Once with the day alone, and once with those before it as intervals of the same answer.
        for (const since of [from, '2026-03-01']) {
          const { body } = await get(`/${of}/revenue?from=${since}&to=${to}&interval=day`)
          const last = Revenue.parse(body).tokens[0]?.intervals.at(-1)
          const held = await heldBy(plans, block)
          expect([of, to, raw(last?.feeBalancesAtEnd)]).toEqual([of, to, held])
          seen.add(held)
        }
      }
    }
    expect(seen.size).toBeGreaterThan(4)
    expect([...seen].some((held) => held > 2n ** 64n)).toBe(true)
  })

  it('is nothing for one who has no subscriptions, and before the first', async () => {
    for (const path of [
      `/providers/${stranger}/revenue?from=2026-03-01&to=2026-04-01`,
      `/providers/${provider}/revenue?from=2025-03-01&to=2026-03-01`,
      `/providers/${provider}/revenue?from=2026-03-01&to=2026-04-01&token=${dai}`,
    ]) {
      expect((await get(path)).body).toMatchObject({ tokens: [] })
    }
  })

  it.each([
    ['from=2026-03-01', 'to'],
    ['from=2026-02-30&to=2026-04-01', 'from'],
    ['from=2026-03-01&to=2026-03-01', 'to'],
    ['from=2024-03-01&to=2026-03-01&interval=day', 'to'],
    ['from=2026-03-01&to=2026-04-01&interval=year', 'interval'],
    ['from=2026-03-01&to=2026-04-01&token=0x12', 'token'],
  ])('refuses %s and names %s', async (query, field) => {
    const { status, body } = await get(`/providers/${provider}/revenue?${query}`)
    expect([status, body]).toMatchObject([400, { code: 'VALIDATION_ERROR', issues: [{ path: field }] }])
  })
})

it('GET /subscriptions/:id/revenue is a part of the provider’s', async () => {
  const parts = await Promise.all(
    [weekly, monthly].map(({ id }) => get(`/subscriptions/${id}/revenue?from=2026-03-01&to=2026-04-01`)),
  )
  const received = parts.map(({ body }) => raw(Revenue.parse(body).tokens[0]?.total.received))
  const whole = await get(`/providers/${provider}/revenue?from=2026-03-01&to=2026-04-01`)
  expect(received[0] ?? 0n).toBe(10_000_000n)
  expect((received[0] ?? 0n) + (received[1] ?? 0n)).toBe(
    raw(Revenue.parse(whole.body).tokens[0]?.total.received),
  )
})

describe('GET /payments/:txHash/:logIndex', () => {
  const weeklyPayment = async () => {
    const logs = await chain.client.getLogs({ address: chain.contract, fromBlock: 0n })
    const events = parseEventLogs({ abi: Subscriptions.abi, logs, eventName: 'SubLog' })
    const paid = events.find(({ args }) => args.subScriptEvent === 5 && args.id === weekly.id)
    if (paid === undefined) throw new Error('nobody has paid')
    const { logs: all } = await chain.client.getTransactionReceipt({ hash: paid.transactionHash })
    const [moved] = parseEventLogs({ abi: erc20Abi, logs: all, eventName: 'Transfer' }).filter(
      ({ args }) => args.from === alice,
    )
    return { paid, moved }
  }

  it('tells who paid whom for which day, and how it was split, by any of its logs', async () => {
    const { paid, moved } = await weeklyPayment()
    const { body } = await get(`/payments/${paid.transactionHash}/${paid.logIndex}`)
    expect(body).toMatchObject({
      payment: {
        kind: 'period',
        subscriber: alice,
        provider,
        day: { date: '2026-03-04' },
        charged: { amountRaw: '10000000' },
        toProvider: { amountRaw: '10000000' },
        toFeeBalance: { amountRaw: '0' },
        logIndex: paid.logIndex,
      },
      subscription: { id: weekly.id, amount: '10', frequencyLabel: 'WEEKLY' },
    })
    const head = Number(await chain.client.getBlockNumber())
    expect(body.confirmations).toBe(head - Number(paid.blockNumber) + 1)
    const { body: byTransfer } = await get(`/payments/${paid.transactionHash}/${moved?.logIndex}`)
    expect(lasting(byTransfer)).toEqual(lasting(body))
  })

  it('is a 404 for logs that are no payment, and a 400 for what is no log', async () => {
    const { paid } = await weeklyPayment()
    expect((await get(`/payments/${paid.transactionHash}/999`)).status).toBe(404)
    expect((await get(`/payments/${UNKNOWN}/0`)).status).toBe(404)
    for (const index of ['-1', 'x', '1.5']) {
      expect((await get(`/payments/${paid.transactionHash}/${index}`)).status).toBe(400)
    }
  })
})

describe('GET /providers/:address/payments', () => {
  const Rows = z.array(z.object({ kind: z.string(), cursor: z.string(), charged: Amounts }))

  it('lists every payment, and goes on after any row', async () => {
    const { body } = await get(`/providers/${provider}/payments`)
    const rows = Rows.parse(body.payments)
    expect(rows.map(({ kind }) => kind)).toContain('dropped')
    expect(rows.length).toBeGreaterThan(6)
    for (const [place, { cursor }] of rows.entries()) {
      const { body: rest } = await get(`/providers/${provider}/payments?after=${cursor}`)
      expect(Rows.parse(rest.payments)).toEqual(rows.slice(place + 1))
    }
  })

  it('lists whose membership ended alone, with how and why, and goes on after any row', async () => {
    const Ended = Rows.element.extend({ subscriber: z.string(), dropReason: z.string().nullable() }).array()
    const whole = await get(`/providers/${provider}/payments`)
    const { body } = await get(`/providers/${provider}/payments?ended=true`)
    const rows = Ended.parse(body.payments)
    expect(rows.map(({ kind, subscriber, dropReason }) => [kind, subscriber, dropReason])).toEqual([
      ['dropped', bob, 'allowance'],
      ['removed', dave, null],
      ['left', carol, null],
    ])
    const isEnd = ({ kind }: { kind: string }) => ['left', 'dropped', 'removed', 'cleanedUp'].includes(kind)
    expect(rows.map(({ kind }) => kind)).toEqual(
      Rows.parse(whole.body.payments)
        .filter(isEnd)
        .map(({ kind }) => kind),
    )
    const { body: first } = await get(`/providers/${provider}/payments?ended=true&first=1`)
    const { body: rest } = await get(`/providers/${provider}/payments?ended=true&after=${first.nextCursor}`)
    expect(Ended.parse(rest.payments)).toEqual(rows.slice(1))
  })

  it('lists what was taken on some days alone: what revenue adds up for them', async () => {
    const whole = await get(`/providers/${provider}/payments`)
    const Moved = z.array(z.object({ formattedTimestamp: z.string(), toProvider: Amounts }))
    const days = [
      ...new Set(Moved.parse(whole.body.payments).map((row) => row.formattedTimestamp.slice(0, 10))),
    ]
    expect(days.length).toBeGreaterThan(1)
    const seen: unknown[] = []
    for (const day of days) {
      const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
      const { body } = await get(`/providers/${provider}/payments?from=${day}&to=${next}`)
      const rows = Moved.parse(body.payments)
      expect(new Set(rows.map((row) => row.formattedTimestamp.slice(0, 10)))).toEqual(new Set([day]))
      const came = rows.reduce((sum, row) => sum + raw(row.toProvider), 0n)
      const revenue = await get(`/providers/${provider}/revenue?from=${day}&to=${next}`)
      expect(raw(Revenue.parse(revenue.body).tokens[0]?.total.arrived)).toBe(came)
      const { body: first } = await get(`/providers/${provider}/payments?from=${day}&to=${next}&first=1`)
      if (first.nextCursor !== null) {
        const after = z.string().parse(first.nextCursor)
        const { body: rest } = await get(
          `/providers/${provider}/payments?from=${day}&to=${next}&after=${after}`,
        )
        expect(Moved.parse(rest.payments)).toEqual(rows.slice(1))
      }
      seen.push(...rows)
    }
    expect(seen).toEqual(Moved.parse(whole.body.payments))
    const before = await get(`/providers/${provider}/payments?from=2026-02-01&to=2026-03-01`)
    expect(before.body).toMatchObject({ payments: [], hasMore: false, nextCursor: null })
  })

  it.each([
    ['from=2026-03-01', 'to'],
    ['to=2026-03-01', 'from'],
    ['from=2026-03-01&to=2026-03-01', 'to'],
    ['from=2026-03-32&to=2026-04-01', 'from'],
  ])('refuses %s and names %s', async (query, field) => {
    const { status, body } = await get(`/providers/${provider}/payments?${query}`)
    expect([status, body]).toMatchObject([400, { code: 'VALIDATION_ERROR', issues: [{ path: field }] }])
  })

  it('sends the same as a file to a caller with a key', async () => {
    const { body } = await get(`/providers/${provider}/payments`)
    const made = await service.post(
      '/developer/keys',
      { subjectId: 'books' },
      { headers: { Authorization: `Bearer ${ADMIN_SECRET}` } },
    )
    const headers = { Authorization: `Bearer ${z.string().parse(made.body.token)}` }
    const file = await fetch(`${service.url}/providers/${provider}/payments?format=ndjson`, { headers })
    const lines = (await file.text()).trim().split('\n')
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual(body.payments)
    const csv = await fetch(`${service.url}/providers/${provider}/payments?format=csv`, { headers })
    expect((await csv.text()).trim().split('\r\n')).toHaveLength(lines.length + 1)
  })
})
