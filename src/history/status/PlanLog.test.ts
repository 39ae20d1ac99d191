import { expect, it } from 'vitest'
import { PlanLog } from './backfillPlan.ts'

it('logs the plan of a first reading before it begins, and once it is known what the node grants', () => {
  const lines: string[] = []
  const info = (message: string) => void lines.push(message)
  const clock = { now: 0 }
  const plan = new PlanLog({ chainId: 8453, log: { info, warn: info, error: info }, now: () => clock.now })
  let left = 22_000_000
  for (const size of [1_000, 2_000, 4_000, 8_000, 5_000, 5_000, 5_000, 5_000, 5_000, 5_000, 5_000]) {
    plan.answered(left, size)
    left -= size
    clock.now += 400
  }
  expect(lines).toEqual([
    'the past is read: 22,000,000 blocks in 22,000 requests of 1,000 if the node grants no more',
    'the past is read: 21,960,000 blocks in 4,392 requests of 5,000, about 29 min 17 s',
  ])
})

it('says nothing of a few blocks', () => {
  const fail = (message: string) => {
    throw new Error(message)
  }
  const log = { info: fail, warn: fail, error: fail }
  new PlanLog({ chainId: 1, log, now: () => 0 }).answered(9_000, 1_000)
})
