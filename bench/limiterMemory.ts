import type { Demand } from '../src/access/limits/counters.ts'
import { MemoryCounters } from '../src/access/limits/MemoryCounters.ts'

// The memory that a caller takes in a process that counts limits by itself.

const CALLERS = 200_000

const DEMANDS: readonly Demand[] = [
  { bucket: 'globalRpm', limit: 20, windowMs: 60_000 },
  { bucket: 'dailyTotalRequests', limit: 500, windowMs: 'day' },
  { bucket: 'writeRpm', limit: 2, windowMs: 60_000 },
  { bucket: 'writeDaily', limit: 20, windowMs: 'day' },
]

function heapBytes(): number {
  if (globalThis.gc === undefined) throw new Error('Run it with node --expose-gc.')
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Bytes per caller, for many callers that used the first buckets this many times. */
async function bytesPerCaller(buckets: number, times: number): Promise<number> {
  const counters = new MemoryCounters({ maxIdentities: CALLERS })
  const demands = DEMANDS.slice(0, buckets)
  const before = heapBytes()
  for (let caller = 0; caller < CALLERS; caller += 1) {
    const identity = `free:198.51.${caller >> 8}.${caller & 255}`
    for (let time = 0; time < times; time += 1) await counters.take(identity, demands, 'always')
  }
  const bytes = (heapBytes() - before) / CALLERS
  if (counters.size !== CALLERS) throw new Error('Callers were forgotten.')
  return bytes
}

process.stdout.write(`Bytes of memory for each of ${CALLERS} callers\n`)
for (const [what, buckets, times] of [
  ['a read', 2, 1],
  ['a prepare', 4, 1],
  ['two prepares', 4, 2],
  ['20 reads in a minute', 2, 20],
] as const) {
  process.stdout.write(`  after ${what}: ${Math.round(await bytesPerCaller(buckets, times))}\n`)
}
