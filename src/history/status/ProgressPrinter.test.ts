import { expect, it } from 'vitest'
import type { BackfillProgress, IndexHealth } from '../../schema/indexHealth.ts'
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
