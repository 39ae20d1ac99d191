import { type Hex, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { type FakeNode, fakeNodes, logAt } from '../../../../test/support/history/fakeNodes.ts'
import { bloomOf } from '../../../protocol/logs/logsBloom.ts'
import { settleDispute } from './settleDispute.ts'

const { signal } = new AbortController()
const truth = logAt(50)
const lie = logAt(50, false)

/** Settles what two nodes say of block 50, whose bloom has few bits set. */
function settle(bloom: Hex, first: FakeNode, second: FakeNode) {
  const nodes = [first, second].map((node) => ({ ...node, bloom }))
  const chain = fakeNodes({ head: 120, finalizedBlock: 90, nodes })
  const [one, other] = nodes.map(({ logs = [] }, node) => ({ node, logs }))
  if (one === undefined || other === undefined) throw new Error('there are two')
  return settleDispute(chain, one, other, signal)
}

const telling = toHex(bloomOf([truth]))

describe('a dispute', () => {
  const silent: FakeNode = { logs: [truth], fails: ['receiptLogs'] }

  it('is not decided by the receipts of one node while the other one gives none', async () => {
    const settling = settle(telling, { logs: [lie] }, silent)
    await expect(settling).rejects.toThrow(/its receipts do not decide/)
  })

  it('is decided without the receipts of a node whose log the block cannot have', async () => {
    const without = toHex(bloomOf([{ ...truth, topics: [] }]))
    const settled = await settle(without, { logs: [], receipts: [] }, silent)
    expect(settled).toEqual({ logs: [], faultyNodes: [1] })
  })

  it('is decided by the receipts of one where those of the other do not match the bloom', async () => {
    const wrong: FakeNode = { logs: [lie], receipts: [], fitBloom: false }
    expect(await settle(telling, wrong, { logs: [truth] })).toEqual({ logs: [truth], faultyNodes: [0] })
  })

  it('is not decided where both match', async () => {
    const settling = settle(telling, { logs: [lie] }, { logs: [truth] })
    await expect(settling).rejects.toThrow(/its receipts do not decide/)
  })
})
