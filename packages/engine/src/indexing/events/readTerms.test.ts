import type { Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { BlockGoneError } from '../../ports/chains.ts'
import type { BlockRef } from '../../ports/history.ts'
import type { ChainNodes, NodeHeader } from '../../ports/nodes.ts'
import type { PlacedEvent } from '../../ports/source.ts'
import { readTerms } from './FactReader.ts'

const signal = new AbortController().signal
const ID: Hex = `0x${'1d'.repeat(32)}`

function block(number: number, branch = 'a'): NodeHeader {
  const hash: Hex = `0x${branch.repeat(2)}${number.toString(16).padStart(62, '0')}`
  return { number, hash, parentHash: hash, timestamp: number, logsBloom: '0x' }
}

const creation: PlacedEvent = {
  event: {
    type: 'SubLog',
    eventName: 'Created',
    subScriptEvent: 0,
    id: ID,
    provider: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    subscriber: undefined,
    token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    amount: 1n,
    timestamp: 8,
  },
  blockNumber: 8,
  logIndex: 0,
  transactionHash: ID,
}

/** A node at head 100 whose schedules are asked for through `schedules`. */
function nodeWith(schedules: (at: BlockRef) => Awaited<ReturnType<ChainNodes['schedules']>>) {
  const asked: BlockRef[] = []
  const nodes: Partial<ChainNodes> = {
    head: async () => ({ head: block(100), finalizedBlock: 50 }),
    headers: async (numbers) => numbers.map((number) => block(number)),
    schedules: async (_ids, at) => {
      asked.push(at)
      return schedules(at)
    },
  }
  // Safe: nothing else of a node is asked for terms.
  return { asked, node: nodes as ChainNodes }
}

const known = new Map([[ID, { frequency: 1, dueDay: 5 } as const]])

describe('the terms of created subscriptions', () => {
  it('are read at the last block of a step that is not final', async () => {
    const { asked, node } = nodeWith(() => known)
    const to = block(60)
    expect(await readTerms(node, { events: [creation], to, finalizedBlock: 50 }, signal)).toEqual(known)
    expect(asked).toEqual([to])
  })

  it('are read at the head if the step is final: nodes delete old states', async () => {
    const { asked, node } = nodeWith(() => known)
    await readTerms(node, { events: [creation], to: block(50), finalizedBlock: 50 }, signal)
    expect(asked).toEqual([block(100)])
  })

  it('are not read if nothing was created', async () => {
    const { asked, node } = nodeWith(() => known)
    await readTerms(node, { events: [], to: block(60), finalizedBlock: 50 }, signal)
    expect(asked).toEqual([])
  })

  it('fail if the chain does not know a created subscription', async () => {
    const { node } = nodeWith(() => new Map())
    const reading = readTerms(node, { events: [creation], to: block(60), finalizedBlock: 50 }, signal)
    await expect(reading).rejects.toThrow(`does not know subscription ${ID}`)
  })

  const forgetful = (at: BlockRef) => {
    if (at.number < 100) throw new BlockGoneError('gone')
    return known
  }

  it('are read at the head if the node has deleted the state of a block on the head’s chain', async () => {
    const { node } = nodeWith(forgetful)
    const step = { events: [creation], to: block(60), finalizedBlock: 50 }
    expect(await readTerms(node, step, signal)).toEqual(known)
  })

  it('are not looked for at a head that was seen before the block', async () => {
    const { asked, node } = nodeWith((at) => {
      if (at.number > 100) throw new BlockGoneError('gone')
      return new Map()
    })
    const step = { events: [creation], to: block(101), finalizedBlock: 50 }
    await expect(readTerms(node, step, signal)).rejects.toThrow(BlockGoneError)
    await expect(readTerms(node, { ...step, finalizedBlock: 101 }, signal)).rejects.toThrow(BlockGoneError)
    expect(asked).toEqual([block(101), block(101)])
  })

  it('fail if the block was replaced: its subscription may have had other terms', async () => {
    const { node } = nodeWith(forgetful)
    const step = { events: [creation], to: block(60, 'b'), finalizedBlock: 50 }
    await expect(readTerms(node, step, signal)).rejects.toThrow(BlockGoneError)
  })
})
