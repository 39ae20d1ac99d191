import { rmSync } from 'node:fs'
import { type Devnet, startDevnet } from '@remit/devchain/testing/startDevnet'
import { findProgram } from '@remit/testing/support/programs/installed'
import { startInstalledPostgres } from '@remit/testing/support/stores/postgres'
import { startRedis } from '@remit/testing/support/stores/startRedis'
import { Redis } from 'ioredis'
import pg from 'pg'
import { environmentAt } from './server.ts'

/** A Postgres, a Redis and a development chain, for processes that share them. */
export interface SharedStores {
  readonly devnet: Devnet
  /** Of each process. */
  readonly environment: Readonly<Record<string, string>>
  readonly redis: Redis
  readonly database: pg.Client
  stop(): Promise<void>
}

/** `undefined` where Postgres or Redis is not installed. */
export async function startSharedStores(): Promise<SharedStores | undefined> {
  const redisProgram = findProgram('redis-server')
  const postgres = redisProgram && (await startInstalledPostgres())
  if (redisProgram === undefined || postgres === undefined || postgres === '') return undefined
  const redisServer = await startRedis(redisProgram)
  const devnet = await startDevnet({ port: 0 })
  const redis = new Redis(redisServer.url)
  const database = new pg.Client({ connectionString: postgres.url('postgres') })
  await database.connect()
  await database.query('create database bench')
  const urls = { DATABASE_URL: postgres.url('bench'), REDIS_URL: redisServer.url }
  return {
    devnet,
    environment: environmentAt(devnet, 'unused', urls),
    redis,
    database,
    async stop() {
      redis.disconnect()
      await database.end()
      await postgres.stop('SIGQUIT')
      rmSync(postgres.folder, { recursive: true, force: true })
      await redisServer.remove()
      await devnet.stop()
    },
  }
}
