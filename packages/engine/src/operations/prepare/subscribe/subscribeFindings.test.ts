import { Frequency, protocolOn, units } from '@remit/testing/support/chain/protocolOn'
import { signerOf, useTestChain } from '@remit/testing/support/chain/useTestChain'
import { useTestService } from '@remit/testing/support/service/testService'
import { signAndSend } from '@remit/testing/support/wallets/signAndSend'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice, otherProvider } = chain.wallets
const { usdc } = chain.tokens
const monthly = { frequency: Frequency.MONTHLY, dueDay: 5 } as const
const plan = await protocol.create({ ...monthly, amount: units('20') })
const other = await protocol.create({ ...monthly, provider: otherProvider, dueDay: 9 })
await chain.keep()
const service = await useTestService([chain])

const Told = z.object({
  preflight: z.looseObject({
    allowance: z.object({ proposed: z.object({ amountRaw: z.string() }) }),
    covers: z.unknown(),
    alsoAffects: z.array(z.looseObject({ id: z.string() })),
  }),
  warnings: z.array(z.looseObject({ code: z.string() })),
})

async function prepare(change: Record<string, unknown> = {}) {
  await service.caughtUp()
  const answer = await service.post('/prepare/subscribe_by_id', { from: alice, id: plan.id, ...change })
  expect(answer.status).toBe(200)
  return { body: answer.body, ...Told.parse(answer.body) }
}

async function rowOf(id: string): Promise<Record<string, unknown>> {
  await service.caughtUp()
  const { body } = await service.get(`/accounts/${alice}`)
  const { subscribedTo } = z
    .object({ subscribedTo: z.array(z.looseObject({ subscription: z.looseObject({ id: z.string() }) })) })
    .parse(body)
  return subscribedTo.find(({ subscription }) => subscription.id === id) ?? expect.fail('no such row')
}

describe('a balance that carries the first charge and nothing more', () => {
  it('is told: 21 USDC, and 20 a month', async () => {
    await protocol.fund(usdc, alice, { balance: 21_000_000n })
    const { body, preflight, warnings } = await prepare()
    const covers = { periods: 0, until: null, limitedBy: 'balance', failsOn: { date: '2026-03-05' } }
    expect(preflight.covers).toMatchObject(covers)
    expect(warnings).toMatchObject([
      {
        code: 'BALANCE_SHORT',
        balance: { amount: '21' },
        // Three periods and what three of 365 days cost at once.
        needed: { amount: '61.972602' },
        missing: { amount: '40.972602' },
        by: { date: '2026-03-05' },
        through: { date: '2026-05-05' },
        failing: plan.id,
      },
    ])
    await signAndSend(chain, signerOf(3), body)
    const row = await rowOf(plan.id)
    expect(row).toMatchObject({ covers, allowanceCovers: { periods: 12 } })
  })

  it('is no warning where three more charges are carried', async () => {
    await protocol.fund(usdc, alice, { balance: 61_972_602n })
    const { preflight, warnings } = await prepare()
    expect(warnings).toEqual([])
    expect(preflight.covers).toMatchObject({
      periods: 3,
      limitedBy: 'balance',
      failsOn: { date: '2026-06-05' },
    })
  })

  it('is told where another subscription is the one that fails', async () => {
    await protocol.join(other, alice, { balance: 60_000_000n })
    const { warnings } = await prepare()
    expect(warnings).toMatchObject([{ code: 'BALANCE_SHORT', failing: other.id, by: { date: '2026-04-09' } }])
  })
})

describe('what the wallet’s other subscriptions were told before', () => {
  /** Ten years of the other one, which this one's twelve periods need no approval for. */
  async function subscribedForYears() {
    await protocol.join(other, alice, { balance: 10n ** 11n, allowance: 1_200_000_000n })
    return rowOf(other.id)
  }

  it('is taken from them with a warning', async () => {
    const before = await subscribedForYears()
    const { preflight, warnings } = await prepare()
    expect(preflight).toMatchObject({ needsApproval: false })
    expect(warnings).toMatchObject([{ code: 'SHORTENS_COVERAGE', subscriptions: [other.id] }])
    expect(preflight.alsoAffects).toMatchObject([
      { id: other.id, before: before.covers, allowanceCovers: { before: before.allowanceCovers } },
    ])
  })

  it('is kept with keepCoverage, and what is answered is what becomes of it', async () => {
    const before = await subscribedForYears()
    const { body, preflight, warnings } = await prepare({ keepCoverage: true })
    expect(warnings).toEqual([])
    await signAndSend(chain, signerOf(3), body)
    const after = await rowOf(other.id)
    expect(after.allowanceCovers).toEqual(before.allowanceCovers)
    expect((await rowOf(plan.id)).covers).toEqual(preflight.covers)
  })

  it('is said to end sooner where the balance is what ends it, and keepCoverage is not advised again', async () => {
    await protocol.join(other, alice, { balance: 130_000_000n, allowance: 1_200_000_000n })
    const { warnings } = await prepare({ keepCoverage: true })
    const [shortens] = warnings.filter(({ code }) => code === 'SHORTENS_COVERAGE')
    expect(shortens).toMatchObject({ subscriptions: [other.id], message: expect.stringMatching(/balance/) })
    expect(shortens?.message).not.toMatch(/keepCoverage: true/)
  })

  it('is not advised to be kept in a way that is refused', async () => {
    await subscribedForYears()
    const { warnings } = await prepare({ infiniteApproval: true })
    expect(warnings).toMatchObject([{ message: expect.stringMatching(/in place of infiniteApproval/) }])
  })

  it('is not lowered where this needs more than they do', async () => {
    await protocol.join(other, alice, { balance: 10n ** 11n, allowance: 12_000_000n })
    const { preflight } = await prepare()
    const kept = await prepare({ keepCoverage: true })
    expect(kept.preflight.allowance.proposed).toEqual(preflight.allowance.proposed)
  })

  it.each([
    ['/prepare/subscribe_by_id', { id: plan.id, infiniteApproval: true }],
    ['/check_subscribe_readiness_by_id', { id: plan.id, infiniteApproval: true }],
  ])('keepCoverage at %s with %j is refused by name', async (path, change) => {
    const { status, body } = await service.post(path, { from: alice, keepCoverage: true, ...change })
    expect(status).toBe(400)
    expect(JSON.stringify(body.issues)).toContain('keepCoverage')
  })
})
