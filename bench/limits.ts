import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { Redis } from 'ioredis'
import { Identities } from '../src/access/identity/Identities.ts'
import { hashOf, mintKey } from '../src/access/keys/apiKey.ts'
import { LiveKeys } from '../src/access/keys/LiveKeys.ts'
import { multipliedLimits, readLimits } from '../src/access/limits/laneLimits.ts'
import { type OpenLimits, openLimits } from '../src/access/limits/openLimits.ts'
import { type Credentials, unmetered } from '../src/core/access.ts'
import { startServer } from '../src/surfaces/http/server.ts'
import { findProgram } from '../test/support/installed.ts'
import { startRedis } from '../test/support/redisServer.ts'
import { smallApp } from '../test/support/smallApp.ts'

// What it costs to know a key's owner and to charge for a write: alone, in memory and in Redis beside a bare round
// trip to it, and as a part of a request whose handler does next to nothing, beside the same service without limits.

const RUNS = 7
const CHARGES = 4_000
const CALLERS = 200
const REQUESTS = 4_000
const CONNECTIONS = 16

const quiet = { info() {}, warn() {}, error() {} }
// Out of reach: what is admitted costs the most.
const multiplied = multipliedLimits(100_000)
const config = readLimits((variable, fallback) => Number(multiplied[variable] ?? fallback))

function open(redisUrl: string | undefined): Promise<OpenLimits> {
  const keys = { portalUrl: undefined, developerKeysEnabled: false }
  return openLimits({ ...config, ...keys, redisUrl, graceMs: 30_000, log: quiet })
}

/** Serves in a process of its own, so that the client's work does not count. */
async function serve(kind: string, redisUrl: string | undefined): Promise<void> {
  const charging = kind === 'bare' ? unmetered : (await open(redisUrl)).limits
  const { app } = smallApp({ charging })
  const { url } = await startServer({ fetch: app.fetch, refuse: app.refuse, host: '127.0.0.1', port: 0 })
  process.send?.(url)
}

async function startServing(kind: string, redisUrl = '') {
  const child = fork(import.meta.filename, ['serve', kind, redisUrl])
  const [url] = await once(child, 'message')
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  return {
    stop() {
      agent.destroy()
      child.kill()
    },
    /** Milliseconds for all requests. */
    async run(): Promise<number> {
      const begun = performance.now()
      let sent = 0
      await Promise.all(
        Array.from({ length: CONNECTIONS }, async () => {
          while (sent < REQUESTS) {
            sent += 1
            const [response] = await once(get(`${url}/catalog`, { agent }), 'response')
            if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`)
            response.resume()
            await once(response, 'end')
          }
        }),
      )
      return performance.now() - begun
    },
  }
}

/** The median microseconds of one, over many that follow each other. */
async function medianOf(work: (turn: number) => Promise<unknown>): Promise<number> {
  const micros: number[] = []
  for (let turn = 0; turn < CHARGES; turn += 1) {
    const begun = performance.now()
    await work(turn)
    micros.push((performance.now() - begun) * 1000)
  }
  return middle(micros)
}

/** Callers with a key each, as requests show them; the store answers at once, so that it does not count. */
function keyed(limits: OpenLimits['limits']) {
  const tokens = Array.from({ length: CALLERS }, mintKey)
  const rows = new Map(
    tokens.map((token, place) => {
      const hash = hashOf(token)
      return [hash, { id: `key-${place}`, hash, expires_at: null, revoked_at: null }]
    }),
  )
  const identities = new Identities({
    keys: new LiveKeys({ find: async (hash) => rows.get(hash) }),
    adminSecret: undefined,
    basicAuth: undefined,
    trustedProxies: [],
    authFailures: limits,
    log: quiet,
  })
  const shown: readonly Credentials[] = tokens.map((token) => {
    const headers = new Headers({ Authorization: `Bearer ${token}` })
    return { remoteAddress: '192.0.2.1', header: (name) => headers.get(name) ?? undefined }
  })
  return { identities, shown }
}

/** As a request does it: who is it, is the minute spent, take all buckets of a write. */
function identifyAndCharge({ limits }: OpenLimits): (turn: number) => Promise<void> {
  const { identities, shown } = keyed(limits)
  return async (turn) => {
    const credentials = shown[turn % CALLERS]
    if (credentials === undefined) throw new Error('there is no such caller')
    const identity = await identities.identify(credentials)
    await limits.admit(identity)
    await limits.take(identity, 'metered', ['write'])
  }
}

const middle = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

function spread(values: readonly number[], digits: number): string {
  const [least = 0, most = 0] = [Math.min(...values), Math.max(...values)]
  return `${middle(values).toFixed(digits)} (${least.toFixed(digits)} to ${most.toFixed(digits)})`
}

async function measure(): Promise<void> {
  const program = findProgram('redis-server')
  if (program === undefined) throw new Error('redis-server is not installed')
  const server = await startRedis(program)
  const redis = new Redis(server.url)
  const [inMemory, inRedis] = [await open(undefined), await open(server.url)]
  const [chargeInMemory, chargeInRedis] = [identifyAndCharge(inMemory), identifyAndCharge(inRedis)]
  const services = [
    await startServing('bare'),
    await startServing('memory'),
    await startServing('redis', server.url),
  ] as const
  const rows: { memory: number; redis: number; roundTrip: number; times: number[] }[] = []
  // The first run warms everything up and does not count.
  for (let run = 0; run <= RUNS; run += 1) {
    const memory = await medianOf(chargeInMemory)
    const roundTrip = await medianOf(() => redis.ping())
    const charged = await medianOf(chargeInRedis)
    const times: number[] = []
    for (const service of services) times.push(await service.run())
    if (run > 0) rows.push({ memory, redis: charged, roundTrip, times })
  }
  const beside = (place: number) => rows.map(({ times }) => (times[place] ?? 0) / (times[0] ?? 1))
  process.stdout.write(
    `Identify by key and charge four buckets, median of ${CHARGES} in each of ${RUNS} interleaved runs, and range\n` +
      `  in memory:                                    ${spread(
        rows.map(({ memory }) => memory),
        1,
      )} µs\n` +
      `  a bare round trip to Redis on loopback:       ${spread(
        rows.map(({ roundTrip }) => roundTrip),
        0,
      )} µs\n` +
      `  in Redis, beyond that round trip:             ${spread(
        rows.map((row) => row.redis - row.roundTrip),
        0,
      )} µs\n` +
      `${REQUESTS} requests over ${CONNECTIONS} connections, beside the same service without limits\n` +
      `  counted in memory:                            × ${spread(beside(1), 2)}\n` +
      `  counted in Redis:                             × ${spread(beside(2), 2)}\n`,
  )
  for (const service of services) service.stop()
  inRedis.close()
  redis.disconnect()
  await server.remove()
}

const [command, kind = '', redisUrl] = process.argv.slice(2)
if (command === 'serve') await serve(kind, redisUrl || undefined)
else await measure()
