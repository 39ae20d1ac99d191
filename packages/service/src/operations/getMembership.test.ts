import { Frequency, protocolOn, tupleOf } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { indexed } from '@remit/testing/support/service/indexed'
import { useTestService } from '@remit/testing/support/service/testService'
import type { Address, Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { admin, alice, bob, carol, dave, provider, keeper, stranger } = chain.wallets
const { usdc } = chain.tokens
const UNKNOWN: Hex = `0x${'12'.repeat(32)}`

// From Monday the 2nd of March.
const weekly = await protocol.create()
await protocol.join(weekly, alice)
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
const member = (account: Address, more = '') =>
  get(`/subscriptions/${weekly.id}/subscribers/${account}${more}`)

const On = z.object({ day: z.object({ date: z.string() }) })
const Membership = z.object({ lastPayment: On, nextCharge: On.extend({ outcome: z.string() }) })

describe('GET /subscriptions/:id/subscribers/:address', () => {
  it('tells until when a member has paid, and whether its next charge will pay', async () => {
    const { body } = await member(alice)
    expect(body).toMatchObject({
      state: 'active',
      entitled: true,
      paidThrough: { date: '2026-03-10' },
      lastPayment: { day: { date: '2026-03-04' }, charged: { amount: '10' } },
      nextCharge: { day: { date: '2026-03-11' }, outcome: 'pays', missing: null },
      dropReason: null,
    })
  })

  it('tells what is missing for a charge that will fail', async () => {
    await protocol.fund(usdc, alice, { allowance: 9_000_000n })
    const { body } = await member(alice)
    expect(body).toMatchObject({
      entitled: true,
      nextCharge: { outcome: 'fails', missing: { allowance: { amount: '1' }, balance: { amount: '0' } } },
    })
  })

  it.each([
    [
      'who left keeps what is paid',
      carol,
      { state: 'left', entitled: true, paidThrough: { date: '2026-03-03' } },
    ],
    ['who was removed too', dave, { state: 'removed', entitled: true, paidThrough: { date: '2026-03-03' } }],
  ])('one %s, until that day and the grace', async (_, account, expected) => {
    // On the 5th, two days after it.
    expect((await member(account)).body).toMatchObject({ ...expected, entitled: false, nextCharge: null })
    expect((await member(account, '?graceDays=1')).body).toMatchObject({ entitled: false })
    expect((await member(account, '?graceDays=2')).body).toMatchObject(expected)
  })

  it('one whom remit dropped is not entitled, whatever the grace, and the reason is told', async () => {
    const { body } = await member(bob, '?graceDays=300')
    expect(body).toMatchObject({
      state: 'dropped',
      entitled: false,
      dropReason: 'allowance',
      nextCharge: null,
    })
  })

  it('ends with the provider’s cancellation', async () => {
    await protocol.send(provider, 'cancelSubscription', [weekly])
    expect((await member(alice)).body).toMatchObject({
      state: 'cancelled',
      entitled: true,
      paidThrough: { date: '2026-03-10' },
      nextCharge: null,
    })
  })

  it('goes by what was taken for subscribing, also on a day that the admin has passed', async () => {
    // A due day. With nextUncheckedDay behind it, the contract takes a whole period at once.
    await chain.advanceDays(6)
    const today = Math.floor((await chain.now()) / 86_400)
    await protocol.send(admin, 'setNextUncheckedDay', [today + 1])
    await protocol.join(weekly, carol)
    const paid = { lastPayment: { charged: { amount: '10' } }, paidThrough: { date: '2026-03-17' } }
    expect((await member(carol)).body).toMatchObject({ state: 'active', ...paid })
    await protocol.send(carol, 'unsubscribe', [tupleOf(weekly.id)])
    expect((await member(carol)).body).toMatchObject({ state: 'left', entitled: true, ...paid })
  })

  it('is a 404 for one who never subscribed, and for a subscription that does not exist', async () => {
    expect(await member(stranger)).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND', subscriber: stranger },
    })
    const { status } = await get(`/subscriptions/${UNKNOWN}/subscribers/${alice}`)
    expect(status).toBe(404)
    expect((await member(alice, '?graceDays=367')).status).toBe(400)
  })
})

describe('a day that takes several calls of remit', () => {
  it('is behind whom one of them has charged, and ahead of the others', async () => {
    const { admin } = chain.wallets
    const plan = await protocol.create({ frequency: Frequency.MONTHLY, dueDay: 20 })
    const members = [alice, bob, carol]
    for (const account of members) await protocol.join(plan, account, { balance: 10n ** 12n })
    await protocol.send(admin, 'changeMaxRemits', [2n])
    await chain.advanceDays(15)
    const charges = async () => {
      const told = await Promise.all(
        members.map(async (account) => {
          const { body } = await get(`/subscriptions/${plan.id}/subscribers/${account}`)
          return Membership.parse(body)
        }),
      )
      return told.map(({ lastPayment, nextCharge }) => `${lastPayment.day.date} ${nextCharge.day.date}`)
    }
    const days = async () => (await charges()).map((one) => one.split(' ')[0] === '2026-03-20')
    for (let calls = 0; calls < 20 && !(await days()).includes(true); calls += 1)
      await protocol.send(keeper, 'remit', [])
    const seen = await charges()
    const charged = seen.filter((one) => one.startsWith('2026-03-20'))
    expect(new Set(charged)).toEqual(new Set(['2026-03-20 2026-04-20']))
    const left = seen.filter((one) => !charged.includes(one))
    expect(left.length).toBeGreaterThan(0)
    expect(left.every((one) => one.endsWith(' 2026-03-20'))).toBe(true)
  })

  it('has taken what it took of a wallet’s other subscriptions, which it does not take again', async () => {
    const friday = { dueDay: 5 }
    const plans = [await protocol.create(friday), await protocol.create(friday)]
    for (const plan of plans) await protocol.join(plan, dave)
    await protocol.fund(usdc, dave, { allowance: 20_000_000n })
    await protocol.send(admin, 'changeMaxRemits', [1n])
    await chain.advanceDays(1)
    const seen = () =>
      Promise.all(
        plans.map(async ({ id }) =>
          Membership.parse((await get(`/subscriptions/${id}/subscribers/${dave}`)).body),
        ),
      )
    const charged = async () =>
      (await seen()).filter(({ lastPayment }) => lastPayment.day.date === '2026-03-06')
    for (let calls = 0; calls < 5 && (await charged()).length === 0; calls += 1)
      await protocol.send(keeper, 'remit', [])
    const next = (await seen()).map(({ nextCharge: { day, outcome } }) => `${day.date} ${outcome}`)
    expect(next.toSorted()).toEqual(['2026-03-06 pays', '2026-03-13 fails'])

    const before = await protocol.balanceOf(usdc, dave)
    await protocol.send(keeper, 'remit', [])
    expect(before - (await protocol.balanceOf(usdc, dave))).toBe(10_000_000n)
    for (const plan of plans) expect(await protocol.subscribersOf(plan)).toEqual([dave])
  })
})
