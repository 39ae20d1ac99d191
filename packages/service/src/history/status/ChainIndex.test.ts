import { type Hex, numberToHex } from 'viem'
import { expect, it } from 'vitest'
import type { IndexState } from '../projection.ts'
import { ChainIndex } from './ChainIndex.ts'

const hashOf = (number: number): Hex => numberToHex(number, { size: 32 })

function standing(number: number): IndexState {
  const block = { number, hash: hashOf(number), parentHash: hashOf(number - 1), timestamp: 2 * number }
  return { block, finalizedBlock: 0, alarm: null, source: 'rpc', approvalsReadTo: null, providersChecked: 0 }
}

/** An index over a store and a clock that the test moves. */
function stage() {
  const state = { row: standing(100), nowMs: 0, isAway: false }
  const index = new ChainIndex({
    chainId: 31_337,
    firstBlock: 1,
    source: 'rpc',
    head: () => undefined,
    reader: {
      async indexState() {
        if (state.isAway) throw new Error('the store is gone')
        return state.row
      },
    },
    log: { info() {}, warn() {}, error() {} },
    now: () => state.nowMs,
  })
  const tip = async (isFresh = false) => (await index.tip(isFresh))?.block.number
  return { state, index, tip }
}

it('asks the store once for all who ask for the tip within five milliseconds, unless they want a fresh one', async () => {
  const { state, tip } = stage()
  expect(await tip()).toBe(100)
  state.row = standing(101)
  state.nowMs = 4
  expect(await tip()).toBe(100)
  expect(await tip(true)).toBe(101)
  state.row = standing(102)
  state.nowMs = 9
  expect(await tip()).toBe(102)
})

it('asks again where this process has moved the tip', async () => {
  const { state, index, tip } = stage()
  await tip()
  state.row = standing(101)
  index.moved(state.row)
  expect(await tip()).toBe(101)
})

it('keeps no failure', async () => {
  const { state, tip } = stage()
  state.isAway = true
  await expect(tip()).rejects.toThrow('the store is gone')
  state.isAway = false
  expect(await tip()).toBe(100)
})
