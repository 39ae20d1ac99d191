import type { ChainNodes } from '@remit/engine/ports/nodes'
import type { EventSource, SourceAnswer } from '@remit/engine/ports/source'
import { createRpcSource } from '@remit/engine/testing/indexing/logs/createRpcSource'
import { createComposedSource } from '@remit/service/testing/history/sources/createComposedSource'
import { SubgraphFailedError } from '@remit/service/testing/history/sources/subgraph/SubgraphClient'
import { describe, expect, it } from 'vitest'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { fillFromLogs } from '../support/history/fillFromLogs.ts'
import { tellStory } from './story.ts'

const chain = await useTestChain()
await tellStory(chain)
await chain.keep()
const { firstBlock } = chain
const quiet = { info() {}, warn() {}, error() {} }

/** Stands for a subgraph: the chain's own steps, as `change` leaves them. */
function pastOf(nodes: ChainNodes, change: (next: SourceAnswer) => SourceAnswer) {
  const own = createRpcSource({ nodes, firstBlock, log: quiet })
  const asked = { times: 0 }
  const source: EventSource = {
    kind: 'subgraph',
    origin: (signal) => own.origin(signal),
    onNews: () => () => {},
    async next(tip, signal) {
      asked.times += 1
      return change(await own.next(tip, signal))
    },
  }
  return { source, asked }
}

async function fill(change: (next: SourceAnswer) => SourceAnswer) {
  let asked = { times: 0 }
  const told: string[] = []
  const tell = (message: string) => void told.push(message)
  const filling = await fillFromLogs(chain, [chain.url], {
    makeSource(nodes) {
      const past = pastOf(nodes, change)
      asked = past.asked
      const present = createRpcSource({ nodes, firstBlock, log: quiet })
      const log = { info: tell, warn: tell, error: tell }
      return createComposedSource({ past: past.source, present, nodes, log, farBlocks: 3 })
    },
  })
  await filling.fill()
  const { progress } = await filling.step()
  return { rows: await filling.rows(), asked: asked.times, told, alarm: progress.alarm }
}

describe('an index whose past comes from a subgraph', () => {
  it('is what the logs give, and near the head the subgraph is not asked', async () => {
    const right = await fill((next) => next)
    expect(right.asked).toBeGreaterThan(0)
    expect(right).toMatchObject({ told: [], alarm: null })
    const fewer = await fill((next) => {
      if (next.kind === 'idle') return next
      const { events } = next.step
      return { ...next, step: { ...next.step, events: events.slice(0, -1) } }
    })
    expect(fewer.asked).toBe(1)
    expect(fewer.told).toEqual(['the subgraph cannot fill the past; the logs go on'])
    expect(fewer.alarm).toMatch(
      /differs from the chain's own logs at block \d+.*came from it: if they are not trusted/,
    )
    expect(fewer.rows).toEqual(right.rows)
  })

  it('is filled from the logs while the subgraph fails', async () => {
    const { rows, asked, alarm } = await fill(() => {
      throw new SubgraphFailedError('The subgraph is down.')
    })
    expect(asked).toBe(1)
    expect(alarm).toBeNull()
    expect(rows.events.length).toBeGreaterThan(15)
  })
})
