import { ChainFaultError } from '@remit/client/testing/cli/keeper/ports'
import { beforeEach, describe, expect, it } from 'vitest'
import { KeeperWorld } from './keeperWorld.ts'

const HOUR = 3_600_000
const MONDAY = 20_514
/** What a remit of this world costs in the next block: 300,000 gas at 1.001 gwei. */
const COST_WEI = 300_300_000_000_000n

let world: KeeperWorld
/** Noon of Monday. */
let noon: number

beforeEach(() => {
  world = new KeeperWorld()
  noon = world.nowMs
  world.nextUncheckedDay = MONDAY
  world.duePages.set(MONDAY, 3)
})

describe('--max-fee', () => {
  it('stops a remit that costs more, even if it pays', async () => {
    world.fee = 10n ** 12n
    await world.runUntil(noon + HOUR, { maxFeeWei: COST_WEI - 1n })
    expect(world.signed).toEqual([])
    expect(world.told.at(-1)?.message).toMatch(
      /^Too dear: a remit costs 0.0003003 ETH now, and --max-fee allows 0.000300299999999999 ETH/,
    )
  })

  it('allows a remit that costs exactly that, and never offers more', async () => {
    world.fee = 10n ** 12n
    world.before = (call) => {
      if (call === 'broadcast') world.baseFee = 10n ** 12n
    }
    await world.runUntil(noon + HOUR, { maxFeeWei: COST_WEI })
    expect(world.signed.map(({ gas, fees }) => gas * fees.maxFeePerGas)).toEqual([COST_WEI])
    expect(world.told.find(({ event }) => event === 'stuck')?.message).toContain('--max-fee')
  })

  it('holds although the node fills in a higher gas limit, higher fees and another nonce', async () => {
    world.fee = 10n ** 12n
    await world.runUntil(noon + HOUR, { maxFeeWei: COST_WEI })
    expect(world.signed.map(({ nonce }) => nonce)).toEqual([0, 1, 2])
    for (const { gas, fees } of world.signed) expect(gas * fees.maxFeePerGas).toBeLessThanOrEqual(COST_WEI)
  })

  it('counts the L1 fee', async () => {
    world.fee = 10n ** 12n
    world.l1DataFee = 1n
    await world.runUntil(noon + HOUR, { maxFeeWei: COST_WEI })
    expect(world.signed).toEqual([])
    await world.runUntil(noon + 3 * HOUR, { maxFeeWei: COST_WEI + 1n })
    expect(world.signed.length).toBeGreaterThan(0)
    for (const { gas, fees } of world.signed) expect(gas * fees.maxFeePerGas).toBeLessThanOrEqual(COST_WEI)
  })

  it('limits the loss that a negative least profit would allow', async () => {
    world.fee = 1n
    await world.runUntil(noon + HOUR, { minProfitWei: -(10n ** 20n), maxFeeWei: 2n * COST_WEI })
    expect(world.duePages.size).toBe(0)
    for (const { gas, fees } of world.signed)
      expect(gas * fees.maxFeePerGas).toBeLessThanOrEqual(2n * COST_WEI)
  })
})

describe('what a remit pays', () => {
  it('comes from the node, whatever the service says', async () => {
    world.fee = 1000n
    world.forecast = 10n ** 15n
    await world.runUntil(noon + HOUR)
    expect(world.signed).toEqual([])
    world.fee = 10_000_000n
    world.forecast = 1n
    await world.runUntil(noon + 3 * HOUR)
    expect(world.duePages.size).toBe(0)
  })

  it('is unknown if the node has no eth_simulateV1: nothing is sent, and the keeper says so', async () => {
    world.simulates = false
    await world.runUntil(noon + HOUR / 2)
    expect(world.signed).toEqual([])
    expect(world.told.map(({ event, message }) => [event, message])).toEqual([
      ['no_forecast', expect.stringContaining('--trust-forecast')],
    ])
  })

  it('comes from the service with --trust-forecast, and the keeper says so', async () => {
    world.simulates = false
    await world.runUntil(noon + HOUR, { trustForecast: true })
    expect(world.duePages.size).toBe(0)
    expect(world.told.find(({ event }) => event === 'sending')).toMatchObject({
      message: expect.stringContaining('by the service’s word it pays 10 USDC'),
      facts: { isForecast: true },
    })
  })

  it('is taken from the service until one remit made a loss', async () => {
    world.simulates = false
    world.fee = 1000n
    world.forecast = 10n ** 15n
    await world.runUntil(noon + 5 * HOUR, { trustForecast: true })
    expect(world.signed).toHaveLength(1)
    expect(world.events()).toEqual([
      'sending',
      'sent',
      'mined',
      'distrusted',
      'no_forecast',
      'no_forecast',
      'no_forecast',
    ])
  })

  it('is taken from the service no longer where what a remit paid cannot be read', async () => {
    world.simulates = false
    world.before = (call) => {
      if (call === 'earned') throw new ChainFaultError('The RPC failed at the tokens of a receipt.')
    }
    await world.runUntil(noon + HOUR / 2, { trustForecast: true })
    expect(world.signed).toHaveLength(1)
    expect(world.events()).toEqual(['sending', 'sent', 'mined', 'distrusted', 'no_forecast'])
  })

  it('comes from the node even with --trust-forecast, if the node can simulate', async () => {
    world.fee = 1000n
    world.forecast = 10n ** 15n
    await world.runUntil(noon + HOUR, { trustForecast: true })
    expect(world.signed).toEqual([])
  })
})

it.each([
  ['another chain', { chainId: 1 }],
  ['another contract', { contractAddress: '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720' }],
])('a service whose answer is for another chain or contract: %s: ends the keeper', async (_name, lie) => {
  const { state } = world.service
  Object.assign(world.service, { state: async () => ({ ...(await state()), ...lie }) })
  await expect(world.runUntil(noon + HOUR)).rejects.toMatchObject({ exitCode: 1 })
  expect(world.signed).toEqual([])
})
