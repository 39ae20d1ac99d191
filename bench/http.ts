import { setPriority } from 'node:os'
import { startDevnet } from '@remit/devchain/testing/startDevnet'
import { findProgram } from '@remit/testing/support/programs/installed'
import { startRedis } from '@remit/testing/support/stores/startRedis'
import { HalfLoad, type SteadyRound } from './halfLoad.ts'
import { type Asked, CONNECTIONS, Load } from './load.ts'
import { median, quantile } from './print.ts'
import { environmentAt, pin, type Route, Server, serversNode } from './server.ts'

// What the service makes of one core, beside a bare route of the same framework and beside Node's own server, which send
// the same bytes: status, headers and body. A third bare route sends the body and its ETag alone. Each is a process of its own
// on one core; the clients have another one, and give way there to the chain and to Redis. The service counts limits and
// writes its log. Rounds of all servers take turns, and ratios are of the same round. A process is compiled while it runs, and
// stays as fast or slow as that made it: so all servers are started anew several times.

const WARM_UP = 25_000
const REQUESTS = 2_000
/** The others of the round have used the core in between: its caches are another's. */
const UNCOUNTED = 1_500
/** How often all servers are started. */
const SITTINGS = 3
/** At half of the highest load: how many quiet rounds of each server are wanted in a sitting, and how many are tried for them. */
const QUIET_ROUNDS = 2
const MOST_STEADY_ROUNDS = 6
/** Where all servers stay. */
const CORE = 0
/** So few that the client of a store waits for it. */
const FEW_CONNECTIONS = 16
/** The clients never sleep. Redis shares their core, and is to answer as soon as it is asked, as on a core of its own. */
const CLIENTS_PRIORITY = 10

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

async function warmUp(server: Server, asked: Question, requests: number): Promise<void> {
  const load = await Load.open(server.port, asked.connections)
  await load.asFastAsPossible(asked, requests)
  load.close()
}

type Servers = Readonly<Record<string, Server>>

/** Asks all servers one after the other, again and again, so that each has the same neighbours. */
async function takeTurns(turns: number, servers: Servers, asked: Question): Promise<Record<string, Round>[]> {
  const all: Record<string, Round>[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    const one: Record<string, Round> = {}
    for (const [kind, server] of Object.entries(servers)) one[kind] = await round(server, asked)
    all.push(one)
  }
  return all
}

/** The same at half of each server's highest load, until each has had its quiet rounds. */
async function takeSteadyTurns(
  servers: Servers,
  asked: Question,
  halfLoad: HalfLoad,
): Promise<Record<string, SteadyRound[]>> {
  const all: Record<string, SteadyRound[]> = {}
  for (let turn = 0; turn < MOST_STEADY_ROUNDS; turn += 1) {
    for (const [kind, server] of Object.entries(servers)) {
      const own = all[kind] ?? []
      if (own.filter(({ isQuiet }) => isQuiet).length >= QUIET_ROUNDS) continue
      all[kind] = [...own, await halfLoad.round(server, asked, asked.connections)]
    }
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
  /** At half of the highest load. */
  readonly steady: readonly SteadyRound[]
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
  readonly steady: Record<string, SteadyRound[]>[]
}

function measuredOf(asked: string, server: string, { rounds, steady }: Turns): Measured {
  const all = rounds.flatMap(({ [server]: own, hono, 'hono, body alone': body }) =>
    own && hono && body ? [{ own, hono, body }] : [],
  )
  return {
    asked,
    server,
    rounds: all.map(({ own }) => own),
    steady: steady.flatMap(({ [server]: own }) => own ?? []),
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
  setPriority(CLIENTS_PRIORITY)
  // Once, because the keys in them open what the sitting before has left in the store.
  const inMemory = environmentAt(devnet, 'memory')
  const inRedis = redis && environmentAt(devnet, 'redis', { REDIS_URL: redis.url })
  const startService = (environment: Record<string, string>) =>
    Server.start({ kind: 'service', environment, routes: [] }, CORE)
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
  const halfLoad = await HalfLoad.start(CORE)
  let servers: Servers = {}
  let routes: readonly Route[] = []
  for (let sitting = 1; sitting <= SITTINGS; sitting += 1) {
    const service = await startService(inMemory)
    routes = await Promise.all(Object.values(paths).map((path) => fetched(service.port, path)))
    const bare = (kind: string, all: readonly Route[]) =>
      Server.start({ kind, environment: {}, routes: [...all] }, CORE)
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
      const turns = await takeTurns(rounds, servers, asked)
      const steady = await takeSteadyTurns(servers, asked, halfLoad)
      const before = asking.get(asked.name)
      asking.set(asked.name, {
        rounds: [...(before?.rounds ?? []), ...turns],
        steady: [...(before?.steady ?? []), steady],
      })
      tell(`${asked.name}: sitting ${sitting} of ${SITTINGS}`)
    }
    for (const server of Object.values(servers)) server.stop()
  }
  halfLoad.stop()
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
  'quiet rounds',
  'p99 of all',
]

/** A row below these headings: medians, and between which shares half of the rounds lie. */
export function httpRow(measured: Measured): string[] {
  const { asked, server, rounds, steady, shares, shareAtBest, sharesOfBody } = measured
  const share = (all: readonly number[]) =>
    `${median(all).toFixed(0)} % (${quantile(all, 0.25).toFixed(0)}–${quantile(all, 0.75).toFixed(0)})`
  const quiet = steady.filter(({ isQuiet }) => isQuiet)
  const time = (of: readonly SteadyRound[], place: number) =>
    median(of.map(({ quantiles }) => quantiles[place] ?? Number.NaN)).toFixed(1)
  return [
    asked,
    server,
    share(shares),
    `${shareAtBest.toFixed(0)} %`,
    share(sharesOfBody),
    median(rounds.map(({ perSecond }) => perSecond)).toFixed(0),
    median(rounds.map(({ processorMicros }) => processorMicros)).toFixed(0),
    quiet.length === 0 ? '–' : [0, 1, 2].map((place) => time(quiet, place)).join(' '),
    `${quiet.length} of ${steady.length}`,
    time(steady, 2),
  ]
}

/** How it was measured, for below the table. */
export function httpNote(rounds: number, lengths: readonly number[]): string {
  return (
    `${SITTINGS} sittings of ${rounds} rounds of ${REQUESTS} requests each over ${CONNECTIONS} connections, bodies of ${lengths.join(', ')} bytes; ` +
    `times at half of what each server could do just before, of quiet rounds: those in which a bare server on the same core, ` +
    `asked at the same time, was never late, so that nobody took the core away. The service is the bundle that ships; all servers run on Node ` +
    `${serversNode()}.`
  )
}
