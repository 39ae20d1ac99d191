import { expect, it } from 'vitest'
import { nextBlock } from './simulateBlock.ts'

it('proves in the block after the view’s, at the time of the chain’s clock', () => {
  const asOf = { blockNumber: 41, blockHash: `0x${'ab'.repeat(32)}`, timestamp: 1_000 } as const
  expect(nextBlock({ asOf, now: 1_023 })).toEqual({ number: '0x2a', time: '0x3ff' })
})
