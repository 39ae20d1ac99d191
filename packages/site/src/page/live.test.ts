import { settled } from '@remit/testing/support/browser/settled'
import { PAGE_CHAIN, usePageModules } from '@remit/testing/support/browser/usePageModules'
import { afterEach, describe, expect, it, vi } from 'vitest'

const HERE = PAGE_CHAIN.chainId
const at = (blockNumber: number) => ({ blockNumber, blockHash: '0x', timestamp: 0 })
const TOKEN = {
  address: '0x0000000000000000000000000000000000000001',
  symbol: null,
  name: null,
  decimals: 6,
  minimum: '0',
  minimumRaw: '0',
  paused: false,
}
usePageModules({
  chain: { ...PAGE_CHAIN, block: at(104) },
  answers: {
    account: { operation: 'getAccount', input: { address: '0x' }, status: 200, body: { index: at(103) } },
    token: {
      operation: 'getApprovedToken',
      input: { token: TOKEN.address },
      status: 404,
      body: { error: 'Not approved', code: 'NOT_FOUND' },
    },
  },
})
afterEach(() => void vi.useRealTimers())

const open = async () => {
  const asked: ((block: number, indexBlock?: number) => void)[] = []
  vi.stubGlobal(
    'fetch',
    () =>
      new Promise<Response>((answer) => {
        asked.push((block, indexBlock = block) => answer(new Response(documentAt(block, indexBlock))))
      }),
  )
  const live = await import('./live.ts')
  return { ...live, asked, shown: () => live.chainNow.value?.block?.blockNumber }
}

function documentAt(blockNumber: number, indexBlock: number): string {
  const answers = { account: { operation: 'getAccount', body: { index: { blockNumber: indexBlock } } } }
  const data = { query: {}, chain: { block: { blockNumber } }, answers }
  return `<script type="application/json" id="page">${JSON.stringify(data)}</script>`
}

describe('a reading that fails', () => {
  it.each<[string, () => Promise<Response>, string]>([
    ['the connection', () => Promise.reject(new TypeError('Failed to fetch')), 'NetworkError'],
    [
      'something in front',
      async () => new Response('<h1>Bad gateway</h1>', { status: 502 }),
      'UnexpectedAnswerError',
    ],
    ['another page', async () => new Response('<h1>Sign in to this network</h1>'), 'UnexpectedAnswerError'],
  ])('says that it was %s', async (_, fetched, name) => {
    vi.stubGlobal('fetch', fetched)
    const { readAgain, readFailure } = await import('./live.ts')
    await readAgain()
    expect(readFailure.value).toMatchObject({ name })
  })

  it('ends where no answer comes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    vi.stubGlobal('fetch', (_: string, { signal }: RequestInit) => {
      return new Promise((_answer, fail) => signal?.addEventListener('abort', () => fail(signal.reason)))
    })
    const { readAgain, readFailure, isReading } = await import('./live.ts')
    void readAgain()
    await vi.advanceTimersByTimeAsync(30_000)
    expect(readFailure.value).toMatchObject({ name: 'TimeoutError' })
    expect(isReading.value).toBe(false)
  })

  it('that was refused is told as the API tells it', async () => {
    const refusal = { error: 'Too much', code: 'RATE_LIMITED', bucket: 'globalRpm', retryAfterSeconds: 9 }
    const text = `<script type="application/json" id="page">${JSON.stringify({ refusal })}</script>`
    vi.stubGlobal('fetch', async () => new Response(text, { status: 429 }))
    const { readAgain, readFailure } = await import('./live.ts')
    await readAgain()
    expect(readFailure.value).toMatchObject({ name: 'RateLimitedError', bucket: 'globalRpm' })
  })
})

describe('a page that is read again', () => {
  it('does not go back to what a reading that began before the transaction brings', async () => {
    const { readAgain, readAhead, isReading, asked, shown } = await open()
    void readAgain()
    const showChanges = readAhead(105)
    asked[1]?.(105)
    await settled()
    showChanges()
    expect(shown()).toBe(105)
    asked[0]?.(104)
    await settled()
    expect(shown()).toBe(105)
    expect(isReading.value).toBe(false)
  })

  it('does not go back to what was read for the transaction, once a later reading has shown more', async () => {
    const { readAgain, readAhead, asked, shown } = await open()
    const showChanges = readAhead(105)
    asked[0]?.(105)
    void readAgain()
    asked[1]?.(110)
    await settled()
    expect(shown()).toBe(110)
    showChanges()
    expect(shown()).toBe(110)
  })

  it('shows the transaction where a later reading is under way, and then that reading', async () => {
    const { readAgain, readAhead, asked, shown } = await open()
    const showChanges = readAhead(105)
    asked[0]?.(105)
    await settled()
    void readAgain()
    showChanges()
    expect(shown()).toBe(105)
    asked[1]?.(106)
    await settled()
    expect(shown()).toBe(106)
  })

  it('asks again where a later reading finds the index before the transaction', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const { readAgain, asked, shown } = await open()
    const { ownWrites } = await import('./api.ts')
    ownWrites.note(HERE, 105)
    void readAgain()
    asked[0]?.(105)
    await vi.advanceTimersByTimeAsync(1)
    void readAgain()
    asked[1]?.(106, 104)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(shown()).toBe(105)
    asked[2]?.(107)
    await vi.advanceTimersByTimeAsync(1)
    expect(shown()).toBe(107)
  })

  it('shows an older block that a later reading brings: the chain may have been reorganised', async () => {
    const { readAgain, asked, shown } = await open()
    void readAgain()
    asked[0]?.(105)
    await settled()
    void readAgain()
    asked[1]?.(103)
    await settled()
    expect(shown()).toBe(103)
  })
})

describe('a page that comes after a transaction', () => {
  const kept = (blockNumber: number, secondsAgo: number) => ({
    getItem: (key: string) =>
      key === `remit:own-block:${HERE}` ? `${blockNumber} ${Date.now() - secondsAgo * 1_000}` : null,
  })

  it('shows nothing of before it, and what has changed once the service has seen it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    vi.stubGlobal('localStorage', kept(105, 3))
    const { live, asked, shown } = await open()
    expect(live('account', 'getAccount').value).toEqual({ state: 'loading' })
    asked[0]?.(105, 104)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(shown()).toBe(104)
    asked[1]?.(105)
    await vi.advanceTimersByTimeAsync(1)
    expect(shown()).toBe(105)
  })

  it('is loaded again once the service has what it is about', async () => {
    const reload = vi.fn()
    vi.stubGlobal('location', Object.assign(new URL('http://localhost/me'), { reload }))
    vi.stubGlobal('localStorage', kept(105, 3))
    const urls: string[] = []
    vi.stubGlobal('fetch', async (url: string) => {
      urls.push(url)
      return Response.json({ token: TOKEN, chainId: HERE, asOf: at(105) })
    })
    const { givenSubject } = await import('./Resource.ts')
    givenSubject('token', 'getApprovedToken')
    await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce())
    expect(urls).toEqual([`http://localhost/approved-tokens/${TOKEN.address}?minBlock=105&chainId=${HERE}`])
  })

  it.each([
    ['has seen it', kept(103, 3)],
    ['comes long after', kept(105, 30)],
  ])('is shown as it came where it %s', async (_, localStorage) => {
    vi.stubGlobal('localStorage', localStorage)
    const { live, asked } = await open()
    live('account', 'getAccount')
    expect(asked).toEqual([])
  })
})
