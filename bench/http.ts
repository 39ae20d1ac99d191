import { startDevnet } from '../devnet/startDevnet.ts'
import { findProgram } from '../test/support/programs/installed.ts'
import { startRedis } from '../test/support/stores/startRedis.ts'
import { type Asked, CONNECTIONS, Load } from './load.ts'
import { machine, median, quantile, table } from './print.ts'
import { environmentAt, pin, type Route, Server, serversNode } from './server.ts'

// What the service makes of one core, beside a bare route of the same framework and beside Node's own server, which send
// the same bytes: status, headers and body. A third bare route sends the body and its ETag alone. Each is a process of its own
// on one core; the clients have another one. The service counts limits and writes its log. Rounds of all servers take turns,
// and ratios are of the same round.

const WARM_UP = 8_000
const REQUESTS = 2_000
/** The others of the round have used the core in between: its caches are another's. */
const UNCOUNTED = 1_500
const SHARE_OF_HIGHEST = 0.5
const STEADY_ROUNDS = 5
const STEADY_MS = 800

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

/**
 * @param share of the requests that warm servers up that are made
 * @param onMeasured is told of each as it comes: the whole takes minutes
 */
export async function measureHttp(
  rounds: number,
  share = 1,
  onMeasured: (measured: Measured) => void = () => {},
): Promise<{ readonly measured: readonly Measured[]; readonly lengths: readonly number[] }> {
  pin(process.pid, 1)
  const devnet = await startDevnet({ port: 0 })
  const redisProgram = findProgram('redis-server')
  const redis = redisProgram === undefined ? undefined : await startRedis(redisProgram)
  const startService = (name: string, more: Record<string, string>) =>
    Server.start({ kind: 'service', environment: environmentAt(devnet, name, more), routes: [] }, 0)
  const service = await startService('memory', {})
  const { id } = devnet.cast.newsMonthly
  const paths = {
    'a read': `/subscriptions/${id}`,
    search: '/subscriptions',
    history: `/subscriptions/${id}/history`,
  }
  const fetched = async (path: string): Promise<Route> => {
    const response = await fetch(`http://127.0.0.1:${service.port}${path}`, { headers: JSON_HEADERS })
    const body = await response.text()
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${body}`)
    const headers = Object.fromEntries([...response.headers].filter(([name]) => !OWN_HEADERS.has(name)))
    return { path, body, etag: response.headers.get('etag') ?? '', headers }
  }
  const routes = await Promise.all(Object.values(paths).map(fetched))
  const same = { environment: {}, routes }
  const bodies = {
    environment: {},
    routes: routes.map((route) => ({ ...route, headers: { ETag: route.etag } })),
  }
  const servers = {
    service,
    ...(redis && { redis: await startService('redis', { REDIS_URL: redis.url }) }),
    hono: await Server.start({ kind: 'hono', ...same }, 0),
    node: await Server.start({ kind: 'node', ...same }, 0),
    'hono, body alone': await Server.start({ kind: 'hono', ...bodies }, 0),
  }

  const questions: Question[] = Object.entries(paths).map(([name, path]) => ({
    name,
    path,
    headers: JSON_HEADERS,
    status: 200,
  }))
  const read = { path: paths['a read'], headers: JSON_HEADERS, status: 200 }
  const etag = routes[0]?.etag ?? ''
  questions.push(
    { ...read, name: '304 of the read', headers: { ...JSON_HEADERS, 'If-None-Match': etag }, status: 304 },
    { ...read, name: `a read, ${FEW_CONNECTIONS} connections`, connections: FEW_CONNECTIONS },
  )

  const measured: Measured[] = []
  for (const asked of questions) {
    // Until compilers have seen it.
    for (const server of Object.values(servers)) await warmUp(server, asked, WARM_UP * share)
    const turns = await takeTurns(rounds, servers, (server) => round(server, asked))
    const steady = await takeTurns(STEADY_ROUNDS, servers, (server, kind) => {
      const highest = median(turns.map(({ [kind]: own }) => own?.perSecond ?? Number.NaN))
      return steadyRound(server, asked, highest * SHARE_OF_HIGHEST)
    })
    for (const kind of Object.keys(servers)) {
      const pairs = turns.flatMap(({ [kind]: own, hono, 'hono, body alone': body }) =>
        own && hono && body ? [{ own, hono, body }] : [],
      )
      const one: Measured = {
        asked: asked.name,
        server: kind,
        rounds: pairs.map(({ own }) => own),
        quantiles: steady.map(({ [kind]: own }) => own ?? []),
        shareAtBest: (100 * leastMicros(turns, 'hono')) / leastMicros(turns, kind),
        shares: pairs.map(({ own, hono }) => (100 * own.perSecond) / hono.perSecond),
        sharesOfBody: pairs.map(({ own, body }) => (100 * own.perSecond) / body.perSecond),
      }
      measured.push(one)
      onMeasured(one)
    }
  }
  for (const server of Object.values(servers)) server.stop()
  await redis?.remove()
  await devnet.stop()
  return { measured, lengths: routes.map(({ body }) => body.length) }
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
    `${rounds} rounds of ${REQUESTS} requests each over ${CONNECTIONS} connections, bodies of ${lengths.join(', ')} bytes; ` +
    `times at half of each server's highest load over ${FEW_CONNECTIONS} connections, in ${STEADY_ROUNDS} rounds. The service is the bundle that ships; all servers run on Node ` +
    `${serversNode()}.`
  )
}

if (import.meta.filename === process.argv[1]) {
  const rounds = Number(process.argv[2] ?? 25)
  const { measured, lengths } = await measureHttp(rounds, 1, (one) =>
    process.stderr.write(`${httpRow(one).join(' | ')}\n`),
  )
  process.stdout.write(
    `${machine()}\n${httpNote(rounds, lengths)}\n\n${table(HTTP_HEADINGS, measured.map(httpRow))}\n`,
  )
}
