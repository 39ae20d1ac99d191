import { BlockingToken } from '@remit/contracts/BlockingToken'
import { FeeOnTransferToken } from '@remit/contracts/FeeOnTransferToken'
import { NoReturnToken } from '@remit/contracts/NoReturnToken'
import { approvedToken } from '@remit/testing/support/chain/approvedToken'
import { contractAt } from '@remit/testing/support/chain/contractAt'
import { Frequency, protocolOn, type Subscription } from '@remit/testing/support/chain/protocolOn'
import { useReadingGround } from '@remit/testing/support/chain/useReadingGround'
import { gasBudget } from '@remit/testing/support/nodes/gasBudget'
import type { Address } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Issue, Warning } from '../../../schema/envelope.ts'
import { PROBED_CALLS } from '../../../simulation/simulationBudget.ts'
import { findRemit } from './remitFindings.ts'
import { remitIssues, remitWarnings, toRemitReadiness } from './remitReadiness.ts'

const ground = await useReadingGround({ terms: { maxRemits: 5n } })
const protocol = protocolOn(ground)
const { proxy, wallets } = ground
const { admin, alice, bob, keeper, provider, otherProvider } = wallets
const blocking = await approvedToken(ground, BlockingToken)
const token = contractAt(ground.client, blocking, BlockingToken.abi)

/** The days of March that are due. */
const DUE_DAYS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]
const BLOCKED = 13
const plans = new Map<number, Subscription>()
for (const dueDay of DUE_DAYS) {
  const by = dueDay === BLOCKED ? otherProvider : provider
  const plan = await protocol.create({ token: blocking, frequency: Frequency.MONTHLY, dueDay, provider: by })
  plans.set(dueDay, plan)
  await protocol.join(plan, dueDay === BLOCKED ? bob : alice)
}
await ground.keep()

const blacklist = (account: Address) => token.send(admin, 'setBlacklisted', [account, true])

async function check(caller: Address = keeper) {
  return ground.view(async (view) => {
    const findings = await findRemit(view, caller)
    const warnings = remitWarnings(view, findings)
    return {
      issues: remitIssues(view, findings),
      warnings,
      codes: warnings.map(({ code }) => code),
      details: toRemitReadiness(view, findings),
    }
  })
}

const lacking = (method: string) => ({
  error: { code: -32601, message: `the method ${method} does not exist` },
})

/** Answers every simulation that tries transfers as `answer` says. */
function whereTransfersAreTried(answer: () => { result: unknown }): void {
  proxy.fail({
    answer: ({ method, params }) =>
      method === 'eth_simulateV1' && JSON.stringify(params).includes('23b872dd') ? answer() : undefined,
  })
}

/** Sends remit until it reverts, and answers how often it went through. */
async function workOff(): Promise<number> {
  let calls = 0
  for (; (await protocol.reverts(keeper, 'remit', [])) === undefined; calls += 1) {
    await protocol.send(keeper, 'remit', [])
  }
  return calls
}

describe('on a node that grants little gas to a simulation', () => {
  it('a backlog is seen as far as on any other', async () => {
    await ground.advanceDays(14)
    const plain = await check()
    proxy.fail(gasBudget(25_000_000n))
    expect(await check()).toEqual(plain)
  })

  it('what could not be tried is said, and why', async () => {
    await ground.advanceDays(14)
    proxy.fail(gasBudget(3_000_000n))
    const { details, warnings } = await check()
    expect(details.expectedTransactions).toBe(DUE_DAYS.length)
    expect(details.seen.calls).toBeGreaterThan(2)
    expect(details.seen.calls).toBeLessThan(DUE_DAYS.length)
    const cut = warnings.find(({ code }) => code === 'FORECAST_CUT')
    expect(cut).toMatchObject({ reason: 'budget', why: 'gasBudget' })
    expect(cut?.message).toContain('the node simulates no more gas at once')
  })
})

