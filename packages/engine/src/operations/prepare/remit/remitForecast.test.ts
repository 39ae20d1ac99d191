import { FeeOnTransferToken } from '@remit/contracts/FeeOnTransferToken'
import { decodeLogs } from '@remit/protocol/logs/events'
import { approvedToken } from '@remit/testing/support/chain/approvedToken'
import { Frequency, type Subscription } from '@remit/testing/support/chain/protocolOn'
import { useBacklogGround } from '@remit/testing/support/chain/useBacklogGround'
import { checkpointAt } from '@remit/testing/support/chain/useReadingGround'
import { useTestService } from '@remit/testing/support/service/testService'
import { type Address, getAddress, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { PROBED_CALLS } from '../../../simulation/simulationBudget.ts'

const { chain, protocol, weekly, yearly } = await useBacklogGround()
const { admin, alice, bob, carol, keeper } = chain.wallets
const { usdc, dai } = chain.tokens
const service = await useTestService([chain])

const Details = z.object({
  days: z.array(
    z.object({ date: z.string(), subscriptions: z.number(), willPay: z.number(), willFail: z.number() }),
  ),
  failing: z.array(
    z.object({ subscriptionId: z.string(), subscriber: z.string(), date: z.string(), reason: z.unknown() }),
  ),
  expectedTransactions: z.number(),
  callerFees: z.array(z.object({ token: z.object({ address: z.string() }), amountRaw: z.string() })),
})
const Readiness = z.object({
  ready: z.boolean(),
  issues: z.array(z.looseObject({ code: z.string() })),
  warnings: z.array(z.looseObject({ code: z.string() })),
  details: Details,
})

async function check(from: Address = keeper) {
  await service.caughtUp()
  const { status, body } = await service.post('/check_remit_readiness', { from })
  expect(status).toBe(200)
  return Readiness.parse(body)
}

const send = () => protocol.send(keeper, 'remit', [])

/** Sends remit until it reverts, and compares what was foretold with what happened. */
async function workOff(tokens: readonly Address[] = [usdc, dai]) {
  const { details, warnings, ready } = await check()
  const days = new Map<string, { ids: Set<Hex>; willPay: number; willFail: number }>()
  const failing: unknown[] = []
  const before = await holdings(tokens)
  let transactions = 0
  while ((await protocol.reverts(keeper, 'remit', [])) === undefined) {
    const left = await check()
    expect(left.ready).toBe(true)
    expect(left.details.expectedTransactions).toBe(details.expectedTransactions - transactions)
    const events = decodeLogs(await send(), chain.contract)
    transactions += 1
    const dayNumber = events.filter((event) => event.type === 'CallerLog').at(-1)?.checkedDay ?? 0
    const date = new Date(dayNumber * 86_400_000).toISOString().slice(0, 10)
    const day = days.get(date) ?? { ids: new Set(), willPay: 0, willFail: 0 }
    days.set(date, day)
    for (const event of events) {
      if (event.type !== 'SubLog') continue
      if (['SubscriberPaid', 'FeeFilled'].includes(event.eventName)) day.willPay += 1
      else if (event.eventName === 'Failed') {
        day.willFail += 1
        failing.push({ subscriptionId: event.id, subscriber: event.subscriber, date })
      } else continue
      day.ids.add(event.id)
    }
  }
  expect(details.expectedTransactions).toBe(transactions)
  expect(
    details.days.map(({ date, subscriptions, willPay, willFail }) => [
      date,
      subscriptions,
      willPay,
      willFail,
    ]),
  ).toEqual([...days].map(([date, { ids, willPay, willFail }]) => [date, ids.size, willPay, willFail]))
  expect(details.failing.map(({ reason: _, ...who }) => who)).toEqual(failing)
  const earned = new Map(details.callerFees.map(({ token, amountRaw }) => [token.address, BigInt(amountRaw)]))
  for (const [token, held] of await holdings(tokens)) {
    expect(earned.get(token) ?? 0n).toBe(held - (before.get(token) ?? 0n))
  }
  expect(ready).toBe(transactions > 0)
  // Nothing in it is a guess.
  expect(warnings.map(({ code }) => code)).toEqual(['REMIT_NEEDS_MORE_TRANSACTIONS'])
  return { transactions, failing: details.failing }
}

async function holdings(tokens: readonly Address[]): Promise<Map<string, bigint>> {
  const rows = tokens.map(
    async (token) => [getAddress(token), await protocol.balanceOf(token, keeper)] as const,
  )
  return new Map(await Promise.all(rows))
}

const leave = (account: Address, { id }: Subscription) =>
  protocol.send(account, 'unsubscribe', [{ ...weekly, id }])

describe('remit takes exactly the transactions that its readiness foretold', () => {
  it('with pages, empty days, a cancelled subscription and a payer who runs dry', async () => {
    await chain.advanceDays(10)
    const { transactions, failing } = await workOff()
    expect(transactions).toBe(7)
    expect(failing).toMatchObject([{ subscriptionId: weekly.id, subscriber: carol, reason: 'allowance' }])
  })

  it('with a paused token', async () => {
    await protocol.send(admin, 'pauseToken', [dai, true])
    await chain.advanceDays(10)
    expect((await workOff()).transactions).toBeGreaterThan(2)
  })

  it('with a token that keeps a part of every transfer for itself', async () => {
    const costly = await approvedToken(chain, FeeOnTransferToken)
    const plan = await protocol.create({ token: costly, frequency: Frequency.WEEKLY, dueDay: 4 })
    await protocol.join(plan, alice)
    await protocol.join(plan, bob)
    await chain.advanceDays(10)
    await workOff([usdc, dai, costly])
  })

  it('with the system’s part switched on, for somebody else and for the caller itself', async () => {
    await protocol.send(admin, 'systemFeeActivate', [true])
    await chain.advanceDays(10)
    const asAdmin = await check(admin)
    const asKeeper = await check(keeper)
    const [own, other] = [asAdmin, asKeeper].map(({ details }) =>
      BigInt(details.callerFees[0]?.amountRaw ?? 0),
    )
    expect(own).toBeGreaterThan(other ?? 0n)
    await workOff()
  })

  it('from every place at which a page can break off', async () => {
    await chain.advanceDays(10)
    for (let sent = 0; sent < 4; sent += 1) {
      await send()
      const { details } = await check()
      expect(details.expectedTransactions).toBe(6 - sent)
    }
    await workOff()
  })

  it('where somebody unsubscribes in the middle of a page', async () => {
    await chain.advanceDays(10)
    await send()
    await send()
    // Last of its set, so that the contract's view still names the others.
    await leave(carol, weekly)
    await workOff()
  })

  it('while the contract’s own view panics', async () => {
    await chain.advanceDays(4)
    await send()
    await send()
    await protocol.send(admin, 'setPageStart', [{ ...checkpointAt(weekly.id), subscriberIndex: 3n }])
    await leave(alice, weekly)
    expect(await protocol.reverts(keeper, 'getSubscribersById', [weekly.id])).toBe('Panic(50)')
    await workOff()
    await chain.advanceDays(40)
    expect((await workOff()).transactions).toBeGreaterThan(PROBED_CALLS)
  })

  it('where the checkpoint is met nowhere', async () => {
    await chain.advanceDays(10)
    await send()
    await send()
    await protocol.send(admin, 'setPageStart', [{ ...checkpointAt(yearly.id), frequency: 1n }])
    await workOff()
  })

  it('over many months, of which only the first calls were tried', async () => {
    await protocol.send(admin, 'systemFeeActivate', [true])
    await chain.advanceDays(60)
    await send()
    await send()
    const { transactions } = await workOff()
    expect(transactions).toBeGreaterThan(15)
  }, 60_000)
})
