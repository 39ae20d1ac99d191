import { Frequency, protocolOn, units } from '@remit/testing/support/chain/protocolOn'
import { MONDAY_NOON, useTestChain } from '@remit/testing/support/chain/useTestChain'
import { startTestService } from '@remit/testing/support/service/testService'
import { maxUint256 } from 'viem'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice, bob, provider, keeper } = chain.wallets
const { usdc } = chain.tokens
// Due on Wednesdays, on Tuesdays, and on the third of each month, which is a Tuesday too.
const weekly = await protocol.create()
const tuesdays = await protocol.create({ dueDay: 2 })
const monthly = await protocol.create({ frequency: Frequency.MONTHLY, dueDay: 3, amount: units('12') })
await protocol.fund(usdc, alice, { balance: 1_000_000_000n, allowance: maxUint256 })
await protocol.join(tuesdays, bob)
await protocol.join(monthly, bob)
await chain.keep()

/** Midnight after the Monday on which the chain's last block was mined, at noon. */
const MIDNIGHT = MONDAY_NOON + 43_200
let wall = MONDAY_NOON
const service = await startTestService([chain], {}, () => wall * 1_000)
afterAll(() => service.close())
beforeEach(() => service.caughtUp())

const FirstCharge = z.object({
  toFeeBalance: z.object({ amountRaw: z.string() }),
  toProvider: z.object({ amountRaw: z.string() }),
})
const Warnings = z.array(z.looseObject({ code: z.string() }))
const totalOf = (charge: unknown) => {
  const { toFeeBalance, toProvider } = FirstCharge.parse(charge)
  return BigInt(toFeeBalance.amountRaw) + BigInt(toProvider.amountRaw)
}

const ask = async (path: string, input: object, at: number) => {
  wall = at
  const { status, body } = await service.post(path, input)
  const warning = Warnings.parse(body.warnings ?? []).find(({ code }) => code === 'DAY_ENDS_SOON')
  return { status, body, warning }
}
const subscribe = (at: number, id = weekly.id) => ask('/prepare/subscribe_by_id', { from: alice, id }, at)

/** What subscribing takes in a block of this time. */
async function takenAt(timestamp: number): Promise<bigint> {
  const before = await protocol.balanceOf(usdc, alice)
  await chain.client.setNextBlockTimestamp({ timestamp: BigInt(timestamp) })
  await protocol.send(alice, 'subscribe', [weekly])
  return before - (await protocol.balanceOf(usdc, alice))
}

describe('subscribing shortly before midnight', () => {
  it('is proven for its own time, holds until midnight, and says what it takes after it', async () => {
    const { body, warning } = await subscribe(MIDNIGHT - 2)
    expect(body).toMatchObject({
      validUntil: MIDNIGHT,
      simulation: { calls: [{ events: [{ args: { timestamp: MIDNIGHT - 2 } }, {}, {}] }] },
      preflight: { firstCharge: { toFeeBalance: { amount: '2.857142' } } },
    })
    expect(warning).toMatchObject({
      validUntil: MIDNIGHT,
      dayAfter: { date: '2026-03-03' },
      token: usdc,
      firstChargeAfter: {
        toFeeBalance: { amount: '1.428571', amountRaw: '1428571', tokenDecimals: 6 },
        toProvider: { amount: '0' },
      },
      backlogChargeAfter: false,
      message:
        'This holds until 2026-03-03T00:00:00Z. Mined after that, subscribing takes 1.428571 USDC for fees and ' +
        '0 USDC for the provider at once; before it, 2.857142 USDC for fees and 0 USDC for the provider.',
    })
  })

  it.each([
    ['before midnight what its preflight says', MIDNIGHT - 1],
    ['after midnight what its warning says', MIDNIGHT + 1],
  ])('takes %s', async (_what, minedAt) => {
    const { body, warning } = await subscribe(MIDNIGHT - 2)
    const { firstCharge } = z.object({ firstCharge: z.unknown() }).parse(body.preflight)
    const promised = minedAt < MIDNIGHT ? firstCharge : warning?.firstChargeAfter
    expect(await takenAt(minedAt)).toBe(totalOf(promised))
  })

  it('says where remit charges a full period on top from then on', async () => {
    const { body, warning } = await subscribe(MIDNIGHT - 60, tuesdays.id)
    expect(body).toMatchObject({ warnings: [{ code: 'DAY_ENDS_SOON' }] })
    expect(warning).toMatchObject({
      backlogChargeAfter: true,
      message: expect.stringContaining('next remit'),
    })
    const after = await subscribe(MIDNIGHT, tuesdays.id)
    expect(after.body).toMatchObject({ warnings: [{ code: 'BACKLOG_CHARGE' }] })
    expect(after.body.preflight).toMatchObject({ firstCharge: warning?.firstChargeAfter })
  })

  it('is told of by its readiness, and by nothing that is sooner or does not depend on the day', async () => {
    const input = { from: alice, id: weekly.id }
    for (const path of ['/check_subscribe_readiness_by_id', '/prepare/subscribe_by_id']) {
      const readiness = { ...input, ...(path.startsWith('/prepare') && { readinessOnly: true }) }
      expect((await ask(path, readiness, MIDNIGHT - 599)).warning).toBeDefined()
      expect((await ask(path, readiness, MIDNIGHT - 600)).warning).toBeUndefined()
    }
    const cancel = { from: provider, id: weekly.id }
    const { status, warning } = await ask('/prepare/cancel_subscription_by_id', cancel, MIDNIGHT - 2)
    expect({ status, warning }).toEqual({ status: 200, warning: undefined })
  })
})

it('remit shortly before midnight says what can be charged after it', async () => {
  const { body, warning } = await ask('/check_remit_readiness', { from: keeper }, MIDNIGHT - 300)
  expect(body).toMatchObject({ ready: false, issues: [{ code: 'NOTHING_DUE' }] })
  expect(warning).toMatchObject({
    validUntil: MIDNIGHT,
    dayAfter: { date: '2026-03-03' },
    dueAfter: 2,
    subscriptionIds: expect.arrayContaining([tuesdays.id, monthly.id]),
  })
})

it('midnight without a new block ends the day for everything that is told at that block', async () => {
  wall = MIDNIGHT - 1
  const before = await service.get('/protocol/state')
  expect((await ask('/check_remit_readiness', { from: keeper }, MIDNIGHT - 1)).body.ready).toBe(false)

  wall = MIDNIGHT
  const etag = before.headers.get('etag') ?? ''
  const state = await service.get('/protocol/state', { headers: { 'If-None-Match': etag } })
  expect(state).toMatchObject({ status: 200, body: { currentDay: { date: '2026-03-03' } } })
  expect(state.body.asOf).toEqual(before.body.asOf)
  expect((await service.get('/subscriptions/due')).body).toMatchObject({ date: '2026-03-03' })

  const readiness = await ask('/check_remit_readiness', { from: keeper }, MIDNIGHT)
  expect(readiness.body).toMatchObject({
    ready: true,
    details: { days: [{ date: '2026-03-03', willPay: 2 }] },
  })
  const remit = await ask('/prepare/remit', { from: keeper }, MIDNIGHT + 3)
  expect(remit.body).toMatchObject({ validUntil: MIDNIGHT + 86_400, asOf: before.body.asOf })
  expect((await subscribe(MIDNIGHT + 1)).body.preflight).toMatchObject({
    firstCharge: { toFeeBalance: { amount: '1.428571' } },
  })
})
