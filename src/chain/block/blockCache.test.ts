import { expect, it } from 'vitest'
import { BlockCache } from './blockCache.ts'

const loader = (rows = 1) => {
  const state = { loads: 0 }
  const load = async () => {
    state.loads += 1
    return { value: { load: state.loads }, rows }
  }
  return { state, load }
}

it('loads once for all who ask at the same time or later', async () => {
  const cache = new BlockCache({ max: 10, maxRows: 100 })
  const { state, load } = loader()
  const both = await Promise.all([cache.get('0x1', 'q', load), cache.get('0x1', 'q', load)])
  expect(both[0]).toBe(both[1])
  expect(await cache.get('0x1', 'q', load)).toBe(both[0])
  expect(state.loads).toBe(1)
})

it('loads anew for another block and for another question', async () => {
  const cache = new BlockCache({ max: 10, maxRows: 100 })
  const { state, load } = loader()
  await cache.get('0x1', 'q', load)
  await cache.get('0x2', 'q', load)
  await cache.get('0x1', 'r', load)
  expect(state.loads).toBe(3)
})

it('forgets failures, and every waiting caller gets the error', async () => {
  const cache = new BlockCache({ max: 10, maxRows: 100 })
  const failing = () => Promise.reject(new Error('no'))
  const both = await Promise.allSettled([cache.get('0x1', 'q', failing), cache.get('0x1', 'q', failing)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const { load } = loader()
  await expect(cache.get('0x1', 'q', load)).resolves.toEqual({ load: 1 })
})

it('keeps no more answers and rows than it may', async () => {
  const cache = new BlockCache({ max: 2, maxRows: 100 })
  const { state, load } = loader()
  for (const question of ['a', 'b', 'c', 'a']) await cache.get('0x1', question, load)
  expect(state.loads).toBe(4)

  const huge = loader(1_000)
  await cache.get('0x1', 'huge', huge.load)
  await cache.get('0x1', 'huge', huge.load)
  expect(huge.state.loads).toBe(2)

  const many = new BlockCache({ max: 10, maxRows: 100 })
  const half = loader(60)
  for (const question of ['a', 'b', 'a']) await many.get('0x1', question, half.load)
  expect(half.state.loads).toBe(3)
})