describe('a backlog that goes on behind the calls that are simulated', () => {
  it('is seen to its end where every transfer goes through', async () => {
    await ground.advanceDays(14)
    const { details, codes, issues } = await check()
    expect(issues).toEqual([])
    expect(codes).toEqual(['REMIT_NEEDS_MORE_TRANSACTIONS'])
    expect(details.expectedTransactions).toBe(DUE_DAYS.length)
    expect(details.seen).toEqual({
      calls: DUE_DAYS.length,
      through: { dayNumber: 20528, date: '2026-03-16' },
    })
    expect(new Set(details.days.map(({ state }) => state))).toEqual(new Set(['tried']))
    expect(await workOff()).toBe(DUE_DAYS.length)
  })

  it.each(['payer', 'provider'])(
    'ends before the day whose %s its token has blacklisted, by name',
    async (who) => {
      await ground.advanceDays(14)
      await blacklist(who === 'payer' ? bob : otherProvider)
      const { details, issues, warnings } = await check()
      expect(issues).toEqual([])
      expect(details.expectedTransactions).toBe(10)
      expect(details.seen).toEqual({ calls: 10, through: { dayNumber: 20524, date: '2026-03-12' } })
      expect(details.days.at(-1)).toMatchObject({
        date: '2026-03-13',
        state: 'blocked',
        willPay: 0,
        transactions: 0,
      })
      const [many, blocked, ...others] = warnings
      expect(others).toEqual([])
      expect(many?.message).toMatch(/^10 calls of remit\(\) go through before it stops: /)
      expect(blocked).toMatchObject({
        code: 'REMIT_BLOCKED_BY_TRANSFER',
        afterCalls: 10,
        day: { date: '2026-03-13' },
        subscriptionId: plans.get(BLOCKED)?.id,
        subscriber: bob,
        token: blocking,
        reason: { message: expect.stringContaining('account is blacklisted') },
      })
      expect(await workOff()).toBe(10)
      // Now it is the next day, and an issue.
      const { issues: now } = await check()
      expect(now[0]).toMatchObject({
        code: 'REMIT_BLOCKED_BY_TRANSFER',
        subscriber: bob,
        day: { date: '2026-03-13' },
      })
    },
  )

  it('ends before the first day where the caller’s own fee is refused', async () => {
    await ground.advanceDays(14)
    await blacklist(keeper)
    const { details, issues } = await check()
    expect(details).toMatchObject({ expectedTransactions: 0, seen: { calls: 0 } })
    expect(issues).toMatchObject([
      {
        code: 'REMIT_BLOCKED_BY_TRANSFER',
        transferTo: keeper,
        waysOut: [{ action: 'otherCaller' }, { action: 'pauseToken' }],
      },
    ])
    expect((await check(alice)).details.expectedTransactions).toBe(DUE_DAYS.length)
  })

  it('is tried transfer by transfer where the node cannot simulate', async () => {
    await ground.advanceDays(14)
    await blacklist(bob)
    proxy.fail({
      answer: ({ method, params }) =>
        method === 'eth_simulateV1' || JSON.stringify(params[2] ?? {}).includes(keeper)
          ? lacking(method)
          : undefined,
    })
    const { details, warnings } = await check()
    expect(details).toMatchObject({ expectedTransactions: 10, seen: { calls: 10 } })
    expect(warnings).toContainEqual(
      expect.objectContaining({
        code: 'REMIT_BLOCKED_BY_TRANSFER',
        subscriber: bob,
        afterCalls: 10,
        waysOut: null,
      }),
    )
    expect(warnings.at(-1)?.message).toContain('no way out was tried')
  })

  it('says where it had to stop: what follows is reckoned, and a blocked payer there is not seen', async () => {
    await ground.advanceDays(14)
    await blacklist(bob)
    const outOfGas = { status: '0x0', gasUsed: '0x3d090', returnData: '0x', logs: [] }
    const went = { status: '0x1', gasUsed: '0xc350', returnData: '0x', logs: [] }
    whereTransfersAreTried(() => ({
      result: [
        { calls: [...Array.from({ length: PROBED_CALLS + 2 }, () => went), ...Array(6).fill(outOfGas)] },
      ],
    }))
    const { details, warnings, codes } = await check()
    expect(codes).toEqual(['REMIT_NEEDS_MORE_TRANSACTIONS', 'FORECAST_CUT'])
    expect(details.expectedTransactions).toBe(12)
    expect(details.seen).toMatchObject({ calls: 9, through: { date: '2026-03-11' } })
    expect(details.days.map(({ state }) => state).slice(8)).toEqual([
      'tried',
      'reckoned',
      'reckoned',
      'reckoned',
    ])
    expect(warnings[0]?.message).toContain(
      'By the protocol’s rules the backlog takes 12 calls of remit(), of which the first 9 were tried',
    )
    expect(warnings[1]).toMatchObject({ reason: 'budget', seen: details.seen })
  })
})

