import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { Redis } from 'ioredis'
import { Identities } from '../src/access/identity/Identities.ts'
import { hashOf, mintKey } from '../src/access/keys/apiKey.ts'
import { LiveKeys } from '../src/access/keys/LiveKeys.ts'
import { type OpenLimits, openLimits } from '../src/access/limits/openLimits.ts'
import { reader } from '../src/configuration/reader.ts'
import { multipliedLimits, readLimits } from '../src/configuration/readLimits.ts'
import { type Credentials, type Identity, unmetered } from '../src/core/ports/access.ts'
import { startServer } from '../src/surfaces/server/server.ts'
import { smallApp } from '../test/support/app/smallApp.ts'
import { findProgram } from '../test/support/programs/installed.ts'
import { startRedis } from '../test/support/stores/startRedis.ts'

// The cost of looking up a key's owner and charging for a write. First alone: in memory and in Redis, compared with a
// bare round trip to Redis. Then within a request whose handler does almost nothing, compared with a service without
// limits.

const RUNS = 7
const CHARGES = 4_000
const CALLERS = 500
const REQUESTS = 4_000
const CONNECTIONS = 16

const quiet = { info() {}, warn() {}, error() {} }
// Limits that are never reached: an admitted request costs the most.
const config = readLimits(reader(multipliedLimits(100_000)))

function open(redisUrl: string | undefined): Promise<OpenLimits> {
  const keys = { portalUrl: () => undefined, developerKeysEnabled: false, asksBasicAuth: false }
  return openLimits({ ...config, ...keys, redisUrl, graceMs: 30_000, log: quiet })
}

/** Serves in a process of its own, so that the client's work does not count, and reports its processor time. */
async function serve(kind: string, redisUrl: string | undefined): Promise<void> {
  const charging = kind === 'bare' ? unmetered : (await open(redisUrl)).limits
  let asked = 0
  // Each request comes from another caller.
  const identify = async (): Promise<Identity> => ({ lane: 'free', id: `caller-${asked++ % CALLERS}` })
  const { app } = smallApp({ charging, identities: { identify } })
  const { url } = await startServer({ fetch: app.fetch, refuse: app.refuse, host: '127.0.0.1', port: 0 })
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.(user + system)
  })
  process.send?.(url)
}

