import { operations } from '@remit/service/operations/index'
import { protocolOn, units } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { lasting, useTestService } from '@remit/testing/support/service/testService'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice, bob, provider, stranger } = chain.wallets
const { usdc, dai } = chain.tokens
const weekly = await protocol.create({ amount: units('10.5') })
await protocol.join(weekly, alice)
await protocol.fund(usdc, bob, { balance: 1_000_000_000n })
await chain.keep()
const service = await useTestService([chain])

const terms = { id: weekly.id, amount: '10.5', provider, token: usdc, frequency: 0, dueDay: 3 }

/** Each operation that takes terms: by whom it can be done, and what else it takes. */
const FORMS = [
  ['/check_subscribe_readiness', 4, { from: bob }],
  ['/prepare/subscribe', 4, { from: bob }],
  ['/prepare/unsubscribe', 3, { from: alice }],
  ['/prepare/cancel_subscription', 1, { from: provider }],
  ['/prepare/unsubscribe_by_provider', 1, { from: provider, subscriber: alice }],
] as const

const prepares = FORMS.filter(([path]) => path.startsWith('/prepare/'))

async function post(path: string, body: Record<string, unknown>) {
  await service.caughtUp()
  return service.post(path, body)
}

it('is what every operation with an object form is tested with here', () => {
  const taking = operations.filter(({ input }) => 'subscription' in input.shape)
  expect(taking.map(({ rest }) => rest?.path).toSorted()).toEqual(FORMS.map(([path]) => path).toSorted())
})

describe('terms that are the chain’s', () => {
  it.each(prepares)('of %s give what the id alone gives', async (path, _, rest) => {
    const inObject = await post(path, { ...rest, subscription: terms })
    const byId = await post(`${path}_by_id`, { ...rest, id: weekly.id })
    expect(inObject.status).toBe(200)
    const { unsignedTransactions, preflight, warnings, operation } = lasting(inObject.body)
    expect(lasting(byId.body)).toMatchObject({ unsignedTransactions, preflight, warnings, operation })
  })

  it('may write the amount with zeros, and addresses in one case', async () => {
    const subscription = { ...terms, amount: '10.500000', provider: provider.toLowerCase() }
    expect((await post('/prepare/subscribe', { from: bob, subscription })).status).toBe(200)
  })

  it('are told by the amount that the token moves, where the protocol keeps more digits', async () => {
    const { id } = await protocol.create({ amount: units('10.123456789') })
    const subscription = { ...terms, id, amount: '10.123456' }
    expect((await post('/prepare/subscribe', { from: bob, subscription })).status).toBe(200)
  })
})

describe.each(FORMS)('terms of %s that are not the chain’s', (path, _, rest) => {
  it.each([
    ['amount', '10', '10.5'],
    ['amount', '10.500001', '10.5'],
    ['provider', stranger, provider],
    ['token', dai, usdc],
    ['cancelled', true, false],
    ['frequency', 1, 0],
    ['dueDay', 4, 3],
  ])('are refused, showing %s as given (%s) and as it is', async (field, given, actual) => {
    const { status, body } = await post(path, { ...rest, subscription: { ...terms, [field]: given } })
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'SUBSCRIPTION_MISMATCH' })
    expect(body.issues).toMatchObject([{ path: `subscription.${field}`, given, actual }])
    expect(body).not.toHaveProperty('unsignedTransactions')
  })

  it('are refused together, before anything else that stands against it', async () => {
    const subscription = { ...terms, amount: '1.1234567', token: dai, dueDay: 7 }
    const { status, body } = await post(path, { ...rest, from: stranger, subscription })
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'SUBSCRIPTION_MISMATCH' })
    const issues = z.array(z.object({ path: z.string() })).parse(body.issues)
    expect(issues.map((issue) => issue.path)).toEqual([
      'subscription.amount',
      'subscription.token',
      'subscription.dueDay',
    ])
  })

  it.each([
    ['subscription.amount', { ...terms, amount: '10.5000000' }],
    ['subscription.dueDay', { ...terms, dueDay: 8 }],
    ['subscription.more', { ...terms, more: 1 }],
  ])('are refused for their form, naming %s', async (field, subscription) => {
    const { status, body } = await post(path, { ...rest, subscription })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
    expect(body.issues).toMatchObject([{ path: field }])
  })

  it('are 404 for an id that nobody has', async () => {
    const id = `0x${'12'.repeat(32)}`
    const { status, body } = await post(path, { ...rest, subscription: { ...terms, id } })
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'NOT_FOUND' })
  })
})
