import { describe, expect, it } from 'vitest'
import { hashOf, mintKey } from './apiKey.ts'
import { LiveKeys } from './LiveKeys.ts'

interface Row {
  id: string
  account: string | null
  subject_id: string
  hash: string
  expires_at: number | null
  revoked_at: number | null
}

/** Live keys over a table in memory, and clocks that are set by hand. */
function stage() {
  const rows = new Map<string, Row>()
  const clocks = { wallMs: 1_800_000_000_000, steadyMs: 0 }
  const asked: string[] = []
  let answering = Promise.resolve()
  const keys = new LiveKeys({
    async find(hash) {
      asked.push(hash)
      const row = rows.get(hash)
      const found = row && { ...row }
      await answering
      return found
    },
    now: () => clocks.wallMs,
    steadyNow: () => clocks.steadyMs,
  })
  function issue(id: string): { key: string; row: Row } {
    const key = mintKey()
    const row: Row = {
      id,
      account: 'first',
      subject_id: 'ada',
      hash: hashOf(key),
      expires_at: null,
      revoked_at: null,
    }
    rows.set(row.hash, row)
    return { key, row }
  }
  /** Holds back all answers of the store until the returned function is called. */
  function hold(): () => void {
    let release = () => {}
    answering = new Promise((resolve) => {
      release = resolve
    })
    return release
  }
  return { keys, clocks, asked, issue, hold }
}

const LIVE = { live: true, id: 'a', account: 'first', subjectId: 'ada' }

describe('a key', () => {
  it('is looked up once in less than a second, however often it is used', async () => {
    const { keys, clocks, asked, issue } = stage()
    const { key } = issue('a')
    for (const steadyMs of [0, 1, 899]) {
      clocks.steadyMs = steadyMs
      expect(await keys.check(key)).toEqual(LIVE)
    }
    expect(asked).toHaveLength(1)
    clocks.steadyMs = 900
    expect(await keys.check(key)).toEqual(LIVE)
    expect(asked).toHaveLength(2)
  })

  it('is looked up once for all who use it at the same moment', async () => {
    const { keys, asked, issue } = stage()
    const { key } = issue('a')
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => keys.check(key)))
    expect(verdicts).toEqual(Array.from({ length: 50 }, () => LIVE))
    expect(asked).toHaveLength(1)
  })

  it('that another process revoked is refused within a second', async () => {
    const { keys, clocks, issue } = stage()
    const { key, row } = issue('a')
    await keys.check(key)
    row.revoked_at = clocks.wallMs
    clocks.steadyMs = 1_000
    expect(await keys.check(key)).toEqual({ live: false, reason: 'revoked', id: 'a' })
  })

  it('is cached from the time of the request to the store, not of its answer', async () => {
    const { keys, clocks, issue, hold } = stage()
    const { key, row } = issue('a')
    const release = hold()
    const slow = keys.check(key)
    row.revoked_at = clocks.wallMs
    clocks.steadyMs = 950
    release()
    expect(await slow).toEqual(LIVE)
    expect(await keys.check(key)).toEqual({ live: false, reason: 'revoked', id: 'a' })
  })

  it('is refused at once where this process revoked it, also while an older look-up runs', async () => {
    const { keys, clocks, issue, hold } = stage()
    const { key, row } = issue('a')
    await keys.check(key)
    row.revoked_at = clocks.wallMs
    keys.forget(row.hash)
    expect(await keys.check(key)).toMatchObject({ live: false })

    const other = issue('b')
    const release = hold()
    const older = keys.check(other.key)
    other.row.revoked_at = clocks.wallMs
    keys.forget(other.row.hash)
    const later = keys.check(other.key)
    release()
    expect(await older).toEqual({ ...LIVE, id: 'b' })
    expect(await later).toMatchObject({ live: false })
    expect(await keys.check(other.key)).toMatchObject({ live: false })
  })

  it('is refused as soon as it expires, cached or not', async () => {
    const { keys, clocks, issue } = stage()
    const { key, row } = issue('a')
    row.expires_at = clocks.wallMs + 10
    expect(await keys.check(key)).toEqual(LIVE)
    clocks.wallMs += 9
    expect(await keys.check(key)).toEqual(LIVE)
    clocks.wallMs += 1
    expect(await keys.check(key)).toEqual({ live: false, reason: 'expired', id: 'a' })
  })

  it('is refused where the store answers with another key', async () => {
    const { key } = stage().issue('a')
    const keys = new LiveKeys({
      find: async () => ({
        id: 'b',
        account: null,
        subject_id: 'ada',
        hash: hashOf('other'),
        expires_at: null,
        revoked_at: null,
      }),
    })
    expect(await keys.check(key)).toEqual({ live: false, reason: 'unknown' })
  })
})

describe('what is no key', () => {
  it('is refused without a look-up where it is mistyped or no key at all', async () => {
    const { keys, asked, issue } = stage()
    const { key } = issue('a')
    const mistyped = key.slice(0, 20) + (key[20] === 'A' ? 'B' : 'A') + key.slice(21)
    expect(await keys.check(mistyped)).toEqual({ live: false, reason: 'mistyped' })
    expect(await keys.check('svc_')).toEqual({ live: false, reason: 'malformed' })
    expect(asked).toHaveLength(0)
  })

  it('is looked up once in less than a second where it might be one', async () => {
    const { keys, clocks, asked } = stage()
    const key = mintKey()
    await keys.check(key)
    expect(await keys.check(key)).toEqual({ live: false, reason: 'unknown' })
    expect(asked).toHaveLength(1)
    clocks.steadyMs = 900
    await keys.check(key)
    expect(asked).toHaveLength(2)
  })

  it('never pushes a live key out of the cache', async () => {
    const { keys, asked, issue } = stage()
    const { key } = issue('a')
    await keys.check(key)
    for (let guess = 0; guess < 12_000; guess += 1) await keys.check(mintKey())
    await keys.check(key)
    expect(asked).toHaveLength(12_001)
  })
})

describe('a store that is away', () => {
  it('fails the request, and the next request asks again', async () => {
    const { key } = stage().issue('a')
    let isAway = true
    const keys = new LiveKeys({
      async find(hash) {
        if (isAway) throw new Error('away')
        return { id: 'a', account: 'first', subject_id: 'ada', hash, expires_at: null, revoked_at: null }
      },
    })
    await expect(keys.check(key)).rejects.toThrow('away')
    isAway = false
    expect(await keys.check(key)).toEqual(LIVE)
  })
})
