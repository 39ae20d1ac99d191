import { ChainFaultError, ServiceBusyError, ServiceFaultError } from '@remit/client/testing/cli/keeper/ports'
import { parseEther } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { PAYS, useKeeperGround } from './keeperGround.ts'
import { multiplied } from './keeperLies.ts'
import { KeeperWorld } from './keeperWorld.ts'
import { NodeAnswer } from './keeperWorldNode.ts'

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

/** Something is due on Monday, and the three days before it are unchecked. */
function backlog(): void {
  world.nextUncheckedDay = MONDAY - 3
  world.duePages.set(MONDAY - 3, 1)
  world.duePages.set(MONDAY - 1, 3)
  world.duePages.set(MONDAY, 1)
}

describe('a backlog', () => {
  it('is cleared over its days and pages, one transaction at a time', async () => {
    backlog()
    let most = 0
    world.onSleep = () => {
      most = Math.max(most, world.pool.length)
    }
    await world.runUntil(noon + HOUR)
    expect(world.duePages.size).toBe(0)
    expect(world.signed.map(({ nonce }) => nonce)).toEqual([0, 1, 2, 3, 4])
    expect(most).toBeLessThanOrEqual(1)
    expect(world.events().filter((event) => event === 'mined')).toHaveLength(5)
    expect(world.events().at(-1)).toBe('caught_up')
  })

  it('is counted at the end: what was sent, earned and paid', async () => {
    backlog()
    const keeper = await world.runUntil(noon + HOUR)
    expect(keeper.totals.sentence()).toBe(
      '5 sent, 5 of them succeeded and 0 reverted; earned 50 USDC; paid 0.00075 ETH for gas.',
    )
    expect(keeper.totals.facts()).toMatchObject({
      sent: 5,
      earned: [{ symbol: 'USDC', amountRaw: 50_000_000n }],
    })
  })

  it('is counted also where the node cannot tell what a mined remit earned', async () => {
    world.duePages.set(MONDAY, 2)
    world.nextUncheckedDay = MONDAY
    world.before = (call) => {
      if (call === 'earned' && world.count('earned') === 1) throw new ChainFaultError('The RPC failed.')
    }
    const keeper = await world.runUntil(noon + HOUR)
    expect(world.events()).toEqual(['sending', 'sent', 'mined', 'sending', 'sent', 'mined', 'caught_up'])
    expect(world.told[2]).toMatchObject({ facts: { paidWei: 150_000_000_000_000n, earned: null } })
    expect(keeper.totals.sentence()).toBe(
      '2 sent, 2 of them succeeded and 0 reverted; earned 10 USDC, and what 1 of them paid could not be read; paid 0.0003 ETH for gas.',
    )
    expect(keeper.totals.facts()).toMatchObject({ sent: 2, unread: 1 })
  })

  it('is checked again only after the service has seen the last remit', async () => {
    backlog()
    await world.runUntil(noon + HOUR)
    const mined = world.told.flatMap(({ event, facts }) => (event === 'mined' ? [facts.blockNumber] : []))
    expect(mined).toHaveLength(5)
    // The first look was before any remit; each other one asks for the block of the last.
    expect([...new Set(world.minBlocks)]).toEqual([undefined, ...mined])
  })

  it('is only reported in a dry run, which signs nothing', async () => {
    backlog()
    await world.runUntil(noon + HOUR / 2, { isDryRun: true })
    expect(world.events().filter((event) => event === 'would_send')).toHaveLength(1)
    expect(world.signed).toEqual([])
    expect(world.count('broadcast')).toBe(0)
  })

  it('ends a keeper that runs once when nothing is left to do', async () => {
    backlog()
    await world.keeper({ once: true }).run(new AbortController().signal)
    expect(world.duePages.size).toBe(0)
    expect(world.nowMs - noon).toBeLessThan(5 * MINUTE)
  })

  it('never takes more prepares in a minute than the lane allows', async () => {
    backlog()
    await world.runUntil(noon + HOUR)
    const times = world.calls.filter(({ call }) => call === 'prepareRemit').map(({ atMs }) => atMs)
    for (const at of times)
      expect(times.filter((each) => each >= at && each < at + MINUTE).length).toBeLessThanOrEqual(2)
  })
})

