import { describe, expect, it } from 'vitest'
import { type FakeNode, fakeNodes, hashAt, logAt, tipAt } from '../../../../test/support/history/fakeNodes.ts'
import { createRpcSource } from './createRpcSource.ts'

const quiet = { info() {}, warn() {}, error() {} }
const { signal } = new AbortController()

/** The next step of an index at block 100, far below the final blocks. */
async function nextFinal(...nodes: FakeNode[]) {
  const node = fakeNodes({ head: 1_000, finalizedBlock: 900, nodes })
  const next = await createRpcSource({ node, firstBlock: 1, log: quiet }).next(tipAt(100, 90), signal)
  if (next.kind === 'idle') throw new Error('there is something to read')
  return next.step
}

describe('of two nodes that are compared', () => {
  it('one that places a log in another block is found, though all else of the log is right', async () => {
    const truth = logAt(300)
    const moved = { ...truth, blockNumber: 301 }
    const { events } = await nextFinal({ logs: [moved], receipts: [truth] }, { logs: [truth] })
    expect(events.map(({ blockNumber }) => blockNumber)).toEqual([300])
  })

  it.each<[string, FakeNode['header']]>([
    ['time', { timestamp: 9_999_999_999 }],
    ['parent', { parentHash: hashAt(7) }],
  ])(
    'neither is believed if they give the last block one hash, and not the same %s',
    async (_, header = {}) => {
      await expect(nextFinal({ header }, {})).rejects.toThrow(/different headers of block 900/)
      await expect(nextFinal({}, { header })).rejects.toThrow(/different headers of block 900/)
    },
  )

  it('the one that calls fewer blocks final is believed about that', async () => {
    expect(await nextFinal({ finalizedBlock: 990 }, {})).toMatchObject({ finalizedBlock: 900 })
    expect(await nextFinal({}, { finalizedBlock: 880 })).toMatchObject({ finalizedBlock: 880 })
  })
})
