import { describe, expect, it } from 'vitest'
import { NodeLimits } from './NodeLimits.ts'

const HOUR = 3_600_000

function limitsWithClock(set = {}) {
  const clock = { now: 1_000_000_000_000 }
  const limits = new NodeLimits({ set, now: () => clock.now })
  return { clock, limits }
}

describe('a limit of a node', () => {
  it('is halved with each refusal, down to one', () => {
    const { limits } = limitsWithClock()
    expect(limits.most('batch')).toBeUndefined()
    const seen: (number | undefined)[] = []
    for (let asked = 40; asked > 1; asked = limits.most('batch') ?? 0) {
      expect(limits.refused('batch', asked)).toBe(true)
      seen.push(limits.most('batch'))
    }
    expect(seen).toEqual([20, 10, 5, 2, 1])
  })

  it('is what the node says it is', () => {
    const { limits } = limitsWithClock()
    limits.refused('batch', 40, 3)
    expect(limits.most('batch')).toBe(3)
    // More than was refused is no news.
    limits.refused('batch', 3, 100)
    expect(limits.most('batch')).toBe(2)
  })

  it('of gas is tried at the usual caps first', () => {
    const { limits } = limitsWithClock()
    limits.refused('simulationGas', 134_217_728)
    expect(limits.most('simulationGas')).toBe(50_000_000)
    limits.refused('simulationGas', 50_000_000)
    expect(limits.most('simulationGas')).toBe(25_000_000)
    limits.refused('simulationGas', 25_000_000)
    expect(limits.most('simulationGas')).toBe(12_500_000)
  })

  it('is learnt once by requests that were under way together', () => {
    const { limits } = limitsWithClock()
    for (let request = 0; request < 3; request += 1) expect(limits.refused('batch', 40)).toBe(true)
    expect(limits.most('batch')).toBe(20)
  })

  it('is forgotten after an hour, whatever was refused above it meanwhile', () => {
    const { clock, limits } = limitsWithClock()
    limits.refused('batch', 40, 3)
    clock.now += HOUR - 1
    limits.refused('batch', 40)
    expect(limits.most('batch')).toBe(3)
    clock.now += 1
    expect(limits.most('batch')).toBeUndefined()
    expect(limits.known().limits).toEqual({})
  })

  it('that is set is never learnt', () => {
    const { clock, limits } = limitsWithClock({ batch: 10, simulateV1: false })
    expect(limits.refused('batch', 10, 3)).toBe(false)
    limits.found('simulateV1', true)
    clock.now += HOUR
    expect(limits.most('batch')).toBe(10)
    expect(limits.can('simulateV1')).toBe(false)
    expect(limits.known()).toEqual({
      endpoint: 1,
      limits: { batch: { value: 10, source: 'set', learntAt: null } },
      abilities: { simulateV1: { value: false, source: 'set', learntAt: null } },
    })
  })
})

it('what a node can do is forgotten after ten minutes', () => {
  const { clock, limits } = limitsWithClock()
  expect(limits.found('blockHash', false)).toBe(true)
  expect(limits.found('blockHash', false)).toBe(false)
  clock.now += 599_999
  expect(limits.can('blockHash')).toBe(false)
  clock.now += 1
  expect(limits.can('blockHash')).toBeUndefined()
})
