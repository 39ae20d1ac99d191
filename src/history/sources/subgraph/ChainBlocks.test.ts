import { type Hex, keccak256, numberToHex } from 'viem'
import { expect, test } from 'vitest'
import type { NodeHeader } from '../../../core/ports/node.ts'
import { ChainBlocks } from './ChainBlocks.ts'

const hashOf = (number: number, branch = 0): Hex => keccak256(numberToHex(number + 1_000 * branch))
const header = (number: number, branch = 0): NodeHeader => ({
  number,
  hash: hashOf(number, branch),
  parentHash: hashOf(number - 1, branch),
  timestamp: number,
  logsBloom: '0x',
})

test('takes linked blocks and single ones, in any order', () => {
  const blocks = new ChainBlocks(1, [9, 3, 5, 4], [header(9), header(3), header(5), header(4)])
  expect(blocks.has({ number: 4, hash: hashOf(4) })).toBe(true)
  expect(blocks.has({ number: 4, hash: hashOf(4, 1) })).toBe(false)
  expect(blocks.between(3, 8).map(({ number }) => number)).toEqual([3, 4, 5])
})

test('refuses neighbours of two branches', () => {
  const make = () => new ChainBlocks(1, [3, 4], [header(3), header(4, 1)])
  expect(make).toThrow('Chain 1 was reorganised at block 4 just now.')
})

test('refuses a missing block', () => {
  expect(() => new ChainBlocks(1, [3, 4], [header(3), undefined])).toThrow(
    'The nodes of chain 1 lack block 4.',
  )
})
