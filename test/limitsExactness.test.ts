import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { useTestChain } from './support/chain/useTestChain.ts'
import { expectExact } from './support/limits/limitsCrowd.ts'
import { runBundled } from './support/programs/program.ts'
import { useBundle } from './support/programs/useBundle.ts'
import { trials } from './support/runner/trials.ts'
import { postgresIsInstalled, usePostgres } from './support/stores/postgres.ts'
import { redisIsInstalled, useRedis } from './support/stores/useRedis.ts'

const PROCESSES = 3
const CONNECTIONS = 64
const TAKES = trials({ short: 5_000, nightly: 20_000 })
/** So many that they fit into one minute on a busy machine: only there can nothing have come free again. */
const REQUESTS = trials({ short: 1_600, nightly: 12_000 })
const REQUESTS_TO_THE_REST = trials({ short: 1_600, nightly: 8_000 })
const LIMIT = trials({ short: 250, nightly: 500 })
const ADMIN_SECRET = 'the-secret-of-the-operator'

const Issued = z.object({ id: z.string(), token: z.string() })
const Decisions = z.array(z.tuple([z.string(), z.boolean(), z.number()]))

/** As even shares as there can be. */
const shares = (whole: number) =>
  Array.from({ length: PROCESSES }, (_, place) => Math.floor((whole + place) / PROCESSES))

const chain = await useTestChain()

