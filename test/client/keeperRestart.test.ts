import { keccak256, toHex } from 'viem'
import { beforeEach, expect, it } from 'vitest'
import { CONTRACT, KeeperWorld, REMIT_DATA } from './keeperWorld.ts'

const MINUTE = 60_000
const MONDAY = 20_514

let world: KeeperWorld
/** Noon of Monday. */
let noon: number

/** One remit is due, a keeper has sent it, nobody has mined it, and the keeper has ended. */
beforeEach(async () => {
  world = new KeeperWorld()
  noon = world.nowMs
  world.nextUncheckedDay = MONDAY
  world.duePages.set(MONDAY, 1)
  world.mines = false
  await world.runUntil(noon + MINUTE, { drainMs: 0 })
  expect(world.pool).toHaveLength(1)
  world.told.length = 0
})

/** Something else of the wallet's waits instead, such as its owner's own transfer. */
function putForeign(): void {
  const [sent] = world.pool
  if (sent === undefined) throw new Error('nothing was sent')
  world.pool = [{ ...sent, data: '0xdeadbeef', hash: keccak256(toHex('foreign')) }]
}

it('waits for its own pending remit, and sends no second one', async () => {
  world.onSleep = () => {
    if (world.nowMs > noon + 2 * MINUTE) world.mines = true
  }
  const keeper = await world.runUntil(noon + 10 * MINUTE)
  expect(world.signed).toHaveLength(1)
  expect(world.duePages.size).toBe(0)
  expect(world.events()).toEqual(['adopted', 'mined', 'caught_up'])
  expect(keeper.totals.sentence()).toContain('1 sent, 1 of them succeeded and 0 reverted; earned 10 USDC')
})

it('raises the fees of its own remit that nobody mines, at the same nonce and within its bounds', async () => {
  world.mines = true
  world.baseFee = 3_000_000_000n
  await world.runUntil(noon + 20 * MINUTE)
  expect(world.events().slice(0, 2)).toEqual(['adopted', 'raised'])
  expect(world.events()).toContain('mined')
  expect(new Set(world.signed.map(({ nonce }) => nonce))).toEqual(new Set([0]))
  for (const { gas, fees, to, data } of world.signed) {
    expect([to, data]).toEqual([CONTRACT, REMIT_DATA])
    expect(gas * fees.maxFeePerGas).toBeLessThanOrEqual(10n ** 16n)
  }
})

it('does not raise fees beyond --max-fee, and keeps waiting', async () => {
  world.mines = true
  world.baseFee = 3_000_000_000n
  await world.runUntil(noon + 20 * MINUTE, { maxFeeWei: 1_000_000_000_000n })
  expect(world.signed).toHaveLength(1)
  expect(world.told.find(({ event }) => event === 'stuck')?.message).toContain('--max-fee')
})

it('does not raise the fees of a remit that would revert now', async () => {
  world.remit()
  await world.runUntil(noon + 20 * MINUTE, { drainMs: 0 })
  expect(world.signed).toHaveLength(1)
})

it('never replaces a transaction that is not a remit, and waits for it', async () => {
  putForeign()
  await world.runUntil(noon + 30 * MINUTE)
  expect(world.events()).toEqual(['pending'])
  expect(world.signed).toHaveLength(1)
  world.pool = []
  world.nonce += 1
  world.mines = true
  await world.runUntil(noon + 40 * MINUTE)
  expect(world.duePages.size).toBe(0)
})

it('never replaces a transaction that it saw was not a remit, even if the node stops showing it', async () => {
  putForeign()
  world.onSleep = () => {
    if (world.nowMs > noon + 2 * MINUTE) world.showsPool = false
  }
  await world.runUntil(noon + 30 * MINUTE)
  expect(world.signed).toHaveLength(1)
})

it('replaces a pending transaction that the node does not show, after a wait', async () => {
  world.showsPool = false
  // What waits offers too little, and what replaces it offers enough.
  world.baseFee = 3_000_000_000n
  world.mines = true
  await world.runUntil(noon + 2 * MINUTE)
  expect(world.events()).toEqual(['pending'])
  await world.runUntil(noon + 10 * MINUTE)
  expect(world.signed.map(({ nonce }) => nonce)).toEqual([0, 0])
  expect(world.events()).toContain('mined')
  expect(world.duePages.size).toBe(0)
})

it('signs no replacement in a dry run', async () => {
  await world.runUntil(noon + 30 * MINUTE, { isDryRun: true })
  expect(world.signed).toHaveLength(1)
  expect(world.events()).toEqual(['pending'])
})
