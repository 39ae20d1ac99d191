import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { MemoryCounters } from '../src/access/limits/MemoryCounters.ts'
import { useTestChain } from './support/chain.ts'
import { expectExact, takeConcurrently } from './support/limitsCrowd.ts'
import { run } from './support/program.ts'
import { redisIsInstalled, useRedis } from './support/redis.ts'

const PROCESSES = 3
const CONNECTIONS = 64
const TAKES = 20_000

const Decisions = z.array(z.tuple([z.string(), z.boolean(), z.number()]))

/** As even shares as there can be. */
const shares = (whole: number) =>
  Array.from({ length: PROCESSES }, (_, place) => Math.floor((whole + place) / PROCESSES))

describe.skipIf(!redisIsInstalled)('limits that processes share', () => {
  const server = useRedis()

  it('are exact to the last unit, by Redis’ own clock, however many take at once', async () => {
    const takes = shares(TAKES)
    const workers = shares(CONNECTIONS).map((connections, place) =>
      run('test/support/takeMany.ts', [server.url, ...[PROCESSES, connections, takes[place]].map(String)]),
    )
    const decided = await Promise.all(
      workers.map(async (worker) => {
        const [, decisions = ''] = await worker.says(/^decided (.*)$/m, 60_000)
        return Decisions.parse(JSON.parse(decisions))
      }),
    )
    expect(decided.flat().length).toBeGreaterThanOrEqual(TAKES)
    expectExact(decided.flat())
  }, 90_000)

  it('are exact over HTTP: each caller is admitted as often as its limit says, by all processes together', async () => {
    const chain = await useTestChain()
    const folder = mkdtempSync(join(tmpdir(), 'remit-limits-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const limit = 700
    const services = await Promise.all(
      Array.from({ length: PROCESSES }, async (_, place) => {
        const program = run('src/main.ts', [], {
          HOST: '127.0.0.1',
          PORT: '0',
          DATABASE_URL: `file:${join(folder, `${place}.db`)}`,
          [`INDEX_${chain.chainId}`]: 'off',
          REDIS_URL: server.url,
          LOG_LEVEL: 'warn',
          DEFAULT_REST_CHAIN_ID: String(chain.chainId),
          [`RPC_URL_${chain.chainId}`]: chain.url,
          [`CONTRACT_ADDRESS_${chain.chainId}`]: chain.contract,
          LIMIT_FREE_GLOBAL_RPM: String(limit),
          LIMIT_FREE_DAILY_TOTAL_REQUESTS: '1000000',
        })
        const [, url = ''] = await program.says(/REST (\S+),/, 60_000)
        return url
      }),
    )
    const callers = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']
    const agents = callers.map(
      (localAddress) => new Agent({ keepAlive: true, localAddress, maxSockets: CONNECTIONS }),
    )
    const statuses = callers.map(() => new Map<number | undefined, number>())
    const begunAt = performance.now()
    let begun = 0
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        while (begun < TAKES) {
          const place = begun % callers.length
          const url = `${services[Math.floor(begun / callers.length) % PROCESSES]}/catalog`
          begun += 1
          const [response] = await once(get(url, { agent: agents[place] }), 'response')
          response.resume()
          await once(response, 'end')
          const counted = statuses[place]
          counted?.set(response.statusCode, (counted.get(response.statusCode) ?? 0) + 1)
        }
      }),
    )
    for (const agent of agents) agent.destroy()
    // Only within one window can nothing have come free again.
    expect(performance.now() - begunAt).toBeLessThan(60_000)
    for (const counted of statuses) {
      expect(Object.fromEntries(counted)).toEqual({ 200: limit, 429: TAKES / callers.length - limit })
    }
    const redis = new Redis(server.url)
    const held = await Promise.all(
      callers.map((caller) => redis.hstrlen(`remit:{free:${caller}}`, 'globalRpm')),
    )
    redis.disconnect()
    // Eight bytes an admission.
    expect(held).toEqual(callers.map(() => 8 * limit))
  }, 120_000)
})

it('limits in one process are exact to the last unit, however many take at once', async () => {
  const counters = new MemoryCounters()
  // Between two takes others have their turn, as between requests.
  const taker = {
    take: async (...call: Parameters<MemoryCounters['take']>) => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      return counters.take(...call)
    },
    spent: () => undefined,
  }
  expectExact(await takeConcurrently(Array(CONNECTIONS).fill(taker), TAKES))
})
