import { defineOperation } from '@remit/engine/declare/operation'
import { UpstreamError } from '@remit/engine/errors/chain'
import { smallApp } from '@remit/testing/support/app/smallApp'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { RateLimitedError } from '../../errors/access.ts'
import { type ChargingPort, type IdentityPort, unmetered } from '../../ports/access.ts'

const TOTAL = 25
let reads: { after: number; untilBlock: number | undefined }[] = []

/** Rows 0 to 24 by pages. A row that `failsAt` names cannot be read. */
const listRows = defineOperation({
  name: 'list_rows',
  effect: 'read',
  kind: 'chain',
  access: 'expensive',
  summary: 'Rows',
  rest: { method: 'GET', path: '/rows' },
  table: { list: 'rows', pageRows: 10 },
  input: z.object({
    first: z.int().max(10).optional(),
    skip: z.int().optional(),
    after: z.string().optional(),
    untilBlock: z.int().optional(),
    failsAt: z.int().optional(),
  }),
  output: z.object({
    rows: z.array(z.object({ number: z.int(), cursor: z.string() })),
    nextCursor: z.string().nullable(),
    index: z.object({ blockNumber: z.int() }),
  }),
  async handle({ input: { first = 3, after = '0', untilBlock, failsAt }, chain }) {
    const start = Number(after)
    reads.push({ after: start, untilBlock })
    const end = Math.min(start + first, TOTAL)
    if (failsAt !== undefined && failsAt < end) throw new UpstreamError(chain.chainId, {})
    const numbers = Array.from({ length: end - start }, (_, n) => start + n)
    return {
      rows: numbers.map((number) => ({ number, cursor: String(number + 1) })),
      nextCursor: end < TOTAL ? String(end) : null,
      index: { blockNumber: untilBlock ?? 77 },
    }
  },
})

const developers: IdentityPort = { identify: async () => ({ lane: 'developer', id: 'key' }) }
const strangers: IdentityPort = { identify: async () => ({ lane: 'free', id: '192.0.2.1' }) }
const open = (identities = developers, charging: ChargingPort = unmetered) => {
  reads = []
  return smallApp({ operations: [listRows], identities, charging })
}
const all = Array.from({ length: TOTAL }, (_, n) => n)
const Row = z.object({ number: z.number(), cursor: z.string() })
const numbersIn = (ndjson: string) =>
  ndjson.split('\n').flatMap((line) => (line === '' ? [] : [Row.parse(JSON.parse(line)).number]))

describe('a whole list', () => {
  it('comes as NDJSON or CSV, all pages at the first page’s block', async () => {
    const { call } = open()
    const ndjson = await call('/rows?format=ndjson')
    expect(ndjson.headers.get('content-type')).toBe('application/x-ndjson')
    expect(ndjson.headers.get('x-block-number')).toBe('77')
    expect(numbersIn(await ndjson.text())).toEqual(all)
    expect(reads).toEqual([
      { after: 0, untilBlock: undefined },
      { after: 10, untilBlock: 77 },
      { after: 20, untilBlock: 77 },
    ])
    const csv = await call('/rows', { headers: { Accept: 'text/csv' } })
    expect(parse(await csv.text()).map(([number]) => number)).toEqual(['number', ...all.map(String)])
  })

  it('goes on after the last row that came', async () => {
    const { call } = open()
    expect(numbersIn(await (await call('/rows?format=ndjson&after=23')).text())).toEqual([23, 24])
  })

  it('is read no faster than the caller takes it', async () => {
    const { call } = open()
    const { body } = await call('/rows?format=ndjson')
    const reader = body?.getReader()
    await reader?.read()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(reads).toHaveLength(1)
    await reader?.cancel()
  })

  it('breaks off where a page fails, and says so in the log', async () => {
    const { call, logged } = open()
    const response = await call('/rows?format=ndjson&failsAt=22')
    await expect(response.text()).rejects.toThrow()
    expect(logged).toMatchObject([{ facts: { code: 'UPSTREAM_ERROR' } }])
    expect((await call('/rows?format=ndjson&failsAt=2')).status).toBe(502)
  })

  it('takes units for each page, and waits where the minute’s are spent', async () => {
    let taken = 0
    const charging: ChargingPort = {
      ...unmetered,
      async take(identity, cost, buckets) {
        taken += 1
        // The second page is refused once, for no time at all.
        if (taken === 2) {
          const facts = { lane: identity.lane, bucket: 'expensiveRpm', limit: 1, upgradeHint: null } as const
          throw new RateLimitedError({ ...facts, retryAfterSeconds: 0, quotas: [] })
        }
        return unmetered.take(identity, cost, buckets)
      },
    }
    const { call } = open(developers, charging)
    expect(numbersIn(await (await call('/rows?format=ndjson')).text())).toEqual(all)
    expect(taken).toBe(4)
  })

  it('is for callers with a key, and has no page size', async () => {
    const free = await open(strangers).call('/rows?format=csv')
    expect(free.status).toBe(400)
    expect(await free.json()).toMatchObject({ issues: [{ path: 'format' }] })
    expect((await open(strangers).call('/rows')).status).toBe(200)
    const sized = await open().call('/rows?format=csv&first=5')
    expect(await sized.json()).toMatchObject({ issues: [{ path: 'first' }] })
  })
})
