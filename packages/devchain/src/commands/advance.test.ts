import { afterAll, describe, expect, test } from 'vitest'
import { startAnvil } from '../chain/anvil.ts'
import { createDevClient } from '../chain/client.ts'
import { parseAdvance } from './advance.ts'
import { advanceChain } from './advanceChain.ts'

const anvil = await startAnvil({ timestamp: 1_800_000_000 })
afterAll(() => anvil.stop())
const rpcUrl = anvil.url

describe('devnet:advance', () => {
  test('moves the clock by the given time, with one block, and the clock goes on from there', async () => {
    const { from, to } = await advanceChain({ rpcUrl, seconds: 30 * 86_400 })
    expect(from.blockNumber).toBe(0)
    expect(to.blockNumber).toBe(1)
    const seconds = to.timestamp - from.timestamp
    // The wall clock's own seconds come on top.
    expect(seconds).toBeGreaterThanOrEqual(30 * 86_400)
    expect(seconds).toBeLessThan(30 * 86_400 + 30)
    const pending = await createDevClient(rpcUrl).getBlock({ blockTag: 'pending' })
    expect(Number(pending.timestamp)).toBeGreaterThanOrEqual(to.timestamp)
  })

  test('reports that nothing listens', async () => {
    const nowhere = { rpcUrl: 'http://127.0.0.1:9', seconds: 1 }
    await expect(advanceChain(nowhere)).rejects.toThrow('No chain answers at http://127.0.0.1:9')
  })

  test('refuses any chain but the dev chain', async () => {
    const other = await startAnvil({ chainId: 8453 })
    try {
      await expect(advanceChain({ rpcUrl: other.url, seconds: 1 })).rejects.toThrow('nothing was done')
      expect(await createDevClient(other.url).getBlockNumber()).toBe(0n)
    } finally {
      await other.stop()
    }
  })

  test.each([0, -1, 1.5, Number.NaN, 1e12])('refuses to move by %s seconds', async (seconds) => {
    await expect(advanceChain({ rpcUrl, seconds })).rejects.toThrow('forward')
  })
})

describe('the command line of devnet:advance', () => {
  test('adds the given times up, and uses the chain of --rpc if it is given', () => {
    const args = ['--days', '30', '--hours', '2', '--seconds', '5']
    expect(parseAdvance(args)).toEqual({ rpcUrl: undefined, seconds: 30 * 86_400 + 2 * 3_600 + 5 })
    expect(parseAdvance(['--days', '1', '--rpc', 'http://x']).rpcUrl).toBe('http://x')
  })

  test.each([[[]], [['--days', 'many']], [['--days', '1.5']], [['--days=-3']], [['--weeks', '2']], [['30']]])(
    'answers %j with its usage',
    (args) => {
      expect(() => parseAdvance(args)).toThrow('Usage: npm run devnet:advance -- --days 30')
    },
  )
})
