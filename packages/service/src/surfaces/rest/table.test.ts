import { defineOperation } from '@remit/engine/declare/operation'
import { IndexUnavailableError } from '@remit/engine/errors/history'
import { Uint256 } from '@remit/engine/schema/numbers'
import { smallApp } from '@remit/testing/support/app/smallApp'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const Money = z.object({ amountRaw: Uint256 })

/** Rows with every kind of cell. The text is the caller's own. */
const listRows = defineOperation({
  name: 'list_rows',
  effect: 'read',
  kind: 'chain',
  access: 'read',
  summary: 'Rows',
  rest: { method: 'GET', path: '/rows' },
  table: 'rows',
  input: z.object({ text: z.string().optional(), after: z.string().optional() }),
  output: z.object({
    rows: z.array(
      z.object({
        text: z.string(),
        money: Money.nullable(),
        days: z.array(z.int()),
        outcome: z.union([z.object({ pays: z.boolean() }), z.object({ missing: Money.optional() })]),
      }),
    ),
    nextCursor: z.string().nullable(),
  }),
  handle: async ({ input: { text, after } }) => ({
    rows:
      text === undefined
        ? []
        : [
            { text, money: { amountRaw: 2n ** 200n }, days: [1, 2], outcome: { pays: true } },
            { text: 'b', money: null, days: [], outcome: { missing: { amountRaw: 5n } } },
          ],
    nextCursor: after === undefined ? 'next' : null,
  }),
})

/** Rows within rows. */
const listNested = defineOperation({
  name: 'list_nested',
  effect: 'read',
  kind: 'chain',
  access: 'read',
  summary: 'Rows of rows',
  rest: { method: 'GET', path: '/nested' },
  table: { list: 'tokens', rows: 'days', outerFields: ['token'] },
  input: z.object({}),
  output: z.object({
    tokens: z.array(
      z.object({
        token: z.object({ symbol: z.string() }),
        total: z.int(),
        days: z.array(z.object({ day: z.int() })),
      }),
    ),
  }),
  handle: async () => ({
    tokens: [
      { token: { symbol: 'A' }, total: 3, days: [{ day: 1 }, { day: 2 }] },
      { token: { symbol: 'B' }, total: 0, days: [] },
      { token: { symbol: 'C' }, total: 3, days: [{ day: 3 }] },
    ],
  }),
})

/** An answer that says what failed. */
const listIndexed = defineOperation({
  name: 'list_indexed',
  effect: 'read',
  kind: 'chain',
  access: 'read',
  summary: 'Rows of the index',
  rest: { method: 'GET', path: '/indexed' },
  table: 'rows',
  input: z.object({}),
  output: z.object({ rows: z.array(z.object({ id: z.string() })) }),
  query: async () => [],
  withoutIndex: { rows: [], reported: true },
  handle: async ({ rows }) => ({ rows }),
})

const { call } = smallApp({ operations: [listRows, listNested, listIndexed] })
const COLUMNS = 'text,money.amountRaw,days,outcome.pays,outcome.missing.amountRaw\r\n'

describe('a table', () => {
  it('is every row with the columns of its schema, by format or by Accept', async () => {
    const byFormat = await call('/rows?text=a&format=csv', { headers: { Accept: 'application/json' } })
    const byAccept = await call('/rows?text=a', { headers: { Accept: 'text/csv' } })
    const text = await byFormat.text()
    expect(text).toBe(`${COLUMNS}a,${2n ** 200n},"[1,2]",true,\r\nb,,[],,5\r\n`)
    expect(await byAccept.text()).toBe(text)
    expect(byFormat.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    expect(byFormat.headers.get('content-disposition')).toBe('attachment; filename="rows.csv"')
  })

  it('has its columns without rows too', async () => {
    expect(await (await call('/rows?format=csv')).text()).toBe(COLUMNS)
  })

  it('of rows within rows has the fields that it names beside each', async () => {
    const csv = await (await call('/nested?format=csv')).text()
    expect(csv).toBe('token.symbol,day\r\nA,1\r\nA,2\r\nC,3\r\n')
  })

  it('names the next page and the block in headers', async () => {
    const page = await call('/rows?text=a&format=csv')
    expect(page.headers.get('link')).toBe('</rows?text=a&format=csv&after=next>; rel="next"')
    expect(Number(page.headers.get('x-block-number'))).toBeGreaterThan(0)
    const last = await call('/rows?text=a&format=csv&after=next')
    expect(last.headers.get('link')).toBeNull()
  })

  it.each(['=1+1', '+1', '-1', '@sum', '\tx', '\rx', '＝1', '＋1', '－1', '＠sum', ' =1', '"=1'])(
    'disarms the formula %j',
    async (text) => {
      const csv = await (await call(`/rows?format=csv&text=${encodeURIComponent(text)}`)).text()
      const [, row] = parse(csv)
      expect(row?.[0]).toBe(`'${text}`)
    },
  )

  it.each([
    ['a;=1+1', "a;'=1+1"],
    ['a; "+1"', 'a;\' "+1"'],
    ['a;b;＝1', "a;b;'＝1"],
    ['a\n-1', "a\n'-1"],
    ['a\t@x', "a\t'@x"],
  ])('disarms the formula in %j where columns and rows are split there', async (text, disarmed) => {
    const csv = await (await call(`/rows?format=csv&text=${encodeURIComponent(text)}`)).text()
    expect(parse(csv)[1]?.[0]).toBe(disarmed)
    // Whatever a reader splits at, and whatever it takes away in front, no column begins a formula.
    for (const column of csv.split(/[,;\t\r\n]/)) expect(column).not.toMatch(/^["\s]*[=+\-@＝＋－＠]/)
  })

  it.each(['a,b', 'a"b', 'a\r\nb', "it's", ' a ', 'a;b', '1-2', 'x = y'])(
    'gives %j back as it was',
    async (text) => {
      const csv = await (await call(`/rows?format=csv&text=${encodeURIComponent(text)}`)).text()
      expect(parse(csv)[1]?.[0]).toBe(text)
    },
  )

  it('has an ETag of its own', async () => {
    const first = await call('/rows?text=a&format=csv')
    const etag = first.headers.get('etag') ?? ''
    const again = (path: string) => call(path, { headers: { 'If-None-Match': etag } })
    expect((await again('/rows?text=a&format=csv')).status).toBe(304)
    expect((await again('/rows?text=a')).status).toBe(200)
  })

  it('is refused where it would not be whole', async () => {
    const json = await call('/indexed')
    expect(json.status).toBe(200)
    const csv = await call('/indexed?format=csv')
    expect(csv.status).toBe(502)
    expect(await csv.json()).toMatchObject({ code: new IndexUnavailableError('').code })
  })

  it('is refused by the field where the format is not known, or the answer has no rows', async () => {
    const unknown = await call('/rows?format=xml')
    expect(unknown.status).toBe(400)
    expect(await unknown.json()).toMatchObject({
      issues: [{ path: 'format', message: 'must be json or csv' }],
    })
    const none = await smallApp().call('/catalog?format=csv')
    expect(none.status).toBe(400)
    expect(await none.json()).toMatchObject({ issues: [{ path: 'format' }] })
  })
})
