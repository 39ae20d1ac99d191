import { DEFAULT_LIMITS } from '@remit/engine/declare/lanes'
import { describe, expect, it } from 'vitest'
import { ConfigError } from './ConfigError.ts'
import { loadConfig, multipliedLimits } from './loadConfig.ts'

const configOf = (environment: Record<string, string>) =>
  loadConfig({ RPC_URL_8453: 'https://rpc.example', ...environment })

describe('limits by environment', () => {
  it('are the published ones where nothing is set', () => {
    expect(configOf({}).limits).toEqual({
      lanes: {
        free: {
          globalRpm: 20,
          expensiveRpm: 3,
          subgraphDaily: 100,
          writeRpm: 2,
          writeDaily: 20,
          dailyTotalRequests: 500,
        },
        developer: {
          globalRpm: 80,
          expensiveRpm: 40,
          subgraphDaily: 3000,
          writeRpm: 5,
          writeDaily: 100,
          dailyTotalRequests: 5000,
        },
      },
      authFailuresRpm: 30,
      newKeysDaily: 5,
      challengesDaily: 20,
    })
  })

  it.each([
    ['LIMIT_FREE_GLOBAL_RPM', 'free', 'globalRpm'],
    ['LIMIT_FREE_EXPENSIVE_RPM', 'free', 'expensiveRpm'],
    ['LIMIT_FREE_SUBGRAPH_DAILY', 'free', 'subgraphDaily'],
    ['LIMIT_FREE_WRITE_RPM', 'free', 'writeRpm'],
    ['LIMIT_FREE_WRITE_DAILY', 'free', 'writeDaily'],
    ['LIMIT_FREE_DAILY_TOTAL_REQUESTS', 'free', 'dailyTotalRequests'],
    ['LIMIT_DEVELOPER_GLOBAL_RPM', 'developer', 'globalRpm'],
    ['LIMIT_DEVELOPER_EXPENSIVE_RPM', 'developer', 'expensiveRpm'],
    ['LIMIT_DEVELOPER_SUBGRAPH_DAILY', 'developer', 'subgraphDaily'],
    ['LIMIT_DEVELOPER_WRITE_RPM', 'developer', 'writeRpm'],
    ['LIMIT_DEVELOPER_WRITE_DAILY', 'developer', 'writeDaily'],
    ['LIMIT_DEVELOPER_DAILY_TOTAL_REQUESTS', 'developer', 'dailyTotalRequests'],
  ] as const)('%s sets one of them and leaves the others', (variable, lane, name) => {
    expect(configOf({ [variable]: '7' }).limits.lanes).toEqual({
      ...DEFAULT_LIMITS,
      [lane]: { ...DEFAULT_LIMITS[lane], [name]: 7 },
    })
  })

  it('bound failed credentials too', () => {
    expect(configOf({ LIMIT_AUTH_FAILURES_RPM: '4' }).limits.authFailuresRpm).toBe(4)
  })

  // Of nothing, no wait would ever be true.
  it.each(['0', '-1', '1.5', 'many', '10000000000'])('refuse %s, naming the variable', (value) => {
    expect(() => configOf({ LIMIT_FREE_WRITE_RPM: value })).toThrow(/^LIMIT_FREE_WRITE_RPM must be/)
  })

  it('can be multiplied as a whole', () => {
    const { lanes, authFailuresRpm } = configOf(multipliedLimits(100)).limits
    expect(lanes.free).toMatchObject({ globalRpm: 2_000, writeRpm: 200, dailyTotalRequests: 50_000 })
    expect(lanes.developer).toMatchObject({ globalRpm: 8_000, subgraphDaily: 300_000 })
    expect(authFailuresRpm).toBe(30)
  })

  it('keep the address of Redis out of what they complain', () => {
    expect(configOf({ REDIS_URL: 'rediss://:secret@redis.example:6380/2' }).redisUrl).toContain(
      'redis.example',
    )
    const wrong = () => configOf({ REDIS_URL: 'http://:secret@redis.example' })
    expect(wrong).toThrow(ConfigError)
    expect(wrong).toThrow(/^REDIS_URL must be a redis or rediss URL\.$/)
  })
})
