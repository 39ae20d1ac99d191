import { createClient } from '@remit/client/testing/createClient'
import { OwnWrites } from '@remit/client/testing/request/freshCaller'
import type { BudgetEntry } from '@remit/client/testing/sending/check/Budget'
import { ChainReadError, OverBudgetError } from '@remit/client/testing/sending/errors'
import { createFlows } from '@remit/client/testing/sending/flows/createFlows'
import { numberToHex } from 'viem'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Subscription, units } from '../support/chain/protocolOn.ts'
import { type InjectedOptions, QUICK, useSendingGround } from './sendingGround.ts'

const { chain, protocol, service, api, flowsOver, weekly, injected } = await useSendingGround()
const { alice, provider } = chain.wallets
const { usdc, dai } = chain.tokens
/** 10 USDC a week, 400 years of weeks over 400 years of months. */
const WEEKLY_TEN = 43_481_250n

beforeEach(() => service.caughtUp())

const within = (perMonthRaw: bigint, token = usdc) => flowsOver(api, { budget: [{ token, perMonthRaw }] })

/** What a sending is refused with, and that the wallet was asked nothing. */
async function refusal(
  flows: ReturnType<typeof within>,
  { id }: Subscription,
  options: InjectedOptions = {},
) {
  const { wallet, signatures } = injected(alice, options)
  const failure: unknown = await flows
    .subscribe({ id })
    .send(wallet, QUICK)
    .then(
      () => 'sent',
      (error: unknown) => error,
    )
  expect(signatures()).toEqual([])
  return failure
}

/** A plan that alice joins, and leaves on the way or has cancelled. */
async function joined(terms: Parameters<typeof protocol.create>[0], end?: 'left' | 'cancelled') {
  const plan = await protocol.create(terms)
  await protocol.join(plan, alice)
  if (end === 'left') await protocol.send(alice, 'unsubscribe', [plan])
  if (end === 'cancelled') await protocol.send(provider, 'cancelSubscription', [plan])
  await service.caughtUp()
}

