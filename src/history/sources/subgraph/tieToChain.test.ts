import { expect, it } from 'vitest'
import { blockAt, fakeNodes, hashAt } from '../../../../test/support/history/fakeNodes.ts'
import { tieToChain } from './tieToChain.ts'

const chain = { head: blockAt(110), finalizedBlock: 90 }
const { signal } = new AbortController()

it.each([1_200, 5_000_000, 4_000_000_000])(
  'a page that names block %i, far above the head, is not used',
  async (number) => {
    const node = fakeNodes({ head: 110, finalizedBlock: 90, nodes: [] })
    let asked = 0
    const counting: typeof node = {
      ...node,
      logs(range, ...rest) {
        asked += range.headers.length
        return node.logs(range, ...rest)
      },
    }
    const metas = [110, number].map((of) => ({
      block: { number: of, hash: hashAt(110) },
      hasIndexingErrors: false,
      deployment: 'Qm',
    }))
    const tie = (of: typeof metas) =>
      tieToChain(counting, blockAt(100), { to: 110, events: [], metas: of }, chain, signal)
    await expect(tie(metas)).rejects.toThrow(/far above the chain's head/)
    expect(asked).toBe(0)
    expect((await tie(metas.slice(0, 1))).to).toEqual(blockAt(110))
  },
)
