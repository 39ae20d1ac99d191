import { startDevnet } from '../devnet/startDevnet.ts'
import { findProgram } from '../test/support/programs/installed.ts'
import { startRedis } from '../test/support/stores/startRedis.ts'
import { type Asked, Load } from './load.ts'
import { machine, median, table } from './print.ts'
import { environmentAt, pin, type Route, Server, serversNode } from './server.ts'

// What the service makes of one core, beside a bare route of the same framework and beside Node's own server, both with
// the bytes of the same answers ready. Each is a process of its own on one core; the clients have another one. The
// service counts limits and writes its log. Rounds of all servers take turns, and ratios are of the same round.

const WARM_UP = 8_000
const REQUESTS = 3_000
const SHARE_OF_HIGHEST = 0.5
const STEADY_MS = 800

export interface Round {
  readonly perSecond: number
  readonly processorMicros: number
  /** At a share of the highest load. */
  readonly quantiles: readonly number[]
}

async function round(server: Server, asked: Asked, requests: number): Promise<Round> {
  const load = await Load.open(server.port)
  const before = await server.processorMicros()
  const perSecond = await load.asFastAsPossible(asked, requests)
  const processorMicros = ((await server.processorMicros()) - before) / requests
  const times = (await load.atRate(asked, perSecond * SHARE_OF_HIGHEST, STEADY_MS)).sort((a, b) => a - b)
  load.close()
  const quantiles = [0.5, 0.95, 0.99].map((share) => times[Math.floor(times.length * share)] ?? Number.NaN)
  return { perSecond, processorMicros, quantiles }
}

async function warmUp(server: Server, asked: Asked, requests: number): Promise<void> {
  const load = await Load.open(server.port)
  await load.asFastAsPossible(asked, requests)
  load.close()
}

const JSON_HEADERS = { Accept: 'application/json' }

/** What one server makes of one question, in all rounds. */
export interface Measured {
  readonly asked: string
  readonly server: string
  readonly rounds: readonly Round[]
  /** Of the bare route's, in the same round, in percent. */
  readonly shares: readonly number[]
  readonly sharesByProcessor: readonly number[]
}

/**
 * @param share of the requests of each round that are made
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
    return { path, body, etag: response.headers.get('etag') ?? '' }
  }
  const routes = await Promise.all(Object.values(paths).map(fetched))
  const bare = { environment: {}, routes }
  const servers = {
    service,
    ...(redis && { redis: await startService('redis', { REDIS_URL: redis.url }) }),
    hono: await Server.start({ kind: 'hono', ...bare }, 0),
    node: await Server.start({ kind: 'node', ...bare }, 0),
  }

  const questions: (Asked & { name: string })[] = Object.entries(paths).map(([name, path]) => ({
    name,
    path,
    headers: JSON_HEADERS,
    status: 200,
  }))
  const etag = routes[0]?.etag ?? ''
  questions.push({
    name: '304 of the read',
    path: paths['a read'],
    headers: { ...JSON_HEADERS, 'If-None-Match': etag },
    status: 304,
  })

  const measured: Measured[] = []
  for (const { name, ...asked } of questions) {
    // Until compilers have seen it.
    for (const server of Object.values(servers)) await warmUp(server, asked, WARM_UP * share)
    const turns: Record<string, Round>[] = []
    for (let turn = 0; turn < rounds; turn += 1) {
      const one: Record<string, Round> = {}
      for (const [kind, server] of Object.entries(servers))
        one[kind] = await round(server, asked, REQUESTS * share)
      turns.push(one)
    }
    for (const kind of Object.keys(servers)) {
      const pairs = turns.flatMap(({ [kind]: own, hono }) => (own && hono ? [{ own, hono }] : []))
      const one: Measured = {
        asked: name,
        server: kind,
        rounds: pairs.map(({ own }) => own),
        shares: pairs.map(({ own, hono }) => (100 * own.perSecond) / hono.perSecond),
        sharesByProcessor: pairs.map(({ own, hono }) => (100 * hono.processorMicros) / own.processorMicros),
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
  'of the bare route',
  'by processor',
  'requests/s',
  'processor µs',
  'p50 p95 p99, ms',
]

/** A row below these headings: medians, and the range of shares. */
export function httpRow({ asked, server, rounds, shares, sharesByProcessor }: Measured): string[] {
  const share = (all: readonly number[]) =>
    `${median(all).toFixed(0)} % (${Math.min(...all).toFixed(0)}–${Math.max(...all).toFixed(0)})`
  const quantile = (place: number) =>
    median(rounds.map(({ quantiles }) => quantiles[place] ?? Number.NaN)).toFixed(1)
  return [
    asked,
    server,
    share(shares),
    share(sharesByProcessor),
    median(rounds.map(({ perSecond }) => perSecond)).toFixed(0),
    median(rounds.map(({ processorMicros }) => processorMicros)).toFixed(0),
    [0, 1, 2].map(quantile).join(' '),
  ]
}

/** How it was measured, for below the table. */
export function httpNote(rounds: number, lengths: readonly number[]): string {
  return (
    `${rounds} rounds of ${REQUESTS} requests each, bodies of ${lengths.join(', ')} bytes; ` +
    `times at half of each server's highest load. The service is the bundle that ships; all servers run on Node ` +
    `${serversNode()}.`
  )
}

if (import.meta.filename === process.argv[1]) {
  const rounds = Number(process.argv[2] ?? 3)
  const { measured, lengths } = await measureHttp(rounds, 1, (one) =>
    process.stderr.write(`${httpRow(one).join(' | ')}\n`),
  )
  process.stdout.write(
    `${machine()}\n${httpNote(rounds, lengths)}\n\n${table(HTTP_HEADINGS, measured.map(httpRow))}\n`,
  )
}
