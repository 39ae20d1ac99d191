import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashOf, mintKey, prefixOf } from '@remit/service/testing/access/keys/apiKey'
import { KeyStore } from '@remit/service/testing/access/keys/KeyStore'
import { LiveKeys } from '@remit/service/testing/access/keys/LiveKeys'
import type { Demand } from '@remit/service/testing/access/limits/counters'
import { MemoryCounters } from '@remit/service/testing/access/limits/MemoryCounters'
import { openStore } from '@remit/service/testing/store/openStore'
import { median } from './print.ts'

/** What it costs to know a caller: the first time, again at once, and the memory of all. */
export interface CallerCosts {
  readonly cold: number
  readonly warm: number
  readonly megabytes: number
}

const SAMPLES = 2_000
const WARM_UP = 200
const READ: readonly Demand[] = [
  { bucket: 'globalRpm', limit: 20, windowMs: 60_000 },
  { bucket: 'dailyTotalRequests', limit: 500, windowMs: 'day' },
]

/** Each key is looked up in SQLite once, and then once more from memory. */
export async function keyCosts(size: number): Promise<CallerCosts> {
  const folder = mkdtempSync(join(tmpdir(), 'remit-bench-'))
  const store = await openStore(`file:${join(folder, 'store.db')}`)
  try {
    const tokens = Array.from({ length: size }, mintKey)
    await store.transaction(async (db) => {
      for (let from = 0; from < size; from += 100) {
        const rows = tokens.slice(from, from + 100).map((token) => ({
          id: randomUUID(),
          subject_id: `subject-${from}`,
          label: null,
          hash: hashOf(token),
          prefix: prefixOf(token),
          created_at: Date.now(),
          last_used_at: null,
          expires_at: null,
          revoked_at: null,
          replaced_by: null,
          account: null,
        }))
        await db.insertInto('api_keys').values(rows).execute()
      }
    })
    const keys = new KeyStore({ store, maxKeysPerSubject: 100 })
    // The clock stands, so that no look-up grows old.
    const live = new LiveKeys({ find: (hash) => keys.findByHash(hash), graceMs: 0, steadyNow: () => 0 })
    return await costsOf(tokens, async (token) => {
      if (!(await live.check(token)).live) throw new Error('a key is not live')
    })
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
}

/** Each caller takes the units of a read, in the memory of one process, and then once more. */
export async function memoryCosts(size: number): Promise<CallerCosts> {
  const counters = new MemoryCounters({ maxIdentities: size })
  const callers = Array.from({ length: size }, (_, caller) => `free:198.51.${caller >> 8}.${caller & 255}`)
  const costs = await costsOf(callers, async (caller) => {
    if (!(await counters.take(caller, READ, 'all-or-nothing')).admitted) throw new Error('a read is refused')
  })
  if (counters.size !== size) throw new Error('callers were forgotten')
  return costs
}

async function costsOf(callers: readonly string[], ask: (caller: string) => Promise<void>) {
  // What is compiled on the way is not counted.
  for (const caller of callers.slice(0, WARM_UP)) await ask(caller)
  const others = callers.slice(WARM_UP)
  await new Promise((resolve) => setTimeout(resolve, 100))
  const before = heldBytes()
  const cold = await timesOf(others, ask)
  const bytes = heldBytes() - before
  // The last ones: they are certainly still there.
  const warm = await timesOf(others.slice(-SAMPLES), ask)
  return { cold: median(cold.slice(-SAMPLES)), warm: median(warm), megabytes: bytes / 2 ** 20 }
}

async function timesOf(callers: readonly string[], ask: (caller: string) => Promise<void>) {
  const times: number[] = []
  for (const caller of callers) {
    const begun = performance.now()
    await ask(caller)
    times.push(performance.now() - begun)
  }
  return times
}

function heldBytes(): number {
  // Twice: what the first one finalizes is freed by the second.
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