describe('a budget', () => {
  it('lets a wallet spend exactly that much, and not one unit more', async () => {
    const failure = await refusal(within(WEEKLY_TEN - 1n), weekly)
    expect(failure).toBeInstanceOf(OverBudgetError)
    expect(failure).toMatchObject({
      code: 'OVER_BUDGET',
      id: weekly.id,
      token: usdc,
      perMonthRaw: WEEKLY_TEN - 1n,
      committedRaw: 0n,
      wouldBeRaw: WEEKLY_TEN,
      message: expect.stringContaining('to 43.48125 a month'),
    })
    const { wallet } = injected(alice)
    const { status } = await within(WEEKLY_TEN).subscribe({ id: weekly.id }).send(wallet, QUICK)
    expect(status).toBe('success')
  })

  it('counts fractions of a unit', async () => {
    // 43.481254348125 a month.
    const plan = await protocol.create({ amount: units('10.000001') })
    await service.caughtUp()
    expect(await refusal(within(43_481_254n), plan)).toMatchObject({ wouldBeRaw: 43_481_255n })
    const { wallet } = injected(alice)
    await expect(within(43_481_255n).subscribe({ id: plan.id }).send(wallet, QUICK)).resolves.toBeDefined()
  })

  it('counts every active subscription of the wallet in the token, and no other', async () => {
    await joined({ amount: units('9'), frequency: 1, dueDay: 9 })
    await joined({ amount: units('6'), frequency: 2, dueDay: 40 })
    await joined({ amount: units('12'), frequency: 3, dueDay: 200 })
    await joined({ amount: units('500'), frequency: 1, dueDay: 9 }, 'left')
    await joined({ amount: units('500'), frequency: 1, dueDay: 9 }, 'cancelled')
    await joined({ amount: units('500'), token: dai, frequency: 1, dueDay: 9 })
    const held = 12_000_000n
    expect(await refusal(within(held + WEEKLY_TEN - 1n), weekly)).toMatchObject({
      committedRaw: held,
      wouldBeRaw: held + WEEKLY_TEN,
    })
    const { wallet } = injected(alice)
    const flows = within(held + WEEKLY_TEN)
    await expect(flows.subscribe({ id: weekly.id }).send(wallet, QUICK)).resolves.toBeDefined()
  })

  it.each([
    ['another token alone', [{ token: dai, perMonthRaw: 10n ** 30n }]],
    ['no token', []],
  ])('that names %s has no room', async (_, budget: BudgetEntry[]) => {
    expect(await refusal(flowsOver(api, { budget }), weekly)).toMatchObject({
      code: 'OVER_BUDGET',
      perMonthRaw: null,
      message: expect.stringContaining('has no entry for the token'),
    })
  })

  it('refuses if the wallet’s node does not list its subscriptions', async () => {
    const around: InjectedOptions['around'] = async ({ method, params = [] }, go) => {
      if (method === 'eth_call' && params[1] !== 'latest') throw new Error('no such block')
      return go()
    }
    expect(await refusal(within(10n ** 30n), weekly, { around })).toBeInstanceOf(ChainReadError)
  })

  it('refuses if the wallet’s node has not seen the client’s last transaction', async () => {
    const flows = within(10n ** 30n)
    const monthly = await protocol.create({ frequency: 1, dueDay: 9 })
    await service.caughtUp()
    const before = await chain.client.getBlockNumber()
    await flows.subscribe({ id: monthly.id }).send(injected(alice).wallet, QUICK)
    await service.caughtUp()
    const around: InjectedOptions['around'] = async ({ method }, go) => {
      const answer = await go()
      if (method !== 'eth_getBlockByNumber') return answer
      return { ...Object(answer), number: `0x${before.toString(16)}` }
    }
    const { wallet, signatures } = injected(alice, { around })
    const sending = flows.subscribe({ id: weekly.id }).send(wallet, { ...QUICK, timeoutMs: 4_000 })
    await expect(sending).rejects.toThrow(ChainReadError)
    expect(signatures()).toEqual([])
  })

  it('holds beside a node that lacks the last subscribe, however long ago that was', async () => {
    const other = await protocol.create({ dueDay: 5 })
    await service.caughtUp()
    let nowMs = 0
    const { chainId, contract, client } = chain
    const flows = createFlows(api, {
      contracts: { [chainId]: contract },
      chainId,
      ownWrites: new OwnWrites(() => nowMs),
      budget: [{ token: usdc, perMonthRaw: WEEKLY_TEN }],
    })
    const options = { ...QUICK, together: false }
    // Safe: the chain's own methods, which the test client has no types for.
    const ask = (request: object) => client.request(request as never)
    let stalledAt: bigint | undefined
    const around: InjectedOptions['around'] = async ({ method, params }, go) => {
      if (stalledAt === undefined) return go()
      const at = numberToHex(stalledAt)
      const [first, block] = Array.isArray(params) ? params : []
      if (method === 'eth_getBlockByNumber') return ask({ method, params: [at, false] })
      if (method !== 'eth_call') return go()
      return ask({ method, params: [first, !block || block === 'latest' ? at : block] })
    }
    const { wallet } = injected(alice, { around })
    await flows.subscribe({ id: weekly.id, infiniteApproval: true }).send(wallet, options)
    stalledAt = (await client.getBlockNumber()) - 1n
    await service.caughtUp()
    nowMs += 3_600_000
    const second = flows.subscribe({ id: other.id, infiniteApproval: true })
    await expect(second.send(wallet, options)).rejects.toBeInstanceOf(OverBudgetError)
    // Once the node has it, it counts as long as the chain has it, and no longer.
    stalledAt = undefined
    await expect(second.send(wallet, options)).rejects.toBeInstanceOf(OverBudgetError)
    await flows.unsubscribe({ id: weekly.id }).send(wallet, options)
    await expect(second.send(wallet, options)).resolves.toBeDefined()
  })

  it('has room for only one of two subscribes that are sent at once', async () => {
    const twin = await protocol.create()
    await service.caughtUp()
    const flows = within(2n * WEEKLY_TEN - 1n)
    const sent = await Promise.allSettled(
      [weekly, twin].map(({ id }) => flows.subscribe({ id }).send(injected(alice).wallet, QUICK)),
    )
    expect(sent.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const failed = sent.find((one) => one.status === 'rejected')
    expect(failed?.reason).toBeInstanceOf(OverBudgetError)
  })

  it('counts a subscription that the wallet made between the approval and the subscribe', async () => {
    const other = await protocol.create({ amount: units('1'), frequency: 1, dueDay: 9 })
    await service.caughtUp()
    let isFirst = true
    const { wallet, signatures } = injected(alice, {
      sendsCalls: false,
      around: async ({ method }, go) => {
        const answer = await go()
        if (method === 'eth_sendTransaction' && isFirst) {
          isFirst = false
          await protocol.send(alice, 'subscribe', [other])
        }
        return answer
      },
    })
    const sending = within(WEEKLY_TEN).subscribe({ id: weekly.id }).send(wallet, QUICK)
    await expect(sending).rejects.toMatchObject({
      code: 'OVER_BUDGET',
      committedRaw: 1_000_000n,
      sent: [{ functions: ['approve'] }],
      allowanceRemains: { token: usdc },
    })
    expect(signatures().filter(({ method }) => method === 'eth_sendTransaction')).toHaveLength(1)
  })

  it('gives room back when the user refuses, and after unsubscribing', async () => {
    const twin = await protocol.create()
    await service.caughtUp()
    const flows = within(WEEKLY_TEN)
    const { wallet: unwilling } = injected(alice, { approvals: 0 })
    const refused = flows.subscribe({ id: weekly.id }).send(unwilling, QUICK)
    await expect(refused).rejects.toMatchObject({ code: 'USER_REJECTED' })
    const { wallet } = injected(alice)
    await flows.subscribe({ id: twin.id }).send(wallet, QUICK)
    await expect(flows.subscribe({ id: weekly.id }).send(wallet, QUICK)).rejects.toThrow(OverBudgetError)
    await flows.unsubscribe({ id: twin.id }).send(wallet, QUICK)
    await expect(flows.subscribe({ id: weekly.id }).send(wallet, QUICK)).resolves.toBeDefined()
  })

  it('gives room back where the subscribe was never signed, although the approval may still be mined', async () => {
    onTestFinished(() => chain.client.setAutomine(true))
    const other = await protocol.create({ dueDay: 5 })
    await service.caughtUp()
    const flows = within(WEEKLY_TEN)
    await chain.client.setAutomine(false)
    const { wallet } = injected(alice)
    const options = { ...QUICK, together: false }
    await expect(
      flows.subscribe({ id: weekly.id }).send(wallet, { ...options, timeoutMs: 4_000 }),
    ).rejects.toMatchObject({ code: 'STILL_PENDING', sent: [{ functions: ['approve'] }] })
    await chain.client.mine({ blocks: 1 })
    await chain.client.setAutomine(true)
    await service.caughtUp()
    await expect(flows.subscribe({ id: other.id }).send(wallet, options)).resolves.toBeDefined()
  })

  it('does not limit creating: a provider cannot subscribe to its own subscription', async () => {
    const flows = flowsOver(api, { budget: [] })
    const { wallet } = injected(provider)
    const details = { url: '', description: 'Beans' }
    const terms = { amount: '10', token: usdc, details, frequency: 0, dueDay: 3 } as const
    const { subscriptionId } = await flows.createSubscription(terms).send(wallet, QUICK)
    const { ready, issues } = await flows.subscribe({ id: subscriptionId }).readiness(provider)
    expect(ready).toBe(false)
    expect(issues.map(({ code }) => code)).toContain('OWN_SUBSCRIPTION')
    await expect(flows.cancelSubscription({ id: subscriptionId }).send(wallet, QUICK)).resolves.toBeDefined()
  })
})

it('assertWithinBudget checks for callers who sign themselves, and reserves nothing', async () => {
  const { wallet, signatures } = injected(alice)
  const enough = within(WEEKLY_TEN)
  await enough.assertWithinBudget({ id: weekly.id }, wallet)
  await enough.assertWithinBudget({ id: (await protocol.create()).id }, wallet)
  const tooLittle = within(WEEKLY_TEN - 1n).assertWithinBudget({ id: weekly.id }, wallet)
  await expect(tooLittle).rejects.toThrow(OverBudgetError)
  const none = flowsOver(api).assertWithinBudget({ id: weekly.id }, wallet)
  await expect(none).rejects.toThrow('has no budget')
  expect(signatures()).toEqual([])
})

it.each([
  ['a token that is none', [{ token: '0x12', perMonthRaw: 1n }], 'is not an address'],
  ['a negative sum', [{ token: usdc, perMonthRaw: -1n }], 'is below 0'],
  [
    'a token twice',
    [
      { token: usdc, perMonthRaw: 1n },
      { token: usdc.toLowerCase(), perMonthRaw: 2n },
    ],
    'twice',
  ],
] as const)('refuses to make a client with %s in its budget', (_, budget, words) => {
  // Safe: it is about what the types do not allow.
  expect(() => createClient({ url: service.url, budget: budget as unknown as BudgetEntry[] })).toThrow(words)
})
