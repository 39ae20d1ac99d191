import { describe, expect, it } from 'vitest'
import type { ChargingPort, Identity } from '../core/ports/access.ts'
import type { LimiterDecision } from '../core/ports/telemetry.ts'
import { RequestTrace } from '../core/RequestTrace.ts'
import { RateLimitedError } from '../errors/access.ts'
import { observedCharging } from './observedCharging.ts'

const ada: Identity = { lane: 'developer', id: 'ada' }
const quota = { limit: 5, windowSeconds: 60, remaining: 4, resetSeconds: 60 }
const spent = new RateLimitedError({
  lane: 'developer',
  bucket: 'writeRpm',
  limit: 5,
  retryAfterSeconds: 30,
  upgradeHint: null,
  quotas: [],
})

/** A limiter with these answers, and what its observer was told. */
function observing(answer: Partial<ChargingPort>) {
  const decisions: Omit<LimiterDecision, 'durationMs'>[] = []
  const limiter: ChargingPort = {
    admit: () => {},
    take: async () => ({
      quotas: [
        { name: 'globalRpm', ...quota },
        { name: 'writeRpm', ...quota },
      ],
      giveBack: async () => {},
    }),
    ...answer,
  }
  const charging = observedCharging(limiter, {
    limiterDecided: ({ durationMs, ...decision }) => {
      expect(durationMs).toBeGreaterThanOrEqual(0)
      decisions.push(decision)
    },
  })
  return { charging, decisions }
}

describe('an observed limiter', () => {
  it('tells what was taken, to the observer and to the request', async () => {
    const { charging, decisions } = observing({})
    const trace = new RequestTrace()
    await trace.run(async () => {
      charging.admit(ada)
      const charge = await charging.take(ada, 'metered', ['write'])
      expect(charge.quotas).toHaveLength(2)
      await charge.giveBack()
    })
    expect(decisions).toEqual([
      { lane: 'developer', outcome: 'admitted', buckets: ['globalRpm', 'writeRpm'] },
      { lane: 'developer', outcome: 'given back', buckets: [] },
    ])
    expect(trace.ended()).toMatchObject({ charged: ['globalRpm', 'writeRpm'], givenBack: true })
  })

  it('tells which bucket refused, and lets the refusal through as it is', async () => {
    const refuse = () => {
      throw spent
    }
    const { charging, decisions } = observing({ admit: refuse, take: refuse })
    const trace = new RequestTrace()
    await trace.run(async () => {
      expect(() => charging.admit(ada)).toThrow(spent)
      await expect(charging.take(ada, 'metered', ['write'])).rejects.toBe(spent)
    })
    const refused = { lane: 'developer', outcome: 'refused', buckets: ['writeRpm'] }
    expect(decisions).toEqual([refused, refused])
    expect(trace.ended().charged).toEqual([])
  })

  it('tells a limiter that fails from one that refuses', async () => {
    const broken = new Error('the counters are away')
    const { charging, decisions } = observing({ take: () => Promise.reject(broken) })
    await expect(charging.take(ada, 'metered', [])).rejects.toBe(broken)
    expect(decisions).toEqual([{ lane: 'developer', outcome: 'failed', buckets: [] }])
  })
})
