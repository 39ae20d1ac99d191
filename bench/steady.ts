import { setTimeout as sleep } from 'node:timers/promises'
import { createDevClient } from '../devnet/chain/client.ts'
import { Load } from './load.ts'
import { machine, quantile, table } from './print.ts'
import { Server } from './server.ts'
import { startSharedStores } from './shared.ts'

// So many requests a second for so long, of two processes over one Postgres and one Redis, on a chain that goes on: how long
// callers wait from when their request was due, and what the processes and the stores hold. An answer that is not a 200 ends it.
//
// `npm run bench:steady -- <requests a second> <minutes>`

const [perSecond = 1_000, minutes = 60] = process.argv.slice(2).map(Number)
const PROCESSES = 2
const ROWS = 12
const BLOCK_MS = 2_000
const HEADERS = { Accept: 'application/json' }
/** Until compilers have seen it. */
const WARM_UP = 3_000

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`

const stores = await startSharedStores()
if (stores === undefined) throw new Error('Postgres and Redis have to be installed.')
const { devnet, environment, redis, database } = stores
const { id } = devnet.cast.newsMonthly
const paths = [`/subscriptions/${id}`, '/subscriptions', `/subscriptions/${id}/history`]
const servers: Server[] = []
while (servers.length < PROCESSES) {
  servers.push(await Server.start({ kind: 'service', environment, routes: [] }))
}
const loads = await Promise.all(
  servers.flatMap(({ port }) =>
    paths.map(async (path) => ({
      load: await Load.open(port),
      asked: { path, headers: HEADERS, status: 200 },
    })),
  ),
)
// All at once: a connection on which nothing is asked for a while is closed.
await Promise.all(loads.map(({ load, asked }) => load.asFastAsPossible(asked, WARM_UP)))

const client = createDevClient(devnet.url)
let goesOn = true
const blocks = (async () => {
  while (goesOn) {
    await client.mine({ blocks: 1 })
    await sleep(BLOCK_MS)
  }
})()

const rows: string[][] = []
for (let row = 0; row < ROWS; row += 1) {
  const before = await Promise.all(servers.map((server) => server.used()))
  const forMs = (minutes * 60_000) / ROWS
  const times = (
    await Promise.all(loads.map(({ load, asked }) => load.atRate(asked, perSecond / loads.length, forMs)))
  ).flat()
  const after = await Promise.all(servers.map((server) => server.used()))
  const micros = after.map(
    ({ processorMicros }, place) => processorMicros - (before[place]?.processorMicros ?? 0),
  )
  const redisBytes = Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1])
  const { rows: sizes } = await database.query<{ bytes: string }>("select pg_database_size('bench') as bytes")
  const cells = [
    `${(((row + 1) * minutes) / ROWS).toFixed(minutes < ROWS ? 1 : 0)} min`,
    String(times.length),
    ...[0.5, 0.95, 0.99].map((share) => quantile(times, share).toFixed(1)),
    micros.map((used) => `${Math.round(used / forMs / 10)} %`).join(', '),
    after.map(({ residentBytes }) => megabytes(residentBytes)).join(', '),
    megabytes(redisBytes),
    megabytes(Number(sizes[0]?.bytes)),
  ]
  rows.push(cells)
  process.stderr.write(`${cells.join(' | ')}\n`)
}
goesOn = false
await blocks
for (const { load } of loads) load.close()
for (const server of servers) server.stop()
await stores.stop()
const heads = [
  'until',
  'answers',
  'p50, ms',
  'p95',
  'p99',
  'of a core each',
  'memory of each',
  'Redis',
  'Postgres',
]
process.stdout.write(
  `${machine()}\n${perSecond} requests a second for ${minutes} minutes\n\n${table(heads, rows)}\n`,
)
