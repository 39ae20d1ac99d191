import { expect, it, vi } from 'vitest'
import { KeptDocuments } from './KeptDocuments.ts'

const made = (name: string, isFailure = false) => ({ name, bytes: 10, isFailure })

it('makes a document once for all who come at one block, also at the same time', async () => {
  const kept = new KeptDocuments<ReturnType<typeof made>>()
  const make = vi.fn(async () => made('one'))
  const [one, other] = await Promise.all([kept.get('/', 'a', make), kept.get('/', 'a', make)])
  expect(await kept.get('/', 'a', make)).toBe(one)
  expect(other).toBe(one)
  expect(make).toHaveBeenCalledTimes(1)
  await kept.get('/', 'b', make)
  await kept.get('/plans', 'b', make)
  expect(make).toHaveBeenCalledTimes(3)
})

it('keeps nothing of what was thrown', async () => {
  const kept = new KeptDocuments<ReturnType<typeof made>>()
  await expect(kept.get('/', 'a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect((await kept.get('/', 'a', async () => made('there'))).name).toBe('there')
})

it('forgets what had failed a moment later, at the same block too', async () => {
  let now = 1_000
  const kept = new KeptDocuments<ReturnType<typeof made>>({ now: () => now })
  await kept.get('/', 'a', async () => made('failed', true))
  expect((await kept.get('/', 'a', async () => made('new'))).name).toBe('failed')
  now += 2_100
  expect((await kept.get('/', 'a', async () => made('new'))).name).toBe('new')
})

it('makes one at a time, and the next one once for all who came meanwhile, as the last of them asks', async () => {
  const kept = new KeptDocuments<ReturnType<typeof made>>()
  const ends: (() => void)[] = []
  const make = (name: string) => async () => {
    await new Promise<void>((resolve) => ends.push(resolve))
    return made(name)
  }
  const first = kept.get('/', 'a', make('a'))
  const later = ['b', 'c', 'd'].map((stamp) => kept.get('/', stamp, make(stamp)))
  const same = kept.get('/', 'a', make('again'))
  expect(ends).toHaveLength(1)
  ends[0]?.()
  expect([await first, await same].map(({ name }) => name)).toEqual(['a', 'a'])
  await vi.waitFor(() => expect(ends).toHaveLength(2))
  ends[1]?.()
  expect((await Promise.all(later)).map(({ name }) => name)).toEqual(['d', 'd', 'd'])
  expect((await kept.get('/', 'd', make('again'))).name).toBe('d')
  expect(ends).toHaveLength(2)
})

it('makes the next one where the one before has failed', async () => {
  const kept = new KeptDocuments<ReturnType<typeof made>>()
  const failing = kept.get('/', 'a', () => Promise.reject(new Error('away')))
  const next = kept.get('/', 'b', async () => made('there'))
  await expect(failing).rejects.toThrow('away')
  expect((await next).name).toBe('there')
})

it('shows the one before where the newest takes long, for ten seconds', async () => {
  let now = 1_000
  const kept = new KeptDocuments<ReturnType<typeof made>>({ now: () => now })
  await kept.get('/', 'a', async () => made('a'))
  let end = () => {}
  const long = new Promise<ReturnType<typeof made>>((resolve) => {
    end = () => resolve(made('b'))
  })
  expect((await kept.getSoon('/', 'b', () => long)).name).toBe('a')
  now += 10_001
  const waiting = kept.getSoon('/', 'b', () => long)
  end()
  expect((await waiting).name).toBe('b')
  expect((await kept.getSoon('/', 'c', async () => made('c'))).name).toBe('c')
})