describe('a remit that does not pay', () => {
  beforeEach(() => {
    backlog()
    world.fee = 1000n
  })

  it('is not sent, and is checked again after longer and longer waits', async () => {
    await world.runUntil(noon + 11 * HOUR)
    expect(world.signed).toEqual([])
    const hours = world.calls
      .filter(({ call }) => call === 'prepareRemit')
      .map(({ atMs }) => (atMs - noon) / HOUR)
    expect(hours.map(Math.round)).toEqual([0, 1, 3, 7])
    expect(world.told.find(({ event }) => event === 'not_profitable')?.message).toContain(
      'Looking again at 2026-03-02T13:00:00Z',
    )
  })

  it('is sent once it pays', async () => {
    world.onSleep = () => {
      if (world.nowMs > noon + 2 * HOUR) world.fee = 10_000_000n
    }
    await world.runUntil(noon + 4 * HOUR)
    expect(world.duePages.size).toBe(0)
  })

  it('is checked again when the day changes', async () => {
    await world.runUntil(noon + 12 * HOUR + 10 * MINUTE)
    const last = world.calls.filter(({ call }) => call === 'prepareRemit').at(-1)?.atMs
    expect(last).toBeGreaterThanOrEqual(noon + 12 * HOUR)
  })

  it('is checked again soon after one that paid', async () => {
    world.nextUncheckedDay = MONDAY
    world.duePages.clear()
    world.duePages.set(MONDAY, 2)
    world.onSleep = () => {
      const isFirst = world.nonce === 0
      world.fee = isFirst && world.nowMs > noon + 2.5 * HOUR ? 10_000_000n : 1000n
    }
    await world.runUntil(noon + 5 * HOUR)
    const hours = world.calls
      .filter(({ call }) => call === 'prepareRemit')
      .map(({ atMs }) => (atMs - noon) / HOUR)
    expect(world.nonce).toBe(1)
    expect(hours.map(Math.round)).toEqual([0, 1, 3, 3, 4])
  })

  it('is sent anyway if the least profit is negative', async () => {
    await world.runUntil(noon + HOUR, { minProfitWei: -(10n ** 16n) })
    expect(world.duePages.size).toBe(0)
  })

  it('counts 0 for a token without a price, and says so once', async () => {
    world.fee = 10_000_000n
    await world.runUntil(noon + 5 * HOUR, { prices: new Map() })
    expect(world.signed).toEqual([])
    expect(world.events().filter((event) => event === 'unpriced')).toHaveLength(1)
    expect(world.events().filter((event) => event === 'not_profitable').length).toBeGreaterThan(1)
  })
})

