import { silentLog } from '@remit/testing/support/chain/useReadingGround'
import { expect, it } from 'vitest'
import type { ForecastQuestion, Foreseen } from '../ports/forecasts.ts'
import type { BlockRef } from '../ports/history.ts'
import { Forecasts } from './Forecasts.ts'

const TODAY = 20_000
const SECOND = 1_000

const blockAt = (number: number, timestamp = TODAY * 86_400 + 2 * number): BlockRef => ({
  number,
  hash: `0x${number.toString(16).padStart(64, '0')}`,
  parentHash: `0x${(number - 1).toString(16).padStart(64, '0')}`,
  timestamp,
})

const asker = (head: BlockRef, minBlock?: number) => ({ head, now: head.timestamp, today: TODAY, minBlock })

/** A forecaster whose work ends when the test says so, and a clock that the test moves. */
function stage(mostWaitMs?: number) {
  let now = 0
  const asked: ForecastQuestion[] = []
  const ends: { done: () => void; failed: (error: Error) => void }[] = []
  const forecasts = new Forecasts({
    chainId: 1,
    log: silentLog,
    now: () => now,
    ...(mostWaitMs === undefined ? {} : { times: { mostWaitMs } }),
    forecaster: {
      make: (question) =>
        new Promise((resolve, reject) => {
          asked.push(question)
          ends.push({ done: () => resolve(forecastOf(question)), failed: reject })
        }),
    },
  })
  return {
    forecasts,
    asked,
    /** What is being made is there, or has failed. */
    end: (error?: Error) => {
      const last = ends.at(-1)
      if (error === undefined) last?.done()
      else last?.failed(error)
    },
    later: (ms: number) => {
      now += ms
    },
    /** The block of the forecast that somebody gets. */
    of: async (head: BlockRef, minBlock?: number) =>
      (await forecasts.get(asker(head, minBlock), TODAY + 30)).madeAt.number,
  }
}

function forecastOf({ lastDay }: ForecastQuestion): Foreseen {
  return {
    lastDay,
    fromDay: TODAY,
    beforeDay: TODAY,
    charges: { ids: [], byAccount: new Map(), counts: new Map() },
    stop: undefined,
    calls: 0,
    through: undefined,
  }
}

it('is made once for all who ask, whatever day of a month they ask for', async () => {
  const { forecasts, asked, end } = stage()
  const all = [1, 20, 31].map((days) => forecasts.get(asker(blockAt(7)), TODAY + days))
  end()
  expect(new Set(await Promise.all(all)).size).toBe(1)
  expect(asked).toEqual([{ chainId: 1, block: blockAt(7), now: blockAt(7).timestamp, lastDay: TODAY + 32 }])
})

it('is made anew after some seconds where the chain has gone on, and not before', async () => {
  const { asked, end, later, of } = stage()
  const first = of(blockAt(7))
  end()
  await first
  later(4 * SECOND)
  expect(await of(blockAt(9))).toBe(7)
  later(10 * SECOND)
  expect(await of(blockAt(7))).toBe(7)
  expect(asked).toHaveLength(1)
  const next = of(blockAt(14))
  expect(asked.map(({ block }) => block.number)).toEqual([7, 14])
  end()
  expect(await next).toBe(14)
})

it('is older where making it takes long, and up to a minute', async () => {
  const { asked, end, later, of } = stage(50)
  const first = of(blockAt(7))
  end()
  await first
  later(50 * SECOND)
  expect(await Promise.all([of(blockAt(32)), of(blockAt(32))])).toEqual([7, 7])
  expect(asked).toHaveLength(2)
  later(11 * SECOND)
  const late = of(blockAt(37))
  later(SECOND)
  await expect(late).rejects.toMatchObject({ code: 'FORECAST_UNAVAILABLE', status: 503 })
  expect(asked).toHaveLength(2)
})

it('begins to grow old when its block is the newest no more', async () => {
  const { asked, end, later, of } = stage()
  const first = of(blockAt(7))
  end()
  await first
  later(600 * SECOND)
  expect(await of(blockAt(7))).toBe(7)
  // Nothing came for ten minutes: the block after it is that much younger.
  const next = { ...blockAt(8), timestamp: blockAt(7).timestamp + 2 }
  expect(await of(next)).toBe(7)
  expect(asked.map(({ block }) => block.number)).toEqual([7, 8])
})

it('is not used where the chain’s clock has jumped, however soon', async () => {
  const { end, of } = stage()
  const first = of(blockAt(7))
  end()
  await first
  const next = of(blockAt(8, blockAt(7).timestamp + 3_600))
  end()
  expect(await next).toBe(8)
})

it('was made at the block that a caller asks to see, or later', async () => {
  const { asked, end, of } = stage()
  const first = of(blockAt(7))
  end()
  await first
  const next = of(blockAt(8), 8)
  expect(asked).toHaveLength(2)
  end()
  expect(await next).toBe(8)
  expect(await of(blockAt(9), 8)).toBe(8)
})

it('is not used after a block was replaced, nor is one that was being made', async () => {
  const { forecasts, asked, end, of } = stage()
  const first = of(blockAt(7))
  end()
  await first
  forecasts.forget()
  const next = of(blockAt(6))
  end()
  expect(await next).toBe(6)
  expect(asked).toHaveLength(2)
})

it('says by name that it cannot be made, and goes on with the one before as long as that counts', async () => {
  const { asked, end, later, of } = stage()
  const failing = of(blockAt(7))
  end(new Error('the node is away'))
  await expect(failing).rejects.toMatchObject({
    code: 'FORECAST_UNAVAILABLE',
    headers: { 'Retry-After': '5' },
    cause: new Error('the node is away'),
  })
  const first = of(blockAt(7))
  end()
  expect(await first).toBe(7)
  later(6 * SECOND)
  const again = of(blockAt(10))
  end(new Error('the node is away'))
  expect(await again).toBe(7)
  // It is not tried again at once.
  expect(await of(blockAt(10))).toBe(7)
  expect(asked).toHaveLength(3)
})
