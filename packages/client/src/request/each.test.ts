import { describe, expect, it } from 'vitest'
import type { EachOptions } from '../call/CallOptions.ts'
import type { Input } from '../call/toRequest.ts'
import { IndexUnavailableError } from '../errors/RemitError.ts'
import type { Caller } from './createCaller.ts'
import { eachRow } from './each.ts'

type Page = Readonly<Record<string, unknown>>

/** A list of pages, by the cursor that each is asked for with. */
function paged(pages: Readonly<Record<string, Page>>) {
  const asked: (Input | undefined)[] = []
  const call: Caller = async (_name, input) => {
    asked.push(input)
    const page = pages[String(input?.after ?? 'first')]
    if (page === undefined) throw new Error(`There is no page after ${input?.after}`)
    return page
  }
  const rows = (input?: Input, options?: EachOptions<unknown>) =>
    eachRow(call, { name: 'listThings', field: 'things' }, input, options)
  return { asked, rows }
}

async function all(rows: AsyncIterable<unknown>): Promise<unknown[]> {
  const found = []
  for await (const row of rows) found.push(row)
  return found
}

const three = {
  first: { things: [1, 2], hasMore: true, nextCursor: 'a' },
  a: { things: [3, 4], hasMore: true, nextCursor: 'b' },
  b: { things: [5], hasMore: false, nextCursor: null },
}

describe('the rows of a list', () => {
  it('come from every page, each with the same input', async () => {
    const { rows, asked } = paged(three)
    expect(await all(rows({ token: '0x1', first: 2 }))).toEqual([1, 2, 3, 4, 5])
    expect(asked).toEqual([
      { token: '0x1', first: 2, after: undefined },
      { token: '0x1', first: 2, after: 'a' },
      { token: '0x1', first: 2, after: 'b' },
    ])
  })

  it('end where a list without hasMore has no next cursor', async () => {
    const { rows } = paged({ first: { things: [1], nextCursor: 'a' }, a: { things: [2], nextCursor: null } })
    expect(await all(rows())).toEqual([1, 2])
  })

  it('may be none', async () => {
    expect(await all(paged({ first: { things: [], hasMore: false, nextCursor: null } }).rows())).toEqual([])
  })

  it('are not asked for before they are wanted, nor after a break', async () => {
    const { rows, asked } = paged(three)
    const iterator = rows()
    expect(asked).toEqual([])
    for await (const row of iterator) if (row === 2) break
    expect(asked).toHaveLength(1)
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
  })

  it('come after their page was shown', async () => {
    const seen: unknown[] = []
    await all(paged(three).rows({}, { onPage: (page) => seen.push(page) }))
    expect(seen).toEqual(Object.values(three))
  })
})

describe('a list that cannot be read to its end', () => {
  it('throws what the service says, such as that the cursor is stale', async () => {
    const { rows } = paged({ first: three.first })
    await expect(all(rows())).rejects.toThrow('There is no page after a')
  })

  it('does not end in silence where the index could not be read', async () => {
    const page = { things: [], hasMore: false, nextCursor: null, index: null, error: 'The index is away.' }
    const { rows } = paged({ first: page })
    const ended = all(rows())
    await expect(ended).rejects.toThrow(IndexUnavailableError)
    await expect(ended).rejects.toMatchObject({ message: 'The index is away.', code: 'INDEX_UNAVAILABLE' })
  })

  it.each([
    ['no cursor', { things: [1], hasMore: true, nextCursor: null }],
    ['the cursor that it was asked with', { things: [1], hasMore: true, nextCursor: 'a' }],
  ])('does not go round in circles over %s', async (_what, page) => {
    const { rows } = paged({ first: { ...three.first, nextCursor: 'a' }, a: page })
    await expect(all(rows())).rejects.toThrow('listThings says that there is more, and not where.')
  })
})
