import { signal } from '@preact/signals'
import { settled } from '@remit/testing/support/browser/settled'
import { describe, expect, it } from 'vitest'
import { pagesFrom } from './pagesFrom.ts'
import type { Known } from './Resource.ts'
import { wholeOf } from './wholeOf.ts'

interface Rows {
  readonly account: string
  readonly asOf: { readonly blockNumber: number }
  readonly rows: readonly string[]
  readonly count: number
}

/** The document as it was read, and the requests for all rows, which a test answers. */
function open() {
  const first = signal<Known<Rows>>({ state: 'loading' })
  const asked: { answer(rows: Rows): void; fail(error: Error): void }[] = []
  const resource = {
    get value() {
      return first.value
    },
    refresh: () => Promise.resolve(),
  }
  const whole = wholeOf(resource, {
    isWhole: ({ rows, count }) => rows.length === count,
    readWhole: () =>
      new Promise<Rows>((answer, fail) => {
        asked.push({ answer, fail })
      }),
  })
  const come = (answer: Rows, isStale = false) => {
    first.value = { state: 'there', answer, isStale }
  }
  return { whole, asked, come }
}

const rowsAt = (blockNumber: number, rows: readonly string[], count = 3): Rows => ({
  account: '0xa',
  asOf: { blockNumber },
  rows,
  count,
})

describe('a list of which the page has the first rows', () => {
  it('is loading until all rows are there: the first ones are never shown as all', async () => {
    const { whole, asked, come } = open()
    come(rowsAt(1, ['ended']))
    expect(whole.value).toEqual({ state: 'loading' })
    asked[0]?.answer(rowsAt(1, ['ended', 'runs', 'runs']))
    await settled()
    expect(whole.value).toMatchObject({ state: 'there', answer: { rows: ['ended', 'runs', 'runs'] } })
  })

  it('has failed where the rest could not be read, and can be tried again', async () => {
    const { whole, asked, come } = open()
    come(rowsAt(1, ['ended']))
    const error = new Error('too much was asked for')
    asked[0]?.fail(error)
    await settled()
    expect(whole.value).toEqual({ state: 'failed', error })
    void whole.refresh()
    expect(whole.value).toEqual({ state: 'loading' })
    come(rowsAt(2, ['ended']))
    asked[1]?.answer(rowsAt(2, ['ended', 'runs', 'runs']))
    await settled()
    expect(whole.value).toMatchObject({ state: 'there', isStale: false })
  })

  it('keeps what was known while it is read again, of the same wallet', async () => {
    const { whole, asked, come } = open()
    come(rowsAt(1, ['ended']))
    asked[0]?.answer(rowsAt(1, ['ended', 'runs', 'runs']))
    await settled()
    come(rowsAt(2, ['ended']))
    expect(whole.value).toMatchObject({ state: 'there', isStale: true, answer: { asOf: { blockNumber: 1 } } })
    come({ ...rowsAt(2, ['other']), account: '0xb' })
    expect(whole.value).toEqual({ state: 'loading' })
    // What comes for the wallet before is nobody's.
    asked[1]?.answer(rowsAt(2, ['ended', 'runs', 'runs']))
    await settled()
    expect(whole.value).toEqual({ state: 'loading' })
  })

  it('is what came with the page where that is all', () => {
    const { whole, asked, come } = open()
    come(rowsAt(1, ['runs'], 1))
    expect(whole.value).toMatchObject({ state: 'there', answer: { rows: ['runs'] } })
    expect(asked).toHaveLength(0)
  })
})

interface Page {
  readonly rows: string
  readonly nextCursor: string | null
}

const listOf = () => {
  const asked: { after: string; answer(page: Page): void; fail(error: Error): void }[] = []
  const list = pagesFrom<Page>({ rows: 'first', nextCursor: 'b' }, (after) => {
    return new Promise((answer, fail) => asked.push({ after, answer, fail }))
  })
  return { list, asked, shown: () => list.pages.value.map(({ rows }) => rows) }
}

describe('a list that is shown page by page', () => {
  it('adds the next page to those before, once however often it is asked for, until there is none', async () => {
    const { list, asked, shown } = listOf()
    list.readMore()
    list.readMore()
    expect(asked.map(({ after }) => after)).toEqual(['b'])
    expect(list.isReading.value).toBe(true)
    asked[0]?.answer({ rows: 'second', nextCursor: 'c' })
    await settled()
    expect(list.isReading.value).toBe(false)
    expect(shown()).toEqual(['first', 'second'])
    list.readMore()
    asked[1]?.answer({ rows: 'third', nextCursor: null })
    await settled()
    expect(shown()).toEqual(['first', 'second', 'third'])
    expect(list.hasMore.value).toBe(false)
    list.readMore()
    expect(asked.map(({ after }) => after)).toEqual(['b', 'c'])
  })

  it('keeps what it has where a page cannot be read, and asks for that page again', async () => {
    const { list, asked, shown } = listOf()
    list.readMore()
    const error = new Error('failed')
    asked[0]?.fail(error)
    await settled()
    expect(list.failure.value).toBe(error)
    expect(shown()).toEqual(['first'])
    list.readMore()
    expect(list.failure.value).toBeUndefined()
    asked[1]?.answer({ rows: 'second', nextCursor: null })
    await settled()
    expect(shown()).toEqual(['first', 'second'])
  })
})
