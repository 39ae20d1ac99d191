import { BlockingToken } from '@remit/contracts/BlockingToken'
import { forecastRemit, sumUp } from '@remit/protocol/remit/forecastRemit'
import {
  explainFirstCall,
  systemFeeSeen,
  withCheckpoint,
  withSystemFee,
} from '@remit/protocol/remit/inferHiddenState'
import { stepFromLogs } from '@remit/protocol/remit/replayProbe'
import { approvedToken } from '@remit/testing/support/chain/approvedToken'
import { contractAt } from '@remit/testing/support/chain/contractAt'
import { Frequency, protocolOn } from '@remit/testing/support/chain/protocolOn'
import { checkpointAt, useReadingGround } from '@remit/testing/support/chain/useReadingGround'
import type { Address } from 'viem'
import { describe, expect, it } from 'vitest'
import { ViewFailedError } from '../../../errors/chain.ts'
import { deeplyProbedCalls, PROBED_CALLS } from '../../../simulation/simulationBudget.ts'
import { findRemit, toRemitBacklog } from './remitFindings.ts'

const ground = await useReadingGround({ terms: { maxRemits: 2n } })
const protocol = protocolOn(ground)
const { proxy, wallets, tokens } = ground
const { admin, alice, bob, carol, dave, keeper } = wallets

const weekly = await protocol.create()
const otherWeekly = await protocol.create({ token: tokens.dai })
const monthly = await protocol.create({ frequency: Frequency.MONTHLY, dueDay: 9 })
for (const account of [alice, bob, carol]) await protocol.join(weekly, account)
await protocol.join(otherWeekly, dave)
await protocol.join(otherWeekly, bob, { balance: 15n * 10n ** 18n, allowance: 15n * 10n ** 18n })
await protocol.join(monthly, dave)
await ground.keep()

const find = () => ground.view((view) => findRemit(view, keeper))
const send = () => protocol.send(keeper, 'remit', [])

/** Has the view of the weekly subscription panic, in the middle of its day. */
async function hide(): Promise<void> {
  await protocol.send(admin, 'setPageStart', [{ ...checkpointAt(weekly.id), subscriberIndex: 2n }])
  await protocol.send(alice, 'unsubscribe', [weekly])
}

const LACKS_SIMULATION = {
  answer: ({ method }: { method: string }) =>
    method === 'eth_simulateV1'
      ? { error: { code: -32601, message: 'the method eth_simulateV1 does not exist' } }
      : undefined,
}

it.each([false, true])(
  'a probe that walks the whole backlog logs what the rules foretell, the system’s part switched on: %s',
  async (isOn) => {
    await protocol.send(admin, 'systemFeeActivate', [isOn])
    await ground.advanceDays(10)
    for (let sent = 0; sent < 5; sent += 1) {
      const { rules, probe, systemFee } = await ground.view(async (view) => {
        const [backlog, probe] = await Promise.all([view.read.backlog(keeper), view.remit.probe(keeper)])
        return { rules: toRemitBacklog(view, keeper, backlog), probe, systemFee: backlog.settings.systemFee }
      })
      if (probe.method !== 'eth_simulateV1') throw new Error('the node simulates')
      const [first] = probe.calls
      if (first === undefined) throw new Error('something is due')
      const { checkpoint, explained } = explainFirstCall(rules, first)
      expect(explained).toBe(true)
      const begun = withCheckpoint(rules, checkpoint)
      const fee = systemFeeSeen(begun, systemFee, probe.calls)
      expect(fee).toEqual(isOn ? { isOn: true, receiver: admin } : { isOn: false })
      const foretold = forecastRemit(withSystemFee(begun, systemFee, fee))
      const logged = sumUp(
        probe.calls.map((call) => stepFromLogs(call, rules)),
        rules.nextUncheckedDay,
        undefined,
      )
      const withoutReasons = foretold.failing.map((failure) => ({ ...failure, reason: undefined }))
      expect(logged).toEqual({ ...foretold, failing: withoutReasons, skipped: [] })
      expect(logged.expectedTransactions).toBeGreaterThan(0)
      await send()
    }
  },
)

describe('the HTTP requests', () => {
  it.each([
    [10, 1],
    // The calls behind the eighth are reckoned, and their transfers tried.
    [400, 2],
  ])('for %i days are %i, and none on the same head', async (days, requests) => {
    await ground.advanceDays(days)
    await ground.view(async (view) => {
      const { probed } = await findRemit(view, keeper)
      expect(probed).toMatchObject({ gaps: [], revert: undefined })
      expect(probed.seenCalls).toBe(Math.min(PROBED_CALLS, probed.forecast.expectedTransactions))
      expect(proxy.requests).toBe(requests)
      await findRemit(view, keeper)
      expect(proxy.requests).toBe(requests)
    })
  })

  it('are four where a node bears no more than one call, and transfers are tried behind it', async () => {
    await ground.advanceDays(10)
    proxy.fail({
      answer: ({ method, params }) =>
        method === 'eth_simulateV1' && JSON.stringify(params).split(keeper).length > 2
          ? { error: { code: -32000, message: 'too many calls' } }
          : undefined,
    })
    const { probed, triedCalls } = await find()
    // An unknown refusal may be over a moment later, so the only node is asked twice before one call is tried alone.
    expect(proxy.requests).toBe(4)
    expect(probed.gaps).toEqual([])
    expect(probed.seenCalls).toBe(1)
    expect(triedCalls).toBe(probed.forecast.expectedTransactions)
    await expectCalls(probed.forecast.expectedTransactions)
  })

  it('are three where a payer and a way out have to be found, and three without eth_simulateV1', async () => {
    const { payers, token } = await blockingDay()
    const refused = [{ transfer: { token, from: payers[0] }, charge: { subscriber: payers[0] } }]
    const found = { probed: { forecast: { expectedTransactions: 0 } }, stop: { kind: 'transfers', refused } }
    expect(await find()).toMatchObject({ ...found, stop: { ...found.stop, waysOut: { tried: true } } })
    expect(proxy.requests).toBe(3)
    proxy.fail(LACKS_SIMULATION)
    const untried = { tried: false, why: 'node' }
    expect(await find()).toMatchObject({ ...found, stop: { ...found.stop, waysOut: untried } })
    expect(proxy.requests).toBe(3)
  })

  it('are two where subscribers are hidden and more calls have to be tried', async () => {
    await ground.advanceDays(60)
    await send()
    await hide()
    const { probed, backlog } = await find()
    expect(
      backlog.lists.flatMap(({ entries }) => entries.map(({ hiddenSubscribers }) => hiddenSubscribers)),
    ).toContain(2)
    expect(proxy.requests).toBe(2)
    expect(probed.gaps).toEqual([])
    await expectCalls(probed.forecast.expectedTransactions)
  })
})