async function startServing(kind: string, redisUrl = '') {
  const child = fork(import.meta.filename, ['serve', kind, redisUrl])
  const [url] = await once(child, 'message')
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

  async function processorMicros(): Promise<number> {
    child.send('how long')
    const [micros] = await once(child, 'message')
    return Number(micros)
  }

  async function request(): Promise<void> {
    const [response] = await once(get(`${url}/catalog`, { agent }), 'response')
    if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`)
    response.resume()
    await once(response, 'end')
  }

  return {
    stop() {
      agent.destroy()
      child.kill()
    },
    /** Microseconds for one request: processor time of the service under load, and time until the answer without load. */
    async run(): Promise<Cost> {
      const begun = await processorMicros()
      let sent = 0
      await Promise.all(
        Array.from({ length: CONNECTIONS }, async () => {
          while (sent < REQUESTS) {
            sent += 1
            await request()
          }
        }),
      )
      const processor = ((await processorMicros()) - begun) / REQUESTS
      return { processor, latency: await medianOf(request) }
    },
  }
}

/** The median time of one call in microseconds, over many calls in a row. */
async function medianOf(work: (turn: number) => Promise<unknown>): Promise<number> {
  const micros: number[] = []
  for (let turn = 0; turn < CHARGES; turn += 1) {
    const begun = performance.now()
    await work(turn)
    micros.push((performance.now() - begun) * 1000)
  }
  return middle(micros)
}

/** Callers with one key each. The store answers at once, so that it does not count. */
function keyed(limits: OpenLimits['limits']) {
  const tokens = Array.from({ length: CALLERS }, mintKey)
  const rows = new Map(
    tokens.map((token, place) => {
      const hash = hashOf(token)
      const id = `key-${place}`
      return [hash, { id, account: id, subject_id: 'ada', hash, expires_at: null, revoked_at: null, now: 0 }]
    }),
  )
  const identities = new Identities({
    keys: new LiveKeys({ find: async (hash) => rows.get(hash), graceMs: 0 }),
    adminSecret: undefined,
    basicAuth: undefined,
    trustedProxies: [],
    authFailures: limits,
    log: quiet,
  })
  const shown: readonly Credentials[] = tokens.map((token) => {
    const headers = new Headers({ Authorization: `Bearer ${token}` })
    return { remoteAddress: '192.0.2.1', method: 'GET', header: (name) => headers.get(name) ?? undefined }
  })
  return { identities, shown }
}

/** Checks the minute's total and charges all four buckets of a write. */
async function charge({ limits }: OpenLimits, identity: Identity): Promise<void> {
  await limits.admit(identity)
  await limits.take(identity, 'metered', ['write'])
}

/** Charges known callers. */
function chargeAlone(counting: OpenLimits): (turn: number) => Promise<void> {
  const callers = Array.from(
    { length: CALLERS },
    (_, place): Identity => ({ lane: 'developer', id: `known-${place}` }),
  )
  return async (turn) => {
    const identity = callers[turn % CALLERS]
    if (identity === undefined) throw new Error('there is no such caller')
    await charge(counting, identity)
  }
}

/** Looks up the key and charges, as a request does. */
function identifyAndCharge(counting: OpenLimits): (turn: number) => Promise<void> {
  const { identities, shown } = keyed(counting.limits)
  return async (turn) => {
    const credentials = shown[turn % CALLERS]
    if (credentials === undefined) throw new Error('there is no such caller')
    await charge(counting, await identities.identify(credentials))
  }
}

interface Cost {
  readonly processor: number
  readonly latency: number
}

interface Pair {
  readonly memory: number
  readonly redis: number
}

async function medians(of: {
  memory(turn: number): Promise<void>
  redis(turn: number): Promise<void>
}): Promise<Pair> {
  return { memory: await medianOf(of.memory), redis: await medianOf(of.redis) }
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
  const alone = { memory: chargeAlone(inMemory), redis: chargeAlone(inRedis) }
  const whole = { memory: identifyAndCharge(inMemory), redis: identifyAndCharge(inRedis) }
  const services = [
    await startServing('bare'),
    await startServing('memory'),
    await startServing('redis', server.url),
  ] as const
  const rows: { alone: Pair; whole: Pair; roundTrip: number; services: Cost[] }[] = []
  // The first run warms up and does not count.
  for (let run = 0; run <= RUNS; run += 1) {
    const roundTrip = await medianOf(() => redis.ping())
    const row = {
      roundTrip,
      alone: await medians(alone),
      whole: await medians(whole),
      services: [] as Cost[],
    }
    for (const service of services) row.services.push(await service.run())
    if (run > 0) rows.push(row)
  }
  const each = (of: (row: (typeof rows)[number]) => number, digits: number) => spread(rows.map(of), digits)
  const cost = (of: keyof Cost, place: number) =>
    each(({ services: costs }) => (costs[place]?.[of] ?? 0) / (costs[0]?.[of] ?? 1), 2)
  process.stdout.write(
    `Four buckets, median of ${CHARGES} in each of ${RUNS} interleaved runs, and range\n` +
      `  charge, in memory:                            ${each((row) => row.alone.memory, 1)} µs\n` +
      `  identify by key and charge, in memory:        ${each((row) => row.whole.memory, 1)} µs\n` +
      `  a bare round trip to Redis on loopback:       ${each((row) => row.roundTrip, 0)} µs\n` +
      `  charge, in Redis, beyond that:                ${each((row) => row.alone.redis - row.roundTrip, 0)} µs\n` +
      `  identify by key and charge, beyond that:      ${each((row) => row.whole.redis - row.roundTrip, 0)} µs\n` +
      'A request over sockets, beside the same service without limits: latency, and the service’s processor time\n' +
      `  counted in memory:                            × ${cost('latency', 1)}, × ${cost('processor', 1)}\n` +
      `  counted in Redis:                             × ${cost('latency', 2)}, × ${cost('processor', 2)}\n` +
      `  which take, without limits:                   ${each((row) => row.services[0]?.latency ?? 0, 0)} µs, ${each((row) => row.services[0]?.processor ?? 0, 0)} µs\n`,
  )
  for (const service of services) service.stop()
  inRedis.close()
  redis.disconnect()
  await server.remove()
}

const [command, kind = '', redisUrl] = process.argv.slice(2)
if (command === 'serve') await serve(kind, redisUrl || undefined)
else await measure()
