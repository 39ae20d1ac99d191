import { SUBSCRIPT_EVENTS } from '@remit/protocol/logs/events'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { StillPendingError } from '../errors.ts'
import { SUBSCRIPTION_EVENTS } from './decodeEvents.ts'
import { pollUntil } from './waiting.ts'

const never = async () => undefined
const silent = { remind: () => {} }

afterEach(() => vi.useRealTimers())

describe('waiting for what was sent', () => {
  it('ends when its time is up', async () => {
    const { signal } = new AbortController()
    const limits = { timeoutMs: 300, pollingIntervalMs: 10, signal }
    await expect(pollUntil('It', limits, never, silent)).rejects.toThrow(StillPendingError)
  })

  it('ends when the signal does, with its reason as the cause', async () => {
    const leaving = new AbortController()
    const limits = { timeoutMs: 60_000, pollingIntervalMs: 10, signal: leaving.signal }
    const waiting = pollUntil('It', limits, never, silent)
    leaving.abort(new Error('left'))
    await expect(waiting).rejects.toMatchObject({ cause: new Error('left') })
  })

  it('is told of every five seconds, however seldom it is asked for', async () => {
    vi.useFakeTimers()
    const told: unknown[] = []
    const limits = { timeoutMs: 18_000, pollingIntervalMs: 1_000 }
    const waiting = pollUntil('It', limits, never, { remind: (waited) => void told.push(waited) })
    const failure = expect(waiting).rejects.toThrow(StillPendingError)
    await vi.advanceTimersByTimeAsync(20_000)
    await failure
    expect(told).toEqual([
      { sinceMs: 5_000, forMs: 13_000 },
      { sinceMs: 10_000, forMs: 8_000 },
      { sinceMs: 15_000, forMs: 3_000 },
    ])
  })

  it('asks again after a fault, and answers what it then hears', async () => {
    let asked = 0
    const ask = async () => {
      asked += 1
      if (asked === 1) throw new Error('away')
      return asked === 3 ? 'there' : undefined
    }
    expect(await pollUntil('It', { timeoutMs: 5_000, pollingIntervalMs: 1 }, ask, silent)).toBe('there')
  })
})

it('the names of events are the service’s', () => {
  expect(SUBSCRIPTION_EVENTS).toEqual(SUBSCRIPT_EVENTS.map(({ name }) => name))
})
