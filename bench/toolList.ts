import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { operations } from '../src/operations/index.ts'
import { json, smallApp } from '../test/support/app/smallApp.ts'
import { median, table } from './print.ts'

// For how long a batch of as many `tools/list` as one may have stands in everybody else's way: the longest time for
// which the process did nothing else. Batches are made anew each time; a single list is made once and kept.

const BATCH = 100
const RUNS = 20
const MOST_MS = 20

const { call } = smallApp({ operations })
const headers = { Accept: 'application/json, text/event-stream' }
const list = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list', params: {} })
const batch = JSON.stringify(Array.from({ length: BATCH }, (_, id) => list(id)))

/** Milliseconds for which nothing else was done, bytes that were answered, and milliseconds in all. */
async function measure(path: string): Promise<{ stallMs: number; bytes: number; totalMs: number }> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await pause(5)
  delay.reset()
  const begun = performance.now()
  const response = await call(path, json(batch, headers))
  const text = await response.text()
  const totalMs = performance.now() - begun
  await pause(5)
  delay.disable()
  const answers = text.match(/"tools":/g)?.length
  if (answers !== BATCH) throw new Error(`${response.status}: ${answers} lists in place of ${BATCH}`)
  return { stallMs: delay.max / 1e6, bytes: Buffer.byteLength(text), totalMs }
}

const rows: string[][] = []
for (const path of ['/mcp', '/mcp?tools=essential']) {
  await measure(path)
  const runs = []
  for (let run = 0; run < RUNS; run += 1) runs.push(await measure(path))
  const stalls = runs.map(({ stallMs }) => stallMs)
  rows.push([
    path,
    ((runs[0]?.bytes ?? 0) / 1e6).toFixed(1),
    median(runs.map(({ totalMs }) => totalMs)).toFixed(0),
    median(stalls).toFixed(1),
    Math.max(...stalls).toFixed(1),
  ])
}
const heads = ['100 lists from', 'MB', 'all of it, ms', 'longest stall, ms (median)', 'of 20 runs']
process.stdout.write(`${table(heads, rows)}\nThe median stall is to be at most ${MOST_MS} ms.\n`)
