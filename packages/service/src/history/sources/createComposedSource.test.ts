import type { EventSource } from '@remit/engine/ports/source'
import { blockAt, fakeNodes, logAt, tipAt } from '@remit/testing/support/history/fakeNodes'
import { expect, it } from 'vitest'
import { createComposedSource } from './createComposedSource.ts'

const quiet = { info() {}, warn() {}, error() {} }
const progress = { headNumber: 20_000, alarm: null }

/** Gives its step whenever it is asked, or says that there is nothing to read. */
function sourceOf(kind: EventSource['kind'], to?: number): EventSource {
  const step = { ancestor: blockAt(0), to: blockAt(to ?? 0), finalizedBlock: 19_000, events: [], blocks: [] }
  return {
    kind,
    origin: async () => blockAt(0),
    next: async () => (to === undefined ? { kind: 'idle', progress } : { kind: 'step', step, progress }),
    onNews: () => () => {},
  }
}

it('is no alarm about the subgraph if a node gives a log that cannot be read', async () => {
  const answers = [{ logs: [{ ...logAt(7), data: '0x12' as const }], receipts: [] }]
  const nodes = fakeNodes({ head: 20_000, finalizedBlock: 19_000, nodes: answers })
  const options = { past: sourceOf('subgraph', 100), present: sourceOf('rpc'), nodes, log: quiet }
  let now = 0
  const source = createComposedSource({ ...options, now: () => now })
  const next = () => source.next(tipAt(0, 0), new AbortController().signal)
  expect(await next()).toEqual({ kind: 'idle', progress })
  answers[0] = { logs: [], receipts: [] }
  now += 600_001
  expect(await next()).toMatchObject({ kind: 'step', progress: { alarm: null } })
})
