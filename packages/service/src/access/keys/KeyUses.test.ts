import { afterEach, expect, it, vi } from 'vitest'
import { KeyUses } from './DeveloperKeys.ts'

type Use = readonly [string, number]

afterEach(() => vi.useRealTimers())

/** Uses that are written to a list, or refused as long as `isAway`. */
function stage() {
  const written: Use[][] = []
  const store = { isAway: false, written }
  const uses = new KeyUses({
    async note(batch) {
      if (store.isAway) throw new Error('away')
      written.push([...batch])
    },
  })
  return { uses, store, written }
}

it('writes each key once a minute, however often it was used, and nothing where none was', async () => {
  vi.useFakeTimers()
  const { uses, written } = stage()
  for (const usedAt of [1, 2, 3]) uses.used('a', usedAt)
  uses.used('b', 4)
  await vi.advanceTimersByTimeAsync(59_999)
  expect(written).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(written).toEqual([
    [
      ['a', 3],
      ['b', 4],
    ],
  ])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(written).toHaveLength(1)
  await uses.close()
})

it('writes the rest when it is closed, and nothing after it', async () => {
  vi.useFakeTimers()
  const { uses, written } = stage()
  uses.used('a', 1)
  await uses.close()
  expect(written).toEqual([[['a', 1]]])
  expect(vi.getTimerCount()).toBe(0)
})

it('keeps uses that it cannot write, the latest of each key', async () => {
  const { uses, store, written } = stage()
  store.isAway = true
  uses.used('a', 1)
  uses.used('b', 1)
  const failing = uses.write()
  uses.used('a', 2)
  await failing
  store.isAway = false
  await uses.close()
  expect(written).toEqual([
    [
      ['a', 2],
      ['b', 1],
    ],
  ])
})

it('never holds the store for more than 500 keys at a time', async () => {
  const { uses, written } = stage()
  for (let key = 0; key < 1_201; key += 1) uses.used(String(key), key)
  await uses.close()
  expect(written.map((batch) => batch.length)).toEqual([500, 500, 201])
})
