import { describe, expect, it } from 'vitest'
import { KeysUnavailableError } from '../../errors/access.ts'
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

const GRACE_MS = 300_000

/** Live keys over a table in memory, and clocks that are set by hand. */
function stage() {
  const rows = new Map<string, Row>()
  const clocks = { wallMs: 1_800_000_000_000, steadyMs: 0 }
  const asked: string[] = []
  let answering = Promise.resolve()
  let isAway = false
  const keys = new LiveKeys({
    async find(hash) {
      asked.push(hash)
      const row = rows.get(hash)
      const found = row && { ...row, now: clocks.wallMs }
      await answering
      if (isAway) throw KeysUnavailableError.away(new Error('no answer'))
      return found
    },
    graceMs: GRACE_MS,
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
  const goAway = () => {
    isAway = true
  }
  const comeBack = () => {
    isAway = false
  }
  return { keys, clocks, asked, issue, hold, goAway, comeBack }
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
    clocks.steadyMs += 9
    expect(await keys.check(key)).toEqual(LIVE)
    clocks.steadyMs += 1
    expect(await keys.check(key)).toEqual({ live: false, reason: 'expired', id: 'a' })
    clocks.steadyMs += 1_000
    clocks.wallMs += 10
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
        now: 0,
      }),
      graceMs: 0,
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
  const AWAY = { code: 'KEYS_UNAVAILABLE' }

  it('fails the request of a key that it was not asked about, and the next request asks again', async () => {
    const { keys, asked, issue, goAway, comeBack } = stage()
    const { key } = issue('a')
    goAway()
    await expect(keys.check(key)).rejects.toMatchObject(AWAY)
    comeBack()
    expect(await keys.check(key)).toEqual(LIVE)
    expect(asked).toHaveLength(2)
  })

  it('leaves keys that were in use as they were, until the grace since its last word is over', async () => {
    const { keys, clocks, issue, goAway } = stage()
    const [live, revoked] = [issue('a'), issue('b')]
    revoked.row.revoked_at = clocks.wallMs
    await keys.check(live.key)
    await keys.check(revoked.key)
    const unknown = mintKey()
    expect(await keys.check(unknown)).toMatchObject({ live: false })
    goAway()
    for (clocks.steadyMs = 1_000; clocks.steadyMs < GRACE_MS; clocks.steadyMs += 10_000) {
      expect(await keys.check(live.key)).toEqual(LIVE)
      expect(await keys.check(revoked.key)).toEqual({ live: false, reason: 'revoked', id: 'b' })
      await expect(keys.check(unknown)).rejects.toMatchObject(AWAY)
    }
    clocks.steadyMs = GRACE_MS
    await expect(keys.check(live.key)).rejects.toMatchObject(AWAY)
  })

  it('is waited for by one caller at a time, and heard within a second of its return', async () => {
    const { keys, clocks, asked, issue, hold, goAway, comeBack } = stage()
    const [first, other] = [issue('a'), issue('b')]
    await keys.check(first.key)
    await keys.check(other.key)
    goAway()
    clocks.steadyMs = 1_000
    expect(await keys.check(first.key)).toEqual(LIVE)
    // Just failed, so that nobody asks.
    expect(await keys.check(other.key)).toEqual({ ...LIVE, id: 'b' })
    expect(asked).toHaveLength(3)
    clocks.steadyMs = 2_000
    const release = hold()
    const waits = keys.check(first.key)
    expect(await keys.check(other.key)).toEqual({ ...LIVE, id: 'b' })
    expect(asked).toHaveLength(4)
    release()
    await waits
    comeBack()
    other.row.revoked_at = clocks.wallMs
    clocks.steadyMs = 2_900
    expect(await keys.check(other.key)).toMatchObject({ live: false, reason: 'revoked' })
  })

  it('ends no key later than its end, and none that this process revoked', async () => {
    const { keys, clocks, issue, goAway } = stage()
    const [ending, revoked] = [issue('a'), issue('b')]
    ending.row.expires_at = clocks.wallMs + 60_000
    await keys.check(ending.key)
    await keys.check(revoked.key)
    keys.forget(revoked.row.hash)
    goAway()
    clocks.steadyMs = 59_999
    expect(await keys.check(ending.key)).toEqual(LIVE)
    await expect(keys.check(revoked.key)).rejects.toMatchObject(AWAY)
    clocks.steadyMs = 60_000
    expect(await keys.check(ending.key)).toMatchObject({ live: false, reason: 'expired' })
  })

  it('is no excuse for a mistake of ours', async () => {
    const { key, row } = stage().issue('a')
    let steadyMs = 0
    const find = async () => {
      if (steadyMs > 0) throw new TypeError('x is not a function')
      return { ...row, now: 0 }
    }
    const keys = new LiveKeys({ find, graceMs: GRACE_MS, steadyNow: () => steadyMs })
    expect(await keys.check(key)).toEqual(LIVE)
    steadyMs = 1_000
    await expect(keys.check(key)).rejects.toThrow(TypeError)
  })
})
