import { fileURLToPath } from 'node:url'
import { readLife } from '@remit/contracts/replay'
import type { Step } from '@remit/contracts/testing/life'
import { firstCharge, splitToRaw } from '@remit/protocol/fees'
import { remit } from '@remit/protocol/remit/remit'
import type { SubscriberCharge } from '@remit/protocol/remit/remitState'
import { remitState } from '@remit/protocol/remit/remitState'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { CONTRACT, logsOf, RecordedLife } from './recordedLife.ts'

const NAMES = ['life-1', 'life-11', 'life-12']

describe.each(NAMES)('against the deployed contract, %s', (name) => {
  const recording = readLife(fileURLToPath(new URL(`../recorded/${name}.json`, import.meta.url)))

  it('takes the first charge as subscribe does and remits as remit does, transfer by transfer', () => {
    const life = new RecordedLife(recording)
    let subscribed = 0
    let remitted = 0
    for (const [index, step] of recording.steps.entries()) {
      const label = `step ${index}`
      if (step.call === 'subscribe' && step.status === 'ok') {
        compareFirstCharge(life, step, label)
        subscribed += 1
      }
      if (step.call === 'remit') {
        compareRemit(life, step, label)
        remitted += 1
      } else {
        life.apply(step)
      }
      compareSnapshot(life, String(index))
    }
    expect(subscribed).toBeGreaterThan(30)
    expect(remitted).toBeGreaterThan(60)
  })
})

function compareFirstCharge(life: RecordedLife, step: Step, label: string): void {
  const logs = life.subLogs(step)
  const [id] = logs.map((log) => log.id)
  if (id === undefined) throw new Error(`${label} has no logs`)
  const { terms } = life.subscription(id)
  const { callerFee, nextUncheckedDay } = life
  const split = firstCharge({ terms, timestamp: step.at, callerFee, nextUncheckedDay })
  const amountOf = (event: number) => logs.find((log) => log.subScriptEvent === event)?.amount ?? 0n
  expect({ ...split }, label).toEqual({ toFeeBalance: amountOf(8), toProvider: amountOf(2) })

  const raw = splitToRaw(split, life.decimals(terms.token))
  const moved = life.transfers(step)
  const movedTo = (address: string) => moved.find(({ to }) => to === address)?.amountRaw ?? 0n
  expect({ ...raw }, label).toEqual({
    toFeeBalance: movedTo(CONTRACT),
    toProvider: movedTo(terms.provider),
    total: moved.reduce((sum, { amountRaw }) => sum + amountRaw, 0n),
  })
}

function compareRemit(life: RecordedLife, step: Step, label: string): void {
  const state = remitState(life.backlog(step))
  const outcome = remit(state)
  if (!outcome.ok) {
    expect({ status: 'revert', reason: outcome.reason === 'notDue' ? '6' : outcome.reason }, label).toEqual({
      status: step.status,
      reason: step.status === 'revert' ? step.reason : undefined,
    })
    return
  }
  expect(step.status, label).toBe('ok')
  expect(outcome.run.charges.map(eventsOfCharge), label).toEqual(recordedCharges(life, step))
  expect(outcome.run.transfers, label).toEqual(life.transfers(step))
  const days = logsOf(step)
    .filter(({ event }) => event === 'CallerLog')
    .map(({ args }) => args)
  expect(outcome.emptyDays + 1, label).toBe(days.length)
  expect(days.at(-1), label).toMatchObject({
    checkedDay: outcome.dayNumber,
    isFinished: outcome.finished,
  })
  life.applyRemit(step, state, outcome.run.charges)
}

const eventsOfCharge = ({ id, subscriber, outcome }: SubscriberCharge) => ({
  id,
  subscriber,
  event: { paid: 5, feeFill: 8, failed: 3 }[outcome],
})

const recordedCharges = (life: RecordedLife, step: Step) =>
  life
    .subLogs(step)
    .filter(({ subScriptEvent }) => [3, 5, 8].includes(subScriptEvent))
    .map(({ id, subscriber, subScriptEvent }) => ({ id, subscriber, event: subScriptEvent }))

const ViewedSubscribers = z.array(z.object({ subscriber: z.string(), feeBalance: z.string() }))

function compareSnapshot(life: RecordedLife, index: string): void {
  const snapshot = life.recording.snapshots[index]
  if (snapshot === undefined) return
  const label = `snapshot ${index}`
  expect(life.nextUncheckedDay, label).toBe(snapshot.nextUncheckedDay)
  for (const [token, balances] of Object.entries(snapshot.balances)) {
    for (const [account, balance] of Object.entries(balances)) {
      const key = `${life.address(token)}:${life.address(account)}`
      expect(life.balances.get(key) ?? 0n, `${label} ${token} of ${account}`).toBe(
        BigInt(z.string().parse(balance)),
      )
    }
  }
  for (const [key, ids] of Object.entries(snapshot.due)) {
    expect(life.dueLists.get(key) ?? [], `${label} due ${key}`).toEqual(ids)
  }
  for (const [id, recorded] of Object.entries(snapshot.subscriptions)) {
    const { terms, subscribers, listed } = life.subscription(id)
    expect(String(listed.length), `${label} list of ${id}`).toBe(recorded.unsubscribedLength)
    // Short of the listed accounts, or a panic.
    if (listed.length > 0) continue
    const expected = ViewedSubscribers.parse(recorded.subscribers).map(({ subscriber, feeBalance }) => [
      life.address(subscriber),
      BigInt(feeBalance),
    ])
    const actual = subscribers.map((address) => [address, life.feeBalance(terms.id, address)])
    expect(actual, `${label} subscribers of ${id}`).toEqual(expected)
  }
}
