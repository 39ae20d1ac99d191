import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { startAnvil } from './anvil.ts'
import { mineIfOverdue, startBlockTimer } from './blockTimer.ts'
import { createDevClient } from './client.ts'

const anvil = await startAnvil({ timestamp: Date.UTC(2027, 2, 1, 9) / 1000 })
afterAll(() => anvil.stop())
const client = createDevClient(anvil.url)
let day = Date.UTC(2027, 2, 1) / 1000

/** The next day at this time. */
const goTo = async (hours: number, minutes: number) => {
  await client.setNextBlockTimestamp({ timestamp: BigInt(day + hours * 3_600 + minutes * 60) })
  await client.mine({ blocks: 1 })
}

beforeEach(async () => {
  day += 86_400
  await goTo(12, 0)
})

describe('the block timer', () => {
  test('mines nothing while the last block is less than an hour old', async () => {
    expect(await mineIfOverdue(client)).toBe(false)
    await client.increaseTime({ seconds: 3_500 })
    expect(await mineIfOverdue(client)).toBe(false)
  })

  test('mines one block after an hour', async () => {
    const before = await client.getBlock()
    await client.increaseTime({ seconds: 3_600 })
    expect(await mineIfOverdue(client)).toBe(true)
    const after = await client.getBlock()
    expect(after.number).toBe(before.number + 1n)
    expect(after.timestamp - before.timestamp).toBeGreaterThanOrEqual(3_600n)
    expect(await mineIfOverdue(client)).toBe(false)
  })

  test('mines one block after midnight, so that the chain is on the same day', async () => {
    await goTo(23, 59)
    await client.increaseTime({ seconds: 61 })
    expect(await mineIfOverdue(client)).toBe(true)
    expect(Number((await client.getBlock()).timestamp)).toBeGreaterThanOrEqual(day + 86_400)
  })

  test('runs until it is stopped', async () => {
    const timer = startBlockTimer(client, { intervalMs: 10 })
    const before = await client.getBlockNumber()
    await client.increaseTime({ seconds: 4_000 })
    await vi.waitFor(async () => expect(await client.getBlockNumber()).toBe(before + 1n), 10_000)
    timer.stop()
  })

  test('reports an error, and tries again', async () => {
    const errors: unknown[] = []
    const gone = createDevClient('http://127.0.0.1:9')
    const timer = startBlockTimer(gone, { intervalMs: 5, onError: (error) => errors.push(error) })
    await vi.waitFor(() => expect(errors.length).toBeGreaterThan(1), 10_000)
    timer.stop()
  })
})
