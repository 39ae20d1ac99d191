import { StubbornAllowanceToken } from '@remit/contracts/StubbornAllowanceToken'
import { approvedToken } from '@remit/testing/support/chain/approvedToken'
import { Frequency, protocolOn, type Subscription, units } from '@remit/testing/support/chain/protocolOn'
import { signerOf, useTestChain } from '@remit/testing/support/chain/useTestChain'
import { useTestService } from '@remit/testing/support/service/testService'
import { expectKept } from '@remit/testing/support/wallets/expectKept'
import { erc20Abi, type Hex, maxUint256 } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice, keeper } = chain.wallets
const { usdc, dai } = chain.tokens
const stubborn = await approvedToken(chain, StubbornAllowanceToken)
await chain.keep()
const service = await useTestService([chain])

const Allowance = z.object({
  preflight: z.object({
    allowance: z.object({
      needed: z.object({ amountRaw: z.string() }),
      coversUntil: z.object({ dayNumber: z.number() }),
      sharedWith: z.array(z.string()),
    }),
  }),
})

/** Subscribes alice as the service prepares it, and tells what it found of the allowance. */
async function subscribe({ id, token }: Subscription, approvalPeriods: number) {
  await service.caughtUp()
  const prepared = await service.post('/prepare/subscribe_by_id', { from: alice, id, approvalPeriods })
  expect(prepared.status).toBe(200)
  await expectKept({ chain, service, signer: signerOf(3) }, prepared, [token])
  return Allowance.parse(prepared.body).preflight.allowance
}

const allowanceIn = (token: Subscription['token']) =>
  chain.client.readContract({
    address: token,
    abi: erc20Abi,
    functionName: 'allowance',
    args: [alice, chain.contract],
  })

const today = async () => Math.floor((await chain.now()) / 86_400)

async function remitAll(): Promise<void> {
  while ((await protocol.reverts(keeper, 'remit', [])) === undefined) await protocol.send(keeper, 'remit', [])
}

/** Passes the days up to this one, with all remits of them. */
async function liveUntil(dayNumber: number): Promise<void> {
  while ((await today()) < dayNumber) {
    await chain.advanceDays(Math.min(5, dayNumber - (await today())))
    await remitAll()
  }
}

async function subscribed(subscriptions: readonly Subscription[]): Promise<Hex[]> {
  const rows = await protocol.read('getAccountSubscriptions', [true, alice])
  const active = rows.filter(({ status }) => status === 0).map(({ subscription }) => subscription.id)
  return subscriptions.map(({ id }) => id).filter((id) => active.includes(id))
}

describe.each([
  ['a usual token', usdc],
  ['a token that refuses to change an allowance that is not zero', stubborn],
])('in %s', (_, token) => {
  it('a wallet with subscriptions of every frequency is never dropped before the horizon, and is right after it', async () => {
    const terms = { token, amount: units('12') }
    const weekly = await protocol.create({ ...terms, dueDay: 3 })
    const monthly = await protocol.create({ ...terms, frequency: Frequency.MONTHLY, dueDay: 5 })
    const quarterly = await protocol.create({ ...terms, frequency: Frequency.QUARTERLY, dueDay: 75 })
    const yearly = await protocol.create({ ...terms, frequency: Frequency.YEARLY, dueDay: 80 })
    const others = await protocol.create({ token: dai })
    await protocol.fund(token, alice, { balance: 10n ** 12n })
    await protocol.join(others, alice)

    // The allowance is raised step by step, some of it being spent in between.
    await subscribe(yearly, 1)
    await subscribe(weekly, 2)
    await liveUntil((await today()) + 4)
    await subscribe(quarterly, 1)
    await chain.advanceDays(6)
    const last = await subscribe(monthly, 2)
    expect(last.sharedWith.toSorted()).toEqual([weekly.id, quarterly.id, yearly.id].toSorted())

    const all = [weekly, monthly, quarterly, yearly]
    const ids = all.map(({ id }) => id)
    await remitAll()
    const horizon = last.coversUntil.dayNumber
    while ((await today()) < horizon) {
      expect(await subscribed(all)).toEqual(ids)
      await liveUntil(Math.min((await today()) + 5, horizon))
    }
    expect(await subscribed(all)).toEqual(ids)
    expect(await allowanceIn(token)).toBe(0n)
    // Nothing more was approved than that: the next charge is one too many.
    await liveUntil(horizon + 7)
    expect(await subscribed(all)).toEqual(ids.filter((id) => id !== weekly.id))
  })
})

it.each([
  ['than needed', 10n ** 12n, {}],
  ['than needed, where the most is asked for', 10n ** 12n, { infiniteApproval: true }],
  ['than anybody can spend', 2n ** 255n, { infiniteApproval: true, approvalPeriods: 120 }],
  ['than anything', maxUint256, {}],
])('an allowance that is larger: %s is left alone', async (_, allowance, options) => {
  const weekly = await protocol.create()
  await protocol.fund(usdc, alice, { balance: 10n ** 9n, allowance })
  await service.caughtUp()
  const { body } = await service.post('/prepare/subscribe_by_id', {
    from: alice,
    id: weekly.id,
    ...options,
  })
  expect(body).toMatchObject({
    signingMode: 'raw',
    unsignedTransactions: [{ to: chain.contract }],
    preflight: {
      needsApproval: false,
      allowance: { current: { amountRaw: `${allowance}` }, proposed: { amountRaw: `${allowance}` } },
    },
  })
})
