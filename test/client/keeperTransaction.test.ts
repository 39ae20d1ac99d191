import { beforeEach, describe, expect, it } from 'vitest'
import { KeeperWorld } from './keeperWorld.ts'

const HOUR = 3_600_000
const MINUTE = 60_000
const MONDAY = 20_514

let world: KeeperWorld
/** Noon of Monday. */
let noon: number

beforeEach(() => {
  world = new KeeperWorld()
  noon = world.nowMs
})

describe('a transaction that nobody mines', () => {
  beforeEach(() => {
    world.nextUncheckedDay = MONDAY
    world.duePages.set(MONDAY, 1)
  })

  it('is replaced at its own nonce with higher fees, and mined', async () => {
    // The base fee leaps beyond what the first version offers, as soon as that is sent.
    world.before = (call) => {
      if (call === 'broadcast') world.baseFee = 2_500_000_000n
    }
    await world.runUntil(noon + 20 * MINUTE)
    expect(new Set(world.signed.map(({ nonce }) => nonce))).toEqual(new Set([0]))
    expect(world.signed.length).toBeGreaterThan(1)
    expect(world.events()).toContain('raised')
    expect(world.events()).toContain('mined')
    expect(world.duePages.size).toBe(0)
  })

  it('never offers so much that the remit does not pay', async () => {
    // What is left to spend is less than the usual fees would offer at most.
    const minProfitWei = 3_500_000_000_000_000n
    world.before = (call) => {
      if (call === 'broadcast') world.baseFee = 1_000_000_000_000n
    }
    await world.runUntil(noon + 2 * HOUR, { minProfitWei })
    const value = 4_000_000_000_000_000n
    expect(world.signed.length).toBeGreaterThan(0)
    for (const { gas, fees } of world.signed)
      expect(value - gas * fees.maxFeePerGas).toBeGreaterThan(minProfitWei)
    expect(world.events()).toContain('stuck')
    expect(world.duePages.size).toBe(1)
  })

  it('does not get higher fees once somebody else has remitted, because it would revert', async () => {
    world.mines = false
    let stolen = false
    world.onSleep = () => {
      if (!stolen) stolen = world.remit()
    }
    await world.runUntil(noon + 20 * MINUTE, { drainMs: 0 })
    expect(world.signed).toHaveLength(1)
    expect(world.told.find(({ event }) => event === 'stuck')?.message).toContain('somebody else was first')
  })

  it('is not signed if the keeper is asked to end first', async () => {
    const ending = new AbortController()
    world.before = (call) => {
      if (call === 'prepareRemit') ending.abort()
    }
    await world.keeper().run(ending.signal)
    expect(world.signed).toEqual([])
  })

  it('is reported if the keeper has to end before its receipt arrives', async () => {
    world.mines = false
    await world.runUntil(noon + MINUTE)
    const [sent] = world.signed
    expect(world.told.at(-1)).toMatchObject({
      event: 'left',
      message: expect.stringContaining(sent?.hash ?? '?'),
    })
    expect(world.nowMs - noon).toBeGreaterThanOrEqual(2 * MINUTE)
    expect(world.nowMs - noon).toBeLessThan(2 * MINUTE + 10_000)
  })

  it('is waited for until its receipt arrives when the keeper is asked to end', async () => {
    world.mines = false
    const ending = new AbortController()
    let sleeps = 0
    world.onSleep = () => {
      sleeps += 1
      if (sleeps === 1) ending.abort()
      if (sleeps === 5) world.mines = true
    }
    const keeper = world.keeper()
    await keeper.run(ending.signal)
    expect(world.events()).toEqual(['sending', 'sent', 'draining', 'mined'])
    expect(keeper.totals.facts()).toMatchObject({ sent: 1, succeeded: 1 })
  })
})

describe('somebody else', () => {
  beforeEach(() => {
    world.nextUncheckedDay = MONDAY
    world.duePages.set(MONDAY, 1)
  })

  it('who remits between proof and signature is noticed before anything is signed', async () => {
    let stolen = false
    world.before = (call) => {
      if (call === 'reverts' && !stolen) stolen = world.remit()
    }
    await world.runUntil(noon + HOUR)
    expect(world.signed).toEqual([])
    expect(world.events()).toContain('raced')
    expect(world.events().at(-1)).toBe('caught_up')
  })

  it('who is mined first costs the gas of one reverted transaction, which is reported and counted', async () => {
    let stolen = false
    world.before = (call) => {
      if (call === 'broadcast' && !stolen) stolen = world.remit()
    }
    const keeper = await world.runUntil(noon + HOUR)
    expect(world.told.find(({ event }) => event === 'reverted')?.message).toContain('0.00015 ETH are lost')
    expect(keeper.totals.facts()).toMatchObject({ sent: 1, succeeded: 0, reverted: 1 })
  })

  it('who uses the same key and takes the nonce does not end the keeper', async () => {
    world.duePages.set(MONDAY, 2)
    let taken = false
    world.before = (call) => {
      if (call !== 'receipt' || taken) return
      taken = true
      world.pool = []
      world.nonce += 1
    }
    await world.runUntil(noon + HOUR)
    expect(world.events()).toContain('displaced')
    expect(world.duePages.size).toBe(0)
  })
})
