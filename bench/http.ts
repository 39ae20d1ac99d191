import { startDevnet } from '../devnet/startDevnet.ts'
import { findProgram } from '../test/support/programs/installed.ts'
import { startRedis } from '../test/support/stores/startRedis.ts'
import { type Asked, CONNECTIONS, Load } from './load.ts'
import { machine, median, quantile, table } from './print.ts'
import { environmentAt, pin, type Route, Server, serversNode } from './server.ts'

// What the service makes of one core, beside a bare route of the same framework and beside Node's own server, which send
// the same bytes: status, headers and body. A third bare route sends the body and its ETag alone. Each is a process of its own
// on one core; the clients have another one. The service counts limits and writes its log. Rounds of all servers take turns,
// and ratios are of the same round. A process is compiled while it runs, and stays as fast or slow as that made it: so all
// servers are started anew several times.

const WARM_UP = 25_000
const REQUESTS = 2_000
/** The others of the round have used the core in between: its caches are another's. */
const UNCOUNTED = 1_500
const SHARE_OF_HIGHEST = 0.5
/** In each sitting. */
const STEADY_ROUNDS = 3
const STEADY_MS = 800
/** How often all servers are started. */
const SITTINGS = 3

/** At the highest load, all of these wait for the same round trip to Redis. At half of it they are enough. */
const FEW_CONNECTIONS = 16

interface Question extends Asked {
  readonly name: string
  readonly connections?: number
}

interface Round {
  readonly perSecond: number
  readonly processorMicros: number
}

async function round(server: Server, asked: Question): Promise<Round> {
  const load = await Load.open(server.port, asked.connections)
  await load.asFastAsPossible(asked, UNCOUNTED)
  const before = await server.processorMicros()
  const perSecond = await load.asFastAsPossible(asked, REQUESTS)
  const processorMicros = ((await server.processorMicros()) - before) / REQUESTS
  load.close()
  return { perSecond, processorMicros }
}

/** @returns the times of the median answer, the 95th and the 99th of a hundred, in milliseconds */
async function steadyRound(server: Server, asked: Asked, perSecond: number): Promise<number[]> {
  const load = await Load.open(server.port, FEW_CONNECTIONS)
  const times = await load.atRate(asked, perSecond, STEADY_MS)
  load.close()
  return [0.5, 0.95, 0.99].map((share) => quantile(times, share))
}

async function warmUp(server: Server, asked: Question, requests: number): Promise<void> {
  const load = await Load.open(server.port, asked.connections)
  await load.asFastAsPossible(asked, requests)
  load.close()
}

/** Asks all servers one after the other, again and again, so that each has the same neighbours. */
async function takeTurns<T>(
  turns: number,
  servers: Readonly<Record<string, Server>>,
  ask: (server: Server, kind: string) => Promise<T>,
): Promise<Record<string, T>[]> {
  const all: Record<string, T>[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    const one: Record<string, T> = {}
    for (const [kind, server] of Object.entries(servers)) one[kind] = await ask(server, kind)
    all.push(one)
  }
  return all
}

function leastMicros(turns: readonly Record<string, Round>[], kind: string): number {
  return Math.min(...turns.map(({ [kind]: own }) => own?.processorMicros ?? Number.NaN))
}

const JSON_HEADERS = { Accept: 'application/json' }

/** What one server makes of one question, in all rounds. */
export interface Measured {
  readonly asked: string
  readonly server: string
  readonly rounds: readonly Round[]
  /** At a share of the highest load. */
  readonly quantiles: readonly (readonly number[])[]
  /** Of what the bare route with the same bytes makes in the same round, in percent. */
  readonly shares: readonly number[]
  /** The same by the least processor time of all rounds, which hardly depends on what else the machine does. */
  readonly shareAtBest: number
  /** Of what it makes without the service's headers. */
  readonly sharesOfBody: readonly number[]
}

/** Headers that Node adds, or that belong to one status. */
const OWN_HEADERS = new Set(['connection', 'content-length', 'content-type', 'date', 'keep-alive'])

/** What all servers made of one question, round by round. */
interface Turns {
  readonly rounds: Record<string, Round>[]
  readonly quantiles: Record<string, number[]>[]
}

function measuredOf(asked: string, server: string, { rounds, quantiles }: Turns): Measured {
  const all = rounds.flatMap(({ [server]: own, hono, 'hono, body alone': body }) =>
    own && hono && body ? [{ own, hono, body }] : [],
  )
  return {
    asked,
    server,
    rounds: all.map(({ own }) => own),
    quantiles: quantiles.map(({ [server]: own }) => own ?? []),
    shareAtBest: (100 * leastMicros(rounds, 'hono')) / leastMicros(rounds, server),
    shares: all.map(({ own, hono }) => (100 * own.perSecond) / hono.perSecond),
    sharesOfBody: all.map(({ own, body }) => (100 * own.perSecond) / body.perSecond),
  }
}

/**
 * @param rounds of each sitting
 * @param share of the requests that warm servers up that are made
 * @param tell is told how far it is: the whole takes minutes
 */
