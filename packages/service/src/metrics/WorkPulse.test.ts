import { describe, expect, it } from 'vitest'
import { WorkPulse } from './WorkPulse.ts'

function pulseAt() {
  let nowMs = 1_000_000
  const pulse = new WorkPulse({ stalledAfterMs: 120_000, hungAfterMs: 600_000, now: () => nowMs })
  const passes = (seconds: number) => {
    nowMs += seconds * 1_000
  }
  return { pulse, passes }
}

describe('a process that works without callers', () => {
  it('is not ready before each of its loops has worked, and never hangs before it has begun', () => {
    const { pulse, passes } = pulseAt()
    expect(pulse.stalled()).toEqual(['The process starts.'])
    const index = pulse.add('The index')
    passes(3_600)
    expect([pulse.stalled(), pulse.hung()]).toEqual([['The index has not worked yet.'], []])
    index.worked()
    expect(pulse.stalled()).toEqual([])
  })

  it('is not ready while a loop only fails, which no restart mends', () => {
    const { pulse, passes } = pulseAt()
    const [index, other] = [pulse.add('The index'), pulse.add('The other')]
    index.worked()
    for (let minute = 0; minute < 20; minute += 1) {
      passes(60)
      index.turned()
      other.worked()
    }
    expect(pulse.stalled()).toEqual(['The index has not worked for 1200 s.'])
    expect(pulse.hung()).toEqual([])
    index.worked()
    expect(pulse.stalled()).toEqual([])
  })

  it('hangs where a loop that has begun ends no turn', () => {
    const { pulse, passes } = pulseAt()
    pulse.add('The index').turned()
    passes(599)
    expect(pulse.hung()).toEqual([])
    passes(1)
    expect(pulse.hung()).toEqual(['The index has hung for 600 s.'])
  })
})
