import { readLife } from '@remit/contracts/replay'
import type { Step } from '@remit/contracts/testing/life'
import { matchPayments } from '@remit/protocol/payments/matchPayments'
import { forecastFromProbe } from '@remit/protocol/remit/forecastFromProbe'
import { type RemitStep, stepsFrom } from '@remit/protocol/remit/forecastRemit'
import { observeCharges, observeRemit, type RemitProbe } from '@remit/protocol/remit/observeRemit'
import { remit } from '@remit/protocol/remit/remit'
import type { TokenTransfer } from '@remit/protocol/remit/remitState'
import { type RemitBacklog, remitState } from '@remit/protocol/remit/remitState'
import { type Address, isAddressEqual } from 'viem'
import { describe, expect, it } from 'vitest'
import { CONTRACT, logsOf, RecordedLife } from './recordedLife.ts'
import { encodeRecorded } from './recordedLogs.ts'

const LIVES = [1, 11, 12]

/** What no view of the contract tells is left out. */
function asViewed({ checkpoint: _, ...backlog }: RemitBacklog): RemitBacklog {
  const { systemFeeReceiver: __, ...accounts } = backlog.accounts
  return { ...backlog, accounts, systemFee: undefined }
}

/** Every remit of a life, with the state before it. */
function eachRemit(
  number: number,
  look: (life: RecordedLife, step: Step, backlog: RemitBacklog, place: string) => void,
): void {
  const life = new RecordedLife(
    readLife(new URL(`../recorded/life-${number}.json`, import.meta.url).pathname),
  )
  for (const [index, step] of life.recording.steps.entries()) {
    if (step.call !== 'remit') {
      life.apply(step)
    } else if (step.status === 'ok') {
      look(life, step, life.backlog(step), `step ${index}`)
      const state = remitState(life.backlog(step))
      const outcome = remit(state)
      if (!outcome.ok) throw new Error(`step ${index} was mined, and the rules let it revert`)
      life.applyRemit(step, state, outcome.run.charges)
    }
  }
}

const receiptLogs = (life: RecordedLife, step: Step) =>
  encodeRecorded(logsOf(step), (name) => life.address(name))

function observed(life: RecordedLife, step: Step) {
  const call = observeRemit(receiptLogs(life, step), CONTRACT)
  if (call === undefined) throw new Error('a remit without logs')
  return call
}

/** What an account has more of after these transfers. */
function gainsOf(transfers: readonly TokenTransfer[], account: Address) {
  const gained = new Map<Address, bigint>()
  for (const { token, from, to, amountRaw } of transfers) {
    const more = isAddressEqual(to, account) ? amountRaw : 0n
    const less = isAddressEqual(from, account) ? amountRaw : 0n
    gained.set(token, (gained.get(token) ?? 0n) + more - less)
  }
  return [...gained]
    .filter(([, amountRaw]) => amountRaw !== 0n)
    .map(([token, amountRaw]) => ({ token, amountRaw }))
}

/** A step by the rules, with what its transfers took out of each payer's wallet, as a simulation tells it. */
function withTaken(step: RemitStep): RemitStep {
  const taken = ({ id, subscriber }: RemitStep['charges'][number]) =>
    step.transfers
      .filter(({ charge }) => charge?.id === id && isAddressEqual(charge.subscriber, subscriber))
      .filter(({ transfer }) => isAddressEqual(transfer.from, subscriber))
      .reduce((sum, { transfer }) => sum + transfer.amountRaw, 0n)
  return { ...step, charges: step.charges.map((charge) => ({ ...charge, taken: taken(charge) })) }
}

/** Steps as they are compared: fees by their token, without those of nothing. */
const toldBy = (steps: readonly RemitStep[]) =>
  steps.map((step) => ({
    ...step,
    callerFees: step.callerFees.flatMap(({ token, amountRaw }) =>
      amountRaw > 0n ? [{ token, amountRaw }] : [],
    ),
  }))

