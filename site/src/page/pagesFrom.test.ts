import { describe, expect, it } from 'vitest'
import { settled } from '../../../test/support/browser/settled.ts'
import { pagesFrom } from './pagesFrom.ts'

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
