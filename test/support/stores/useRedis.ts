import { afterAll, beforeAll } from 'vitest'
import { findProgram } from '../programs/installed.ts'
import { type RedisServer, startRedis } from './startRedis.ts'

const program = findProgram('redis-server')

/** For `describe.skipIf(!redisIsInstalled)`. */
export const redisIsInstalled = program !== undefined

/** A Redis server of this test file's own, from the installed package, gone when the file ends. */
export function useRedis(
  options: { appendOnly?: boolean; flags?: readonly string[] } = {},
): Omit<RedisServer, 'remove'> {
  let server: RedisServer | undefined

  function running(): RedisServer {
    if (server === undefined) throw new Error('Redis runs only while tests do')
    return server
  }

  beforeAll(async () => {
    if (program !== undefined) server = await startRedis(program, options)
  })
  afterAll(() => server?.remove())
  return {
    get url() {
      return running().url
    },
    kill: () => running().kill(),
    restart: () => running().restart(),
    pause: () => running().pause(),
    resume: () => running().resume(),
  }
}
