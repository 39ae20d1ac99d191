import type { BackfillProgress, IndexHealth } from '@remit/engine/schema/health'
import { expect, it } from 'vitest'
import { PlanLog } from './backfill.ts'
import { ProgressPrinter } from './ProgressPrinter.ts'

const backfill: BackfillProgress = {
  fromBlock: 0,
  toBlock: 34_127_185,
  blockNumber: 33_000_000,
  percent: 96.6,
  blocksPerSecond: 5_120.3,
  blocksPerRequest: 10_000,
  requestsLeft: 113,
  secondsLeft: 221,
}

function printer(isTTY: boolean, progress: () => BackfillProgress | null) {
  const written: string[] = []
  const health = (): IndexHealth => ({
    source: 'rpc',
    ok: true,
    blockNumber: 0,
    lagSeconds: 0,
    synced: false,
    backfill: progress(),
    approvals: null,
    alarm: null,
  })
  const output = { isTTY, write: (text: string) => written.push(text) }
  return { written, printer: new ProgressPrinter({ chainIds: [8453], history: { health }, output }) }
}

it('writes a new line each time if the output is no terminal', () => {
  const { written, printer: plain } = printer(false, () => backfill)
  plain.print()
  expect(written).toEqual([
    'Chain 8453: block 33,000,000 of 34,127,185, 96.6 %, 5,120.3 blocks/s, 113 requests, 3 min 41 s left\n',
  ])
})

it('rewrites one line on a terminal, and ends it when the backfill ends', () => {
  let progress: BackfillProgress | null = backfill
  const { written, printer: terminal } = printer(true, () => progress)
  terminal.print()
  terminal.print()
  progress = null
  terminal.print()
  terminal.print()
  const line = expect.stringMatching(/^\r\S+Chain 8453: .* left$/)
  expect(written).toEqual([line, line, '\n'])
})

it('writes nothing without a backfill', () => {
  const { written, printer: quiet } = printer(false, () => null)
  quiet.print()
  quiet.stop()
  expect(written).toEqual([])
})

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