it('says that its figures are the least, where hidden subscribers have too long a backlog', async () => {
  await ground.advanceDays(400)
  await send()
  await hide()
  const { probed } = await find()
  expect(probed).toMatchObject({ gaps: ['unseen'], seenCalls: deeplyProbedCalls(2) })
})

it('shares one forecast among those who ask alike, and keeps the last few only', async () => {
  await ground.advanceDays(10)
  await ground.view(async (view) => {
    const own = await findRemit(view, keeper)
    expect(await findRemit(view, keeper)).toBe(own)
    for (const other of [alice, bob, carol, dave]) await findRemit(view, other)
    expect(await findRemit(view, keeper)).not.toBe(own)
  })
})

it('tells how remit reverts right behind the calls that were tried first, where subscribers are hidden', async () => {
  await protocol.join(await protocol.create({ frequency: Frequency.MONTHLY, dueDay: 15 }), bob)
  const token = await approvedToken(ground, BlockingToken)
  await protocol.join(await protocol.create({ token, frequency: Frequency.MONTHLY, dueDay: 19 }), dave)
  await contractAt(ground.client, token, BlockingToken.abi).send(admin, 'setRefusal', [dave, 1])
  await ground.advanceDays(60)
  await send()
  await hide()
  const { probed, stop } = await find()
  expect(probed).toMatchObject({ seenCalls: PROBED_CALLS, gaps: [] })
  expect(stop).toMatchObject({ kind: 'transfers', refused: [{ charge: { subscriber: dave } }] })
})

describe('on a node without eth_simulateV1', () => {
  it.each([false, true])(
    'counts the calls and what they earn, the system’s part switched on: %s',
    async (isOn) => {
      await protocol.send(admin, 'systemFeeActivate', [isOn])
      await ground.advanceDays(10)
      for (let sent = 0; sent < 5; sent += 1) {
        proxy.fail({})
        const { probed: seen } = await find()
        proxy.fail(LACKS_SIMULATION)
        const { probed: counted } = await find()
        expect(proxy.requests).toBe(2)
        expect(counted).toMatchObject({ gaps: ['counted'], seenCalls: seen.forecast.expectedTransactions })
        expect(counted.forecast).toEqual(seen.forecast)
        await send()
      }
    },
  )

  it('tells a stall and an end as the chain does', async () => {
    proxy.fail(LACKS_SIMULATION)
    expect((await find()).probed).toMatchObject({ gaps: [], forecast: { expectedTransactions: 0 } })
    await ground.advanceDays(3)
    await protocol.send(admin, 'changeMaxRemits', [0n])
    expect((await find()).probed.forecast.stalled).toMatchObject({ reason: 'maxRemits' })
  })

  it('leaves the days empty where subscribers are hidden, and counts all the same', async () => {
    await ground.advanceDays(10)
    await send()
    await hide()
    proxy.fail(LACKS_SIMULATION)
    const { probed } = await find()
    expect(probed).toMatchObject({ gaps: ['days'], forecast: { days: [] } })
    await expectCalls(probed.forecast.expectedTransactions)
  })

  it('says that nothing was tried where overrides are refused too', async () => {
    await ground.advanceDays(10)
    const lacksBoth = {
      answer: (call: { method: string; params: unknown[] }) =>
        call.method === 'eth_call' && JSON.stringify(call.params[2] ?? {}).includes(keeper)
          ? { error: { code: -32602, message: 'invalid params' } }
          : LACKS_SIMULATION.answer(call),
    }
    proxy.fail(lacksBoth)
    const { probed } = await find()
    expect(probed).toMatchObject({ gaps: ['unprobed'], seenCalls: 0 })
    await hide()
    await expect(find()).rejects.toThrow(ViewFailedError)
  })
})

/** A day on which the first of many payers cannot pay, because its token refuses. */
async function blockingDay(): Promise<{ payers: readonly Address[]; token: Address }> {
  const token = await approvedToken(ground, BlockingToken)
  const payers = [alice, bob, carol, dave]
  const plan = await protocol.create({ token, frequency: Frequency.MONTHLY, dueDay: 3 })
  for (const payer of payers) await protocol.join(plan, payer)
  await contractAt(ground.client, token, BlockingToken.abi).send(admin, 'setRefusal', [alice, 1])
  await ground.advanceDays(1)
  // The page before the one that alice is on.
  await send()
  return { payers, token }
}

/** Sends remit until it reverts. */
async function expectCalls(expected: number, caller: Address = keeper): Promise<void> {
  let calls = 0
  for (; (await protocol.reverts(caller, 'remit', [])) === undefined; calls += 1) await send()
  expect(calls).toBe(expected)
}
