import { describe, expect, it } from 'vitest'
import { StillPendingError } from './errors.ts'
import { pollUntil } from './waiting.ts'

const never = async () => undefined

describe('waiting for what was sent', () => {
  it('ends when its time is up', async () => {
    const { signal } = new AbortController()
    const patience = { timeoutMs: 300, pollingIntervalMs: 10, signal }
    await expect(pollUntil('It', patience, never)).rejects.toThrow(StillPendingError)
  })

  it('ends when the signal does, with its reason as the cause', async () => {
    const leaving = new AbortController()
    const patience = { timeoutMs: 60_000, pollingIntervalMs: 10, signal: leaving.signal }
    const waiting = pollUntil('It', patience, never)
    leaving.abort(new Error('left'))
    await expect(waiting).rejects.toMatchObject({ cause: new Error('left') })
  })

  it('asks again after a fault, and answers what it then hears', async () => {
    let asked = 0
    const ask = async () => {
      asked += 1
      if (asked === 1) throw new Error('away')
      return asked === 3 ? 'there' : undefined
    }
    expect(await pollUntil('It', { timeoutMs: 5_000, pollingIntervalMs: 1 }, ask)).toBe('there')
  })
})