export async function measureHttp(
  rounds: number,
  share: number,
  tell: (line: string) => void,
): Promise<{ readonly measured: readonly Measured[]; readonly lengths: readonly number[] }> {
  pin(process.pid, 1)
  const devnet = await startDevnet({ port: 0 })
  const redisProgram = findProgram('redis-server')
  const redis = redisProgram === undefined ? undefined : await startRedis(redisProgram)
  // Once, because the keys in them open what the sitting before has left in the store.
  const inMemory = environmentAt(devnet, 'memory')
  const inRedis = redis && environmentAt(devnet, 'redis', { REDIS_URL: redis.url })
  const startService = (environment: Record<string, string>) =>
    Server.start({ kind: 'service', environment, routes: [] }, 0)
  const { id } = devnet.cast.newsMonthly
  const paths = {
    'a read': `/subscriptions/${id}`,
    search: '/subscriptions',
    history: `/subscriptions/${id}/history`,
  }
  const fetched = async (port: number, path: string): Promise<Route> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: JSON_HEADERS })
    const body = await response.text()
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${body}`)
    const headers = Object.fromEntries([...response.headers].filter(([name]) => !OWN_HEADERS.has(name)))
    return { path, body, etag: response.headers.get('etag') ?? '', headers }
  }

  const asking = new Map<string, Turns>()
  let servers: Readonly<Record<string, Server>> = {}
  let routes: readonly Route[] = []
  for (let sitting = 1; sitting <= SITTINGS; sitting += 1) {
    const service = await startService(inMemory)
    routes = await Promise.all(Object.values(paths).map((path) => fetched(service.port, path)))
    const bare = (kind: string, all: readonly Route[]) =>
      Server.start({ kind, environment: {}, routes: [...all] }, 0)
    const bodies = routes.map((route) => ({ ...route, headers: { ETag: route.etag } }))
    servers = {
      service,
      ...(inRedis && { redis: await startService(inRedis) }),
      hono: await bare('hono', routes),
      node: await bare('node', routes),
      'hono, body alone': await bare('hono', bodies),
    }
    for (const asked of questionsOf(paths, routes[0]?.etag ?? '')) {
      // Until compilers have seen it.
      for (const server of Object.values(servers)) await warmUp(server, asked, WARM_UP * share)
      const turns = await takeTurns(rounds, servers, (server) => round(server, asked))
      const steady = await takeTurns(STEADY_ROUNDS, servers, (server, kind) => {
        const highest = median(turns.map(({ [kind]: own }) => own?.perSecond ?? Number.NaN))
        return steadyRound(server, asked, highest * SHARE_OF_HIGHEST)
      })
      const before = asking.get(asked.name)
      asking.set(asked.name, {
        rounds: [...(before?.rounds ?? []), ...turns],
        quantiles: [...(before?.quantiles ?? []), ...steady],
      })
      tell(`${asked.name}: sitting ${sitting} of ${SITTINGS}`)
    }
    for (const server of Object.values(servers)) server.stop()
  }
  await redis?.remove()
  await devnet.stop()
  const measured = [...asking].flatMap(([asked, turns]) =>
    Object.keys(servers).map((server) => measuredOf(asked, server, turns)),
  )
  return { measured, lengths: routes.map(({ body }) => body.length) }
}

function questionsOf(paths: Readonly<Record<'a read', string>>, etag: string): readonly Question[] {
  const asked = { headers: JSON_HEADERS, status: 200 }
  const read = { ...asked, path: paths['a read'] }
  return [
    ...Object.entries(paths).map(([name, path]) => ({ ...asked, name, path })),
    { ...read, name: '304 of the read', headers: { ...JSON_HEADERS, 'If-None-Match': etag }, status: 304 },
    { ...read, name: `a read, ${FEW_CONNECTIONS} connections`, connections: FEW_CONNECTIONS },
  ]
}

export const HTTP_HEADINGS = [
  'asked',
  'server',
  'of the same bytes',
  'by least processor time',
  'of the body alone',
  'requests/s',
  'processor µs',
  'p50 p95 p99, ms',
]

/** A row below these headings: medians, and between which shares half of the rounds lie. */
export function httpRow(measured: Measured): string[] {
  const { asked, server, rounds, quantiles, shares, shareAtBest, sharesOfBody } = measured
  const share = (all: readonly number[]) =>
    `${median(all).toFixed(0)} % (${quantile(all, 0.25).toFixed(0)}–${quantile(all, 0.75).toFixed(0)})`
  const time = (place: number) => median(quantiles.map((times) => times[place] ?? Number.NaN)).toFixed(1)
  return [
    asked,
    server,
    share(shares),
    `${shareAtBest.toFixed(0)} %`,
    share(sharesOfBody),
    median(rounds.map(({ perSecond }) => perSecond)).toFixed(0),
    median(rounds.map(({ processorMicros }) => processorMicros)).toFixed(0),
    [0, 1, 2].map(time).join(' '),
  ]
}

/** How it was measured, for below the table. */
export function httpNote(rounds: number, lengths: readonly number[]): string {
  return (
    `${SITTINGS} sittings of ${rounds} rounds of ${REQUESTS} requests each over ${CONNECTIONS} connections, bodies of ${lengths.join(', ')} bytes; ` +
    `times at half of each server's highest load over ${FEW_CONNECTIONS} connections, in ${STEADY_ROUNDS} rounds of each sitting. The service is the bundle that ships; all servers run on Node ` +
    `${serversNode()}.`
  )
}

if (import.meta.filename === process.argv[1]) {
  const rounds = Number(process.argv[2] ?? 8)
  const { measured, lengths } = await measureHttp(rounds, 1, (line) => process.stderr.write(`${line}\n`))
  process.stdout.write(
    `${machine()}\n${httpNote(rounds, lengths)}\n\n${table(HTTP_HEADINGS, measured.map(httpRow))}\n`,
  )
}
