import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sortTests } from './sortTests.ts'

const sorted = sortTests(['packages', 'test'])

describe('a test belongs', () => {
  it.each([
    [
      'quick',
      'nothing that starts a program or speaks to a database',
      'packages/protocol/src/calendar.test.ts',
    ],
    ['main', 'an anvil', 'packages/engine/src/operations/subscriptions/subscriptions.test.ts'],
    ['main', 'a database', 'packages/service/src/history/follower/Follower.test.ts'],
    ['main', 'one suite over both stores', 'packages/service/src/history/projection/queries/Cursors.test.ts'],
    [
      'bothStores',
      'one suite over both stores',
      'packages/service/src/history/projection/queries/Cursors.test.ts',
    ],
    ['long', 'Postgres', 'packages/service/src/store/postgres.test.ts'],
    ['long', 'Redis', 'packages/service/src/access/limits/RedisCounters.test.ts'],
    ['long', 'a real geth', 'test/nodes/geth/reads.test.ts'],
    ['long', 'a browser', 'test/site/reference.test.ts'],
    ['long', 'the service as a process', 'test/shutdown.test.ts'],
    ['long', 'a program by itself', 'packages/service/src/surfaces/openapi/openApiDocument.test.ts'],
    ['contracts', 'contracts, by its folder', 'packages/contracts/test/remitDays.test.ts'],
  ] as const)('to %s if it needs %s', (run, _, file) => {
    expect(existsSync(file)).toBe(true)
    const runs = Object.entries(sorted).filter(([, files]) => files.includes(file))
    expect(runs.map(([name]) => name)).toContain(run)
  })

  it('to one run, but for those that run over each store', () => {
    const { bothStores, ...others } = sorted
    const all = Object.values(others).flat()
    expect(new Set(all).size).toBe(all.length)
    expect(sorted.main).toEqual(expect.arrayContaining([...bothStores]))
  })
})
