import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ValidationError } from '@remit/engine/errors/input'
import { postgresIsInstalled, usePostgres } from '@remit/testing/support/stores/postgres'
import { sql } from 'kysely'
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { KeyNotFoundError, KeysUnavailableError, MaxKeysError } from '../../errors/access.ts'
import type { ApiKey } from '../../ports/keys.ts'
import { openStore, type Store } from '../../store/openStore.ts'
import { StoreAccess } from '../StoreAccess.ts'
import { hashOf, mintKey } from './apiKey.ts'
import { DeveloperKeys, type DeveloperKeysOptions, KeyUses } from './DeveloperKeys.ts'

const folder = mkdtempSync(join(tmpdir(), 'remit-keys-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
const sqlite = async () => {
  files += 1
  return `file:${join(folder, `${files}.db`)}`
}

/** Keys over a store of their own, or over one that others use as well. */
async function open(url: string, options: Partial<DeveloperKeysOptions> = {}) {
  const store: Store = await openStore(url)
  const logged: string[] = []
  const log = (message: string, facts?: unknown) => {
    logged.push(`${message} ${JSON.stringify(facts ?? {})}`)
  }
  const keys = new DeveloperKeys({
    store,
    maxKeysPerSubject: 5,
    access: new StoreAccess({ info: log, warn: log, error: log }),
    ...options,
  })
  async function close() {
    await keys.close()
    await store.close()
  }
  return { keys, store, logged, close }
}

/** A machine and a store whose clocks are set by hand. */
function clockAt(now: () => number) {
  return { now, storeTime: (ms: number) => sql<number>`cast(${now() + ms} as bigint)` }
}

const forAda = { subjectId: 'ada', label: null, expiresAt: null }
const everybodys = { subjectId: undefined, first: 100, after: undefined }

async function within(limitMs: number, isSo: () => Promise<boolean>): Promise<void> {
  const begun = performance.now()
  while (!(await isSo())) {
    if (performance.now() - begun > limitMs) throw new Error(`Not so within ${limitMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function keysSuite(createUrl: () => Promise<string>) {
  it('stores the hash and the first characters of a key, and never the key', async () => {
    const { keys, store, close } = await open(await createUrl())
    const { token, key } = await keys.create({ ...forAda, label: 'Billing' })
    const row = await store.db.selectFrom('api_keys').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      id: key.id,
      hash: hashOf(token),
      prefix: token.slice(0, 12),
      label: 'Billing',
    })
    expect(JSON.stringify(row)).not.toContain(token.slice(12))
    await close()
  })

  it('makes five of fifty keys that are requested at once, and five more for another subject', async () => {
    const url = await createUrl()
    const [one, other] = [await open(url), await open(url)]
    const create = (index: number, subjectId: string) =>
      (index % 2 === 0 ? one : other).keys.create({ ...forAda, subjectId })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => create(index, 'ada')).concat(
        Array.from({ length: 5 }, (_, index) => create(index, 'bob')),
      ),
    )
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(refused).toHaveLength(45)
    for (const { reason } of refused) expect(reason).toBeInstanceOf(MaxKeysError)
    const { keys } = await one.keys.list({ ...everybodys, subjectId: 'ada' })
    expect(keys).toHaveLength(5)
    await one.close()
    await other.close()
  }, 30_000)

  it('counts neither revoked nor expired keys among the five', async () => {
    let now = 1_800_000_000_000
    const { keys, close } = await open(await createUrl(), { maxKeysPerSubject: 2, ...clockAt(() => now) })
    const { key: first } = await keys.create(forAda)
    await keys.create({ ...forAda, expiresAt: now + 1_000 })
    await expect(keys.create(forAda)).rejects.toThrow(MaxKeysError)
    await keys.revoke(first.id)
    await keys.create(forAda)
    await expect(keys.create(forAda)).rejects.toThrow(MaxKeysError)
    now += 1_000
    await keys.create(forAda)
    await close()
  })

  it('counts a rotated key with the one before it, over any number of rotations, and while both live', async () => {
    const { keys, close } = await open(await createUrl(), { maxKeysPerSubject: 30 })
    const first = await keys.create(forAda)
    const other = await keys.create(forAda)
    let last = first
    for (let turn = 0; turn < 20; turn += 1) last = await keys.rotate(last.key.id)
    for (const { token } of [first, last]) {
      expect(await keys.check(token)).toMatchObject({ live: true, account: first.key.id })
    }
    expect(other.key.account).not.toBe(first.key.account)
    await close()
  })

  it('gives no fresh account to a key that is made in the place of a revoked or expired one', async () => {
    let now = 1_800_000_000_000
    const { keys, close } = await open(await createUrl(), { maxKeysPerSubject: 3, ...clockAt(() => now) })
    const accounts = new Set<string>()
    const make = async (expiresAt: number | null = null) => {
      now += 1
      const { key } = await keys.create({ ...forAda, expiresAt })
      accounts.add(key.account)
      return key
    }
    const held = await make()
    for (let turn = 0; turn < 10; turn += 1) {
      const renewed = await keys.rotate((await make()).id)
      await keys.revoke(renewed.key.id)
      await make(now + 2)
      // The replaced one still lived when the next was made.
      now += 25 * 60 * 60 * 1_000
    }
    // One key is held, so that one account is left to all others.
    expect(accounts.size).toBe(2)
    expect((await keys.create({ ...forAda, subjectId: 'bob' })).key.account).not.toBe(held.account)
    await make()
    await make()
    expect(accounts.size).toBe(3)
    await close()
  })

  it('pages through keys, newest first, each once, while new ones are made', async () => {
    let now = 1_800_000_000_000
    const { keys, close } = await open(await createUrl(), { maxKeysPerSubject: 100, ...clockAt(() => now) })
    const made: ApiKey[] = []
    for (let index = 0; index < 12; index += 1) {
      // Three at a time at the same moment: their order must hold all the same.
      now += index % 3 === 0 ? 1 : 0
      made.push((await keys.create({ ...forAda, subjectId: index % 4 === 0 ? 'bob' : 'ada' })).key)
    }
    const seen: ApiKey[] = []
    let after: string | undefined
    for (;;) {
      const page = await keys.list({ subjectId: undefined, first: 5, after })
      seen.push(...page.keys)
      now += 1
      await keys.create(forAda)
      if (page.nextCursor === null) break
      after = page.nextCursor
    }
    expect(seen.map(({ createdAt }) => createdAt)).toEqual(made.map(({ createdAt }) => createdAt).reverse())
    expect(new Set(seen.map(({ id }) => id))).toEqual(new Set(made.map(({ id }) => id)))
    const bobs = await keys.list({ subjectId: 'bob', first: 3, after: undefined })
    expect(bobs).toMatchObject({ keys: [{ subjectId: 'bob' }, {}, {}], nextCursor: null })
    for (const cursor of ['x', 'AAAA', Buffer.from('1.2').toString('base64url')]) {
      await expect(keys.list({ ...everybodys, after: cursor })).rejects.toThrow(ValidationError)
    }
    await close()
  })

  it('revokes for good, at once here and within a second on another process; a second time changes nothing', async () => {
    const url = await createUrl()
    const [here, there] = [await open(url), await open(url)]
    const { token, key } = await here.keys.create(forAda)
    expect(await there.keys.check(token)).toMatchObject({ live: true, id: key.id })
    expect(await here.keys.check(token)).toMatchObject({ live: true, id: key.id })

    const revoked = await here.keys.revoke(key.id)
    expect(revoked.revokedAt).not.toBeNull()
    const refused = { live: false, reason: 'revoked', id: key.id }
    expect(await here.keys.check(token)).toEqual(refused)
    await within(1_000, async () => !(await there.keys.check(token)).live)

    expect(await there.keys.revoke(key.id)).toEqual(revoked)
    expect(await here.keys.get(key.id)).toEqual(revoked)
    await expect(here.keys.revoke('none')).rejects.toThrow(KeyNotFoundError)
    await expect(here.keys.get('none')).rejects.toThrow(KeyNotFoundError)
    await here.close()
    await there.close()
  })

  it('writes the last use down when it closes, and no use over a later one', async () => {
    const url = await createUrl()
    let now = 1_800_000_000_000
    const [early, late] = [
      await open(url, { ...clockAt(() => now) }),
      await open(url, { ...clockAt(() => now + 5_000) }),
    ]
    const { token, key } = await early.keys.create(forAda)
    await early.keys.check(token)
    await late.keys.check(token)
    expect((await early.keys.get(key.id)).lastUsedAt).toBeNull()
    now += 1_000
    await late.close()
    await early.close()
    const { keys, close } = await open(url)
    expect((await keys.get(key.id)).lastUsedAt).toBe(1_800_000_005_000)
    await close()
  })

  it('takes as long for a key whose first characters are known as for any other', async () => {
    const { keys, close } = await open(await createUrl())
    const { token } = await keys.create(forAda)
    const timeOf = async (key: string) => {
      const begun = performance.now()
      expect(await keys.check(key)).toEqual({ live: false, reason: 'unknown' })
      return performance.now() - begun
    }
    const pairs = 400
    let slower = 0
    for (let pair = 0; pair < pairs; pair += 1) {
      const [known, unknown] = [mintLike(token), mintKey()]
      // By turns, and each first as often: whatever slows the machine down falls on both alike.
      const first = await timeOf(pair % 2 === 0 ? known : unknown)
      const second = await timeOf(pair % 2 === 0 ? unknown : known)
      if (pair % 2 === 0 ? first > second : second > first) slower += 1
    }
    // Six standard deviations of what chance alone would do.
    expect(Math.abs(slower / pairs - 0.5)).toBeLessThan(0.15)
    await close()
  })
}

/** A text that begins as a key does, for 40 of its characters, with the checksum that belongs to it. */
function mintLike(key: string): string {
  const secret = key.slice(0, 40) + mintKey().slice(40, 47)
  return secret + createHash('sha256').update(secret).digest('base64url').slice(0, 6)
}

describe('keys in SQLite', () => keysSuite(sqlite))

describe.skipIf(!postgresIsInstalled)('keys in Postgres', () => {
  const postgres = usePostgres()
  keysSuite(() => postgres.createDatabase())

  it('are unavailable while it is away, never refused, and come back by themselves', async () => {
    const { keys, logged, close } = await open(await postgres.createDatabase())
    const { token, key } = await keys.create(forAda)
    await postgres.kill()
    await expect(keys.check(token)).rejects.toThrow(KeysUnavailableError)
    await expect(keys.check(mintKey())).rejects.toThrow(KeysUnavailableError)
    await expect(keys.create(forAda)).rejects.toThrow(KeysUnavailableError)
    await expect(keys.list(everybodys)).rejects.toThrow(KeysUnavailableError)
    await expect(keys.revoke(key.id)).rejects.toThrow(KeysUnavailableError)
    await postgres.restart()
    await within(5_000, async () => {
      const check = await keys.check(token).catch(() => undefined)
      return check?.live === true
    })
    // Once each, whatever the number of calls; and no text of the database's, which may name values.
    expect(logged.map((line) => line.replace(/".*"/, ''))).toEqual([
      expect.stringContaining('The key store is away'),
      'The key store is back {}',
    ])
    await close()
  }, 30_000)

  it('that are in use go on while it is away, and are refused soon after it is back', async () => {
    const url = await postgres.createDatabase()
    const [here, there] = [await open(url, { graceMs: 60_000 }), await open(url)]
    const { token, key } = await here.keys.create(forAda)
    expect(await here.keys.check(token)).toMatchObject({ live: true, id: key.id })
    await postgres.kill()
    for (let second = 0; second < 3; second += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      expect(await here.keys.check(token)).toMatchObject({ live: true, id: key.id })
    }
    await expect(here.keys.check(mintKey())).rejects.toThrow(KeysUnavailableError)
    await postgres.restart()
    await within(10_000, async () => (await there.keys.revoke(key.id).catch(() => undefined)) !== undefined)
    await within(5_000, async () => !(await here.keys.check(token)).live)
    await Promise.all([here.close(), there.close()])
  }, 60_000)

  it('expire by its clock, whatever a machine’s clock shows', async () => {
    const url = await postgres.createDatabase()
    const HOUR_MS = 3_600_000
    const { keys, store, close } = await open(url, { maxKeysPerSubject: 2 })
    const lasting = await keys.create({ ...forAda, expiresAt: Date.now() + 60_000 })
    const ended = await keys.create({ ...forAda, expiresAt: Date.now() + 60_000 })
    await store.transaction((db) =>
      db
        .updateTable('api_keys')
        .set({ expires_at: Date.now() - 60_000 })
        .where('id', '=', ended.key.id)
        .execute(),
    )
    const clock = vi.spyOn(Date, 'now')
    onTestFinished(() => void clock.mockRestore())
    for (const skewMs of [-HOUR_MS, HOUR_MS]) {
      const real = performance.timeOrigin + performance.now()
      clock.mockReturnValue(real + skewMs)
      const skewed = await open(url, { maxKeysPerSubject: 2 })
      expect(await skewed.keys.check(lasting.token)).toMatchObject({ live: true })
      expect(await skewed.keys.check(ended.token)).toMatchObject({ reason: 'expired' })
      const short = { ...forAda, subjectId: `${skewMs}` }
      await skewed.keys.create({ ...short, expiresAt: Math.round(real) + 60_000 })
      const past = skewed.keys.create({ ...short, expiresAt: Math.round(real) - 60_000 })
      await expect(past).rejects.toThrow('must be in the future')
      const rotated = await skewed.keys.rotate((await skewed.keys.create(short)).key.id)
      const inHours = ((rotated.replaced.expiresAt ?? 0) - real) / HOUR_MS
      expect(inHours).toBeCloseTo(24, 1)
      await skewed.close()
    }
    await close()
  }, 30_000)

  it('are unavailable after a bounded wait where it hangs', async () => {
    const { keys, store, close } = await open(await postgres.createDatabase(), { lookUpTimeoutMs: 200 })
    const { token } = await keys.create(forAda)
    await store.transaction(async (db) => {
      await db.schema.alterTable('api_keys').addColumn('held', 'text').execute()
      const begun = performance.now()
      await expect(keys.check(token)).rejects.toThrow(KeysUnavailableError)
      expect(performance.now() - begun).toBeLessThan(1_000)
    })
    expect((await keys.check(token)).live).toBe(true)
    await close()
  })
})

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