describe.skipIf(!redisIsInstalled || !postgresIsInstalled)('limits that processes share', () => {
  const server = useRedis()
  const postgres = usePostgres()

  it('are exact to the last unit, by Redis’ own clock, however many take at once', async () => {
    const takes = shares(TAKES)
    const takeMany = await useBundle('test/support/limits/takeMany.ts')
    const workers = shares(CONNECTIONS).map((connections, place) =>
      runBundled(takeMany, [server.url, ...[PROCESSES, connections, takes[place]].map(String)]),
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

  it('are exact over HTTP by all processes together, and kept, with keys, where one of them is killed under load', async () => {
    const { programs, urls, callers, others, revoked } = await startReplicas()
    const begunAt = performance.now()
    const statuses = await ask(callers, REQUESTS, (place) => urls[place % PROCESSES])
    expect(performance.now() - begunAt).toBeLessThan(60_000)
    for (const counted of statuses) {
      expect(counted).toEqual({ 200: LIMIT, 429: REQUESTS / callers.length - LIMIT })
    }
    expect(await admissions(callers)).toEqual(callers.map(() => LIMIT))

    const begunAgainAt = performance.now()
    let killed = false
    const afterwards = await ask(others, REQUESTS_TO_THE_REST, (place, begun) => {
      if (!killed && begun > 600) {
        killed = true
        programs[0]?.process.kill('SIGKILL')
      }
      return urls[killed ? 1 + (place % (PROCESSES - 1)) : place % PROCESSES]
    })
    expect(performance.now() - begunAgainAt).toBeLessThan(60_000)
    for (const { 200: admitted = 0, 429: refused = 0, lost = 0, ...unexpected } of afterwards) {
      expect(unexpected).toEqual({})
      expect(refused).toBeGreaterThan(0)
      // What was in flight to the dead process may have been admitted, and was never answered.
      expect(admitted).toBeLessThanOrEqual(LIMIT)
      expect(admitted + lost).toBeGreaterThanOrEqual(LIMIT)
    }
    expect(await admissions(others)).toEqual(others.map(() => LIMIT))
    const [status] = await ask([revoked], 1, () => urls[1])
    expect(status).toEqual({ 401: 1 })
  }, 180_000)

  /** Three replicas over one Redis and one Postgres, and twice four callers of both lanes. */
  async function startReplicas() {
    const main = await useBundle('packages/service/src/main.ts')
    const databaseUrl = await postgres.createDatabase()
    const programs = Array.from({ length: PROCESSES }, () =>
      runBundled(main, [], {
        HOST: '127.0.0.1',
        PORT: '0',
        DATABASE_URL: databaseUrl,
        [`INDEX_${chain.chainId}`]: 'off',
        REDIS_URL: server.url,
        LOG_LEVEL: 'warn',
        DEVELOPER_KEYS_ADMIN_SECRET: ADMIN_SECRET,
        DEFAULT_REST_CHAIN_ID: String(chain.chainId),
        [`RPC_URL_${chain.chainId}`]: chain.url,
        [`CONTRACT_ADDRESS_${chain.chainId}`]: chain.contract,
        LIMIT_FREE_GLOBAL_RPM: String(LIMIT),
        LIMIT_DEVELOPER_GLOBAL_RPM: String(LIMIT),
        LIMIT_FREE_DAILY_TOTAL_REQUESTS: '1000000',
        LIMIT_DEVELOPER_DAILY_TOTAL_REQUESTS: '1000000',
      }),
    )
    const urls = await Promise.all(
      programs.map(async (program) => (await program.says(/REST (\S+),/, 60_000))[1] ?? ''),
    )
    const key = async (subjectId: string): Promise<Caller> => {
      const { id, token } = Issued.parse(await manage(`${urls[0]}/developer/keys`, 'POST', { subjectId }))
      return { name: `developer:${id}`, address: '127.0.0.9', headers: { Authorization: `Bearer ${token}` } }
    }
    const revoked = await key('gone')
    await manage(`${urls[0]}/developer/keys/${revoked.name.split(':')[1]}`, 'DELETE')
    const free = (address: string): Caller => ({ name: `free:${address}`, address, headers: {} })
    const callers = [free('127.0.0.2'), free('127.0.0.3'), await key('one'), await key('two')]
    const others = [free('127.0.0.4'), free('127.0.0.5'), await key('three'), await key('four')]
    return { programs, urls, callers, others, revoked }
  }

  /** How many admissions of the last minute Redis holds of each caller. */
  async function admissions(callers: readonly Caller[]): Promise<number[]> {
    const redis = new Redis(server.url)
    // Eight bytes an admission.
    const held = await Promise.all(callers.map(({ name }) => redis.hstrlen(`remit:{${name}}`, 'globalRpm')))
    redis.disconnect()
    return held.map((bytes) => bytes / 8)
  }
})

interface Caller {
  /** As its counters are named. */
  readonly name: string
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
}

async function manage(url: string, method: string, body?: object): Promise<unknown> {
  const headers = { Authorization: `Bearer ${ADMIN_SECRET}`, 'Content-Type': 'application/json' }
  const response = await fetch(url, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
  return response.json()
}

/** Asks over all connections at once. Returns how often each caller got each status; `lost` is no answer. */
async function ask(
  callers: readonly Caller[],
  requests: number,
  urlOf: (place: number, begun: number) => string | undefined,
): Promise<Record<string, number>[]> {
  const agents = callers.map(
    ({ address }) => new Agent({ keepAlive: true, localAddress: address, maxSockets: CONNECTIONS }),
  )
  const statuses = callers.map(() => new Map<string, number>())
  let begun = 0
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (begun < requests) {
        const place = begun % callers.length
        const url = `${urlOf(Math.floor(begun / callers.length), begun)}/catalog`
        begun += 1
        const headers = callers[place]?.headers ?? {}
        const status = await statusOf(url, { agent: agents[place], headers }).catch(() => 'lost')
        const counted = statuses[place]
        counted?.set(status, (counted.get(status) ?? 0) + 1)
      }
    }),
  )
  for (const agent of agents) agent.destroy()
  return statuses.map((counted) => Object.fromEntries(counted))
}

async function statusOf(url: string, options: Parameters<typeof get>[1]): Promise<string> {
  const [response] = await once(get(url, options), 'response')
  response.resume()
  await once(response, 'end')
  return String(response.statusCode)
}