describe('awkward tokens behind the simulated calls', () => {
  it.each([
    ['answers nothing', NoReturnToken],
    ['keeps a part of every transfer', FeeOnTransferToken],
  ])('stop nothing where a token %s', async (_, artifact) => {
    const awkward = await approvedToken(ground, artifact)
    const plan = await protocol.create({ token: awkward, frequency: Frequency.MONTHLY, dueDay: 14 })
    await protocol.join(plan, alice)
    await ground.advanceDays(14)
    const { details } = await check()
    expect(details.seen.calls).toBe(details.expectedTransactions)
    expect(await workOff()).toBe(details.expectedTransactions)
  })

  it('stop it where one answers false', async () => {
    await token.send(admin, 'setRefusal', [bob, 2])
    await ground.advanceDays(14)
    const { details, warnings } = await check()
    expect(details.expectedTransactions).toBe(10)
    expect(warnings[1]).toMatchObject({ reason: { name: 'TRANSFER_ANSWERED_FALSE' } })
    expect(await workOff()).toBe(10)
  })
})

describe('the ways out of a refused transfer', () => {
  const actions = (facts: Issue | Warning | undefined) => facts?.waysOut

  it('leave out what the token refuses: a blacklisted payer cannot be refunded', async () => {
    await ground.advanceDays(14)
    await blacklist(bob)
    await workOff()
    const [issue] = (await check()).issues
    expect(actions(issue)).toEqual([
      { action: 'unsubscribe', by: bob },
      { action: 'cancelSubscription', by: otherProvider },
      { action: 'pauseToken', by: admin },
    ])
    expect(issue?.message).not.toContain('unsubscribeByProvider')
    const plan = plans.get(BLOCKED)
    if (plan === undefined) throw new Error('there is a plan for the day')
    expect(await protocol.reverts(otherProvider, 'unsubscribeByProvider', [plan, bob])).toBe(
      'account is blacklisted',
    )
    await protocol.send(bob, 'unsubscribe', [plan])
    expect((await check()).issues).toEqual([])
  })

  it('are others for a blacklisted provider, which cannot be paid what is left', async () => {
    await ground.advanceDays(14)
    await blacklist(otherProvider)
    const [, warning] = (await check()).warnings
    expect(actions(warning)).toEqual([
      { action: 'unsubscribeByProvider', by: otherProvider },
      { action: 'cancelSubscription', by: otherProvider },
      { action: 'pauseToken', by: admin },
    ])
  })

  it('say so where none works', async () => {
    await ground.advanceDays(14)
    await blacklist(bob)
    await workOff()
    const reverted = { status: '0x0', gasUsed: '0x5208', returnData: '0x', logs: [] }
    proxy.fail({
      // A way out here is one step and a remit.
      answer: ({ method, params }) =>
        method === 'eth_simulateV1' && JSON.stringify(params).match(/"to":/g)?.length === 2
          ? { result: [{ calls: [reverted, reverted] }] }
          : undefined,
    })
    const [issue] = (await check()).issues
    expect(actions(issue)).toEqual([])
    expect(issue?.message).toContain('No way out that was simulated helps')
  })
})
