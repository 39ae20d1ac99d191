import { expect, it } from 'vitest'
import { KeptAnswers } from './KeptAnswers.ts'

it('holds no more answers than it may, and forgets the oldest', async () => {
  const kept = new KeptAnswers<string>({ keepMs: 1_000, most: 2, now: () => 0 })
  const asked: string[] = []
  const get = (key: string) =>
    kept.get(key, async () => {
      asked.push(key)
      return key
    })
  for (const key of ['a', 'b', 'a', 'c', 'b', 'a']) expect(await get(key)).toBe(key)
  expect(asked).toEqual(['a', 'b', 'c', 'a'])
})

it('counts an answer from when it was asked for, and has all wait for one that has not come', async () => {
  let ms = 0
  const kept = new KeptAnswers<number>({ keepMs: 1_000, most: 2, now: () => ms })
  let answer: (value: number) => void = () => {}
  const first = kept.get('a', () => new Promise((resolve) => (answer = resolve)))
  ms = 5_000
  const second = kept.get('a', async () => 2)
  answer(1)
  expect([await first, await second]).toEqual([1, 1])
  expect(await kept.get('a', async () => 3)).toBe(3)
})

it('keeps no failure', async () => {
  const kept = new KeptAnswers<number>({ keepMs: 1_000, most: 2, now: () => 0 })
  await expect(kept.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(await kept.get('a', async () => 1)).toBe(1)
})