describe.each(LIVES)(
  'a forecast from the simulation of what the deployed contract did, life %i',
  (number) => {
    const forecastOf = (life: RecordedLife, backlog: RemitBacklog, probe: RemitProbe) =>
      forecastFromProbe(asViewed(backlog), {
        probe,
        systemFee: BigInt(life.recording.constructor.systemFee),
        isHidden: false,
      })

    it('tells this call and all after it as who knows the hidden state does', () => {
      let [calls, followed] = [0, 0]
      eachRemit(number, (life, step, backlog, place) => {
        const call = observed(life, step)
        const probe = { method: 'eth_simulateV1', calls: [call], revert: undefined } as const
        const { steps, gaps, seenCalls } = forecastOf(life, backlog, probe)
        // Only what was simulated tells what left the wallets; what follows it is calculated.
        const known = stepsFrom(remitState(backlog)).steps.map((step, at) =>
          at < seenCalls ? withTaken(step) : step,
        )
        expect(seenCalls, place).toBe(1)
        calls += 1
        // Where nothing was paid in the simulation, only what was simulated is certain.
        const isCertain = !gaps.includes('systemFee')
        if (isCertain) expect(gaps, place).toEqual([])
        const certain = isCertain ? known.length : 1
        expect(toldBy(steps.slice(0, certain)), place).toEqual(toldBy(known.slice(0, certain)))
        if (certain > 1) followed += 1
      })
      expect(calls).toBeGreaterThan(40)
      expect(followed).toBeGreaterThan(5)
    })

    it('tells what the caller gains also from a simulation without logs', () => {
      let explained = 0
      eachRemit(number, (life, step, backlog, place) => {
        const { caller } = backlog.accounts
        const { dayNumber, finished } = observed(life, step)
        const gained = gainsOf(life.transfers(step), caller)
        const nextUncheckedDay = finished ? dayNumber + 1 : dayNumber
        const probe = {
          method: 'eth_call',
          calls: [{ nextUncheckedDay, gained }],
          revert: undefined,
        } as const
        const { steps, gaps } = forecastOf(life, backlog, probe)
        const [first] = steps
        expect(first?.nextUncheckedDay, place).toBe(nextUncheckedDay)
        expect(gaps, place).toContain('counted')
        // Where this call paid no fee, what later calls pay is not certain: it says nothing of this one.
        if (gaps.some((gap) => gap !== 'counted' && gap !== 'systemFee')) return
        explained += 1
        expect(gainsOf(first?.transfers.map(({ transfer }) => transfer) ?? [], caller), place).toEqual(gained)
      })
      expect(explained).toBeGreaterThan(30)
    })
  },
)

/** `undefined` where a part is not known. */
function sumOf(...parts: readonly (bigint | undefined)[]): bigint | undefined {
  return parts.reduce((sum, part) => (sum === undefined || part === undefined ? undefined : sum + part), 0n)
}

describe.each(LIVES)('the charges in the logs of a remit of the deployed contract, life %i', (number) => {
  it('are its payments, as they are matched with their transfers', () => {
    const outcomes = { period: 'paid', feeFill: 'feeFill', dropped: 'failed' } as const
    eachRemit(number, (life, step, _, place) => {
      const logs = receiptLogs(life, step)
      const payments = matchPayments(logs, CONTRACT, (token) => life.decimals(token))
      expect(observeCharges(logs, CONTRACT), place).toEqual(
        payments.map(({ kind, subscriptionId, subscriber, token, toProvider, toFeeBalance }) => ({
          id: subscriptionId,
          subscriber,
          token,
          outcome: kind in outcomes ? outcomes[kind as keyof typeof outcomes] : kind,
          toProvider,
          toFeeBalance,
          // What a failed charge moves leaves the contract, and no wallet.
          taken: kind === 'dropped' ? 0n : sumOf(toProvider, toFeeBalance),
        })),
      )
    })
  })
})
