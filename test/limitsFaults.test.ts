import { DEFAULT_LIMITS } from '@remit/engine/declare/lanes'
import { type OpenLimits, openLimits } from '@remit/service/testing/access/limits/openLimits'
import { LimiterUnavailableError, RateLimitedError } from '@remit/service/testing/errors/access'
import { afterAll, describe, expect, it } from 'vitest'
import { useTestChain } from './support/chain/useTestChain.ts'
import { startTestService } from './support/service/testService.ts'
import { redisIsInstalled, useRedis } from './support/stores/useRedis.ts'

const GRACE_MS = 1_000
const PASSWORD = 'a-password-of-the-store'

type Outcome = 'admitted' | 'refused' | 'unavailable'

interface Process extends OpenLimits {
  readonly logged: string[]
  take(id: string): Promise<Outcome>
}

/** Limits as a process of the service holds them, over a Redis whose address has a password in it. */
async function processOver({ url }: { readonly url: string }, graceMs = GRACE_MS): Promise<Process> {
  const logged: string[] = []
  const write = (message: string, facts?: unknown) => void logged.push(`${message} ${JSON.stringify(facts)}`)
  const opened = await openLimits({
    lanes: DEFAULT_LIMITS,
    authFailuresRpm: 30,
    portalUrl: () => undefined,
    newKeysDaily: 5,
    challengesDaily: 20,
    developerKeysEnabled: true,
    asksBasicAuth: false,
    redisUrl: url.replace('://', `://:${PASSWORD}@`),
    graceMs,
    log: { info: write, warn: write, error: write },
  })
  return {
    ...opened,
    logged,
    async take(id) {
      try {
        await opened.limits.take({ lane: 'free', id }, 'message', [])
        return 'admitted'
      } catch (error) {
        if (error instanceof RateLimitedError) return 'refused'
        if (error instanceof LimiterUnavailableError) return 'unavailable'
        throw error
      }
    },
  }
}

interface Taken {
  readonly outcome: Outcome
  readonly endedAt: number
  readonly tookMs: number
}

/** Takes without a pause, many at once and from a new caller now and then, until told to stop. */
function load(process: Process) {
  const taken: Taken[] = []
  let going = true
  const workers = Array.from({ length: 32 }, async () => {
    while (going) {
      const begunAt = performance.now()
      const outcome = await process.take(`caller ${Math.floor(taken.length / 30)}`)
      taken.push({ outcome, endedAt: performance.now(), tookMs: performance.now() - begunAt })
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  })
  return {
    taken,
    seen: (outcome: Outcome, since: number) =>
      expect
        .poll(() => taken.some((one) => one.outcome === outcome && one.endedAt > since), { timeout: 10_000 })
        .toBe(true),
    async stop() {
      going = false
      await Promise.all(workers)
    },
  }
}

const lines = (logged: readonly string[], pattern: RegExp) => logged.filter((line) => pattern.test(line))

describe.skipIf(!redisIsInstalled)('a Redis that fails under load', () => {
  const server = useRedis()

  it.each([
    ['is killed and started again', () => server.kill(), () => server.restart()],
    ['is paused and goes on', async () => server.pause(), async () => server.resume()],
  ] as const)(
    '%s: a bounded grace, then 503, then all as before, and nobody waits',
    async (_what, fail, mend) => {
      const process = await processOver(server)
      const running = load(process)
      await running.seen('admitted', 0)
      const failedAt = performance.now()
      await fail()
      await running.seen('unavailable', failedAt)
      const graceOverAt = performance.now()
      expect(graceOverAt - failedAt).toBeGreaterThan(GRACE_MS)
      await new Promise((resolve) => setTimeout(resolve, 300))
      const mendedAt = performance.now()
      await mend()
      await running.seen('admitted', mendedAt)
      await running.stop()
      process.close()

      const during = (from: number, to: number) =>
        running.taken.filter(({ endedAt }) => endedAt > from && endedAt < to)
      // In the grace it goes on counting; after it nothing is admitted.
      expect(during(failedAt + 400, failedAt + GRACE_MS).map(({ outcome }) => outcome)).toContain('admitted')
      expect(during(graceOverAt, mendedAt).filter(({ outcome }) => outcome !== 'unavailable')).toEqual([])
      expect(Math.max(...running.taken.map(({ tookMs }) => tookMs))).toBeLessThan(1_000)

      expect(lines(process.logged, /counted in this process/)).toHaveLength(1)
      expect(lines(process.logged, /longer than the grace/)).toHaveLength(1)
      expect(lines(process.logged, /are back/)).toHaveLength(1)
      expect(process.logged.join('\n')).not.toContain(PASSWORD)
      expect(process.logged.join('\n')).not.toContain('127.0.0.1')
    },
  )

  it('counts on where it was after a pause', async () => {
    const process = await processOver(server)
    for (let request = 0; request < 20; request += 1) expect(await process.take('patient')).toBe('admitted')
    expect(await process.take('patient')).toBe('refused')
    server.pause()
    // The process counts for itself: what Redis had counted is not known to it.
    expect(await process.take('patient')).toBe('admitted')
    server.resume()
    await expect.poll(() => lines(process.logged, /are back/)).toHaveLength(1)
    expect(await process.take('patient')).toBe('refused')
    process.close()
  })

  it('stops no start: limits are counted in the process until it comes', async () => {
    await server.kill()
    const process = await processOver(server)
    expect(await process.take('early')).toBe('admitted')
    await server.restart()
    await expect.poll(() => lines(process.logged, /are back/)).toHaveLength(1)
    process.close()
  })

  it('forgets its counters with a restart', async () => {
    const process = await processOver(server)
    for (let request = 0; request < 20; request += 1) await process.take('lasting')
    await server.kill()
    await server.restart()
    const next = await processOver(server)
    expect(await next.take('lasting')).toBe('admitted')
    process.close()
    next.close()
  })
})

describe.skipIf(!redisIsInstalled)('a Redis that keeps an append-only file', () => {
  const server = useRedis({ appendOnly: true })

  it('remembers its counters after a kill', async () => {
    const process = await processOver(server)
    for (let request = 0; request < 20; request += 1) await process.take('lasting')
    process.close()
    await server.kill()
    await server.restart()
    const next = await processOver(server)
    await expect.poll(() => next.take('lasting')).toBe('refused')
    await expect
      .poll(() => lines(next.logged, /away/).length === lines(next.logged, /back/).length)
      .toBe(true)
    expect(await next.take('lasting')).toBe('refused')
    next.close()
  })
})

describe.skipIf(!redisIsInstalled)('the service over a Redis that is away', () => {
  const server = useRedis()

  it('answers 503 by name after the grace, but its status always, and heals by itself', async () => {
    const chain = await useTestChain()
    const service = await startTestService([chain], { REDIS_URL: server.url, LIMITER_GRACE_SECONDS: '0' })
    afterAll(() => service.close())
    expect((await service.get('/catalog')).status).toBe(200)
    await server.kill()
    await expect.poll(async () => (await service.get('/catalog')).status).toBe(503)
    const { headers, body } = await service.get('/catalog')
    expect(body).toMatchObject({ code: 'LIMITER_UNAVAILABLE', error: expect.stringContaining('later') })
    expect(headers.get('retry-after')).toBe('5')
    for (const path of ['/', '/status']) expect((await service.get(path)).status).toBe(200)
    await server.restart()
    await expect.poll(async () => (await service.get('/catalog')).status).toBe(200)
  })
})
