import { setTimeout as sleep } from 'node:timers/promises'
import { type Asked, Load } from './load.ts'
import { Server } from './server.ts'
import { startSharedStores } from './shared.ts'

// One, two and three processes of the service over the same Postgres and the same Redis, all asked at once as fast as they
// answer. What they share is told by what a request takes of it: transactions of Postgres, commands and processor time of
// Redis. What they do not share is their own processor time: where that is most of it, they contend for cores alone.

const PROCESSES = [1, 2, 3]
const WARM_UP = 1_500
/** Of each process. */
const REQUESTS = 3_000
const HEADERS = { Accept: 'application/json' }

export interface Shared {
  readonly asked: string
  readonly processes: number
  readonly perSecond: number
  /** All per request, in microseconds of a processor. */
  readonly ownMicros: number
  readonly redisMicros: number
  readonly redisCommands: number
  readonly transactions: number
}

/**
 * `undefined` where Postgres or Redis is not installed.
 * @param share of the requests that are made
 */
export async function measureProcesses(
  share: number,
  onMeasured: (shared: Shared) => void = () => {},
): Promise<readonly Shared[] | undefined> {
  const stores = await startSharedStores()
  if (stores === undefined) return undefined
  const { devnet, environment, redis, database } = stores
  const servers: Server[] = []
  const shared: Shared[] = []

  /** What the stores have done so far. */
  async function used() {
    const info = await redis.info('all')
    const value = (name: string) => Number(new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1])
    const { rows } = await database.query<{ count: string }>(
      "select xact_commit + xact_rollback as count from pg_stat_database where datname = 'bench'",
    )
    return {
      redisMicros: (value('used_cpu_user') + value('used_cpu_sys')) * 1e6,
      redisCommands: value('total_commands_processed'),
      transactions: Number(rows[0]?.count),
    }
  }

  async function measure(name: string, asked: Asked): Promise<void> {
    const each = REQUESTS * share
    const loads = await Promise.all(servers.map(({ port }) => Load.open(port)))
    await Promise.all(loads.map((load) => load.asFastAsPossible(asked, WARM_UP * share)))
    const own = () => Promise.all(servers.map((server) => server.processorMicros()))
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
    const [before, ownBefore] = [await used(), sum(await own())]
    const rates = await Promise.all(loads.map((load) => load.asFastAsPossible(asked, each)))
    const ownAfter = sum(await own())
    // Postgres tells of what a session did once it is idle for a second.
    await sleep(1_200)
    const after = await used()
    for (const load of loads) load.close()
    const requests = each * servers.length
    const one = {
      asked: name,
      processes: servers.length,
      perSecond: sum(rates),
      ownMicros: (ownAfter - ownBefore) / requests,
      redisMicros: (after.redisMicros - before.redisMicros) / requests,
      redisCommands: (after.redisCommands - before.redisCommands) / requests,
      transactions: (after.transactions - before.transactions) / requests,
    }
    shared.push(one)
    onMeasured(one)
  }

  try {
    const { id } = devnet.cast.newsMonthly
    for (const processes of PROCESSES) {
      while (servers.length < processes) {
        servers.push(await Server.start({ kind: 'service', environment, routes: [] }))
      }
      for (const [name, path] of [
        ['a read', `/subscriptions/${id}`],
        ['search', '/subscriptions'],
        ['history', `/subscriptions/${id}/history`],
      ] as const) {
        await measure(name, { path, headers: HEADERS, status: 200 })
      }
    }
  } finally {
    for (const server of servers) server.stop()
    await stores.stop()
  }
  return shared
}