describe('faults', () => {
  beforeEach(backlog)

  it.each(['state', 'prepareRemit'])('of the service at %s are survived', async (where) => {
    let failures = 4
    world.before = (call) => {
      if (call === where && failures > 0) {
        failures -= 1
        throw new ServiceFaultError('away')
      }
    }
    await world.runUntil(noon + HOUR)
    expect(world.duePages.size).toBe(0)
    expect(world.events().filter((event) => event === 'service_fault')).toHaveLength(4)
  })

  it('of the service do not use up the prepares of a day, which it gives back', async () => {
    let failures = 25
    world.before = (call) => {
      if (call !== 'prepareRemit' || failures === 0) return
      failures -= 1
      throw new ServiceFaultError('away')
    }
    await world.runUntil(noon + 11 * HOUR)
    expect(world.duePages.size).toBe(0)
  })

  it.each(['nonces', 'tryRemit', 'fees', 'balance', 'reverts', 'broadcast', 'receipt'])(
    'of the RPC at %s are survived',
    async (where) => {
      let calls = 0
      world.before = (call) => {
        if (call !== where) return
        calls += 1
        // Twice in a row: a node that fails for the pending block is asked for the latest one.
        if (calls % 3 !== 0) throw new ChainFaultError('away')
      }
      await world.runUntil(noon + HOUR)
      expect(world.duePages.size).toBe(0)
      expect(world.signed.map(({ nonce }) => nonce)).toEqual([0, 1, 2, 3, 4])
      expect(world.events()).toContain('rpc_fault')
    },
  )

  it('after a broadcast with unknown outcome cause the same transaction to be sent again, and no second one', async () => {
    let isFirst = true
    const broadcast = world.broadcast.bind(world)
    world.broadcast = (raw) => {
      const answer = broadcast(raw)
      if (!isFirst) return answer
      isFirst = false
      throw new ChainFaultError('the answer was lost')
    }
    await world.runUntil(noon + HOUR)
    expect(world.signed.map(({ nonce }) => nonce)).toEqual([0, 1, 2, 3, 4])
    expect(world.duePages.size).toBe(0)
  })

  it('make the keeper wait as long as the service says', async () => {
    let refused = 0
    world.before = (call) => {
      if (call === 'state' && refused === 0) {
        refused = world.nowMs
        throw new ServiceBusyError('Too much.', 1234)
      }
    }
    await world.runUntil(noon + HOUR)
    expect(world.calls.filter(({ call }) => call === 'state')[1]?.atMs).toBe(refused + 1_234_000)
  })

  it('of a service that says "one second" again and again are retried less and less often', async () => {
    world.before = (call) => {
      if (call === 'state') throw new ServiceBusyError('Not seen yet.', 1)
    }
    await world.runUntil(noon + 2 * HOUR)
    expect(world.count('state')).toBeLessThan(25)
  })

  it('end a keeper that runs once, if nothing answers', async () => {
    world.before = (call) => {
      if (call === 'state') throw new ServiceFaultError('away')
    }
    await expect(world.keeper({ once: true }).run(new AbortController().signal)).rejects.toMatchObject({
      exitCode: 3,
      message: 'away',
    })
  })

  it('of a node that refuses a remit are reported, and no remit is counted', async () => {
    world.nextUncheckedDay = MONDAY
    world.duePages.clear()
    world.duePages.set(MONDAY, 1)
    let isFirst = true
    const broadcast = world.broadcast.bind(world)
    world.broadcast = (raw) => {
      if (!isFirst) return broadcast(raw)
      isFirst = false
      throw new NodeAnswer('intrinsic gas too low')
    }
    const keeper = await world.runUntil(noon + HOUR)
    expect(world.told.find(({ event }) => event === 'refused')?.message).toMatch(
      /^The node refused the remit: intrinsic gas too low\./,
    )
    expect(keeper.totals.facts()).toMatchObject({ sent: 1, succeeded: 1 })
  })

  it('for lack of ether are reported, and end when some arrives, with few prepares meanwhile', async () => {
    world.balance = 0n
    world.onSleep = () => {
      if (world.nowMs > noon + 2.5 * HOUR) world.balance = 10n ** 18n
    }
    await world.runUntil(noon + 2 * HOUR)
    expect(world.events().filter((event) => event === 'no_funds')).toHaveLength(2)
    expect(world.count('prepareRemit')).toBe(2)
    await world.runUntil(noon + 2.75 * HOUR)
    expect(world.duePages.size).toBe(0)
  })
})

const { keep, faulty } = await useKeeperGround([3, 4, 5])

it('loses only the gas of three remits to a service that multiplies gains, gas and fees', async () => {
  faulty.tell(multiplied)
  const { code, sent, paidWei, earnedRaw, output } = await keep(PAYS)
  expect(code, output).toBe(0)
  expect(sent).toBe(3)
  expect(earnedRaw).toBe(1_200_000n)
  expect(paidWei).toBeLessThan(parseEther('0.003'))
})
