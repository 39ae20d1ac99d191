import { fakeChain } from '@remit/testing/support/history/fakeChain'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ProjectionWriter } from '../projection.ts'
import { emptyProjection } from './emptyChain.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('renews a short lease while rows are deleted: if its process dies, it can be repeated soon', async () => {
  const { source, nodes } = fakeChain(0)
  const identity = { chainId: 1, contract: `0x${'c1'.repeat(20)}`, firstBlock: 1 } as const
  const leases: number[] = []
  let deleted = () => {}
  const released = vi.fn(async () => {})
  const writer: Partial<ProjectionWriter> = {
    async take({ chainId }, _source, _origin, holder, leaseMs) {
      leases.push(leaseMs)
      return { chainId, holder, epoch: 1 }
    },
    async renew(_lease, leaseMs) {
      leases.push(leaseMs)
    },
    empty: () =>
      new Promise((resolve) => {
        deleted = resolve
      }),
    release: released,
  }
  const { signal } = new AbortController()
  // Safe: nothing else of a projection is asked for.
  const projection = writer as ProjectionWriter
  const emptying = emptyProjection({ identity, nodes, source, projection, holder: 'one', signal })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(Math.max(...leases)).toBeLessThanOrEqual(10_000)
  expect(leases.length).toBeGreaterThan(12)
  expect(released).not.toHaveBeenCalled()
  deleted()
  await emptying
  expect(released).toHaveBeenCalledOnce()
})
