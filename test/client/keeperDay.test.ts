import type { KeeperSettings } from '@remit/client/testing/cli/keeper/Keeper'
import { leastIntervalMs } from '@remit/client/testing/cli/keeper/pace'
import { ChainFaultError, ServiceFaultError } from '@remit/client/testing/cli/keeper/ports'
import type { SignedPermit } from '@remit/client/testing/sending/signed/SignedPermit'
import { expect, it } from 'vitest'
import { CONTRACT, KeeperWorld, USDC } from './keeperWorld.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const MONDAY = 20_514

/** What a caller without an API key may take (the service's default limits). */
const FREE = { perMinute: 20, perDay: 500, expensivePerMinute: 3, writesPerMinute: 2, writesPerDay: 20 }

const OFFERED: SignedPermit = {
  chainId: 31_337,
  token: USDC.address,
  owner: CONTRACT,
  value: '1',
  deadline: 4_102_444_800,
  signature: '0x00',
}

interface Day {
  readonly name: string
  readonly arrange: (world: KeeperWorld) => void
  readonly settings?: Partial<KeeperSettings>
  /** Whether the service gives every write unit back, as it does for what it could not serve. */
  readonly givesBack?: true
}

/** Days that a keeper may meet, the worst ones among them. */
const DAYS: readonly Day[] = [
  { name: 'nothing to do', arrange: () => {} },
  { name: 'one remit a day', arrange: (world) => fillDays(world, MONDAY, 2, 1) },
  {
    name: 'a backlog of more transactions than a day’s prepares',
    arrange: (world) => fillDays(world, MONDAY - 60, 62, 2),
  },
  {
    name: 'a backlog that never pays',
    arrange: (world) => {
      fillDays(world, MONDAY - 60, 62, 2)
      world.fee = 1n
    },
  },
  {
    name: 'a dry run',
    arrange: (world) => fillDays(world, MONDAY - 60, 62, 2),
    settings: { isDryRun: true },
  },
  {
    name: 'a service that fails all day',
    arrange: (world) => {
      fillDays(world, MONDAY - 1, 3, 1)
      world.before = failing('state')
    },
  },
  {
    name: 'a service that prepares nothing all day',
    arrange: (world) => {
      fillDays(world, MONDAY - 1, 3, 1)
      world.before = failing('prepareRemit')
    },
    givesBack: true,
  },
  {
    name: 'remits that revert in every block',
    arrange: (world) => {
      fillDays(world, MONDAY, 1, 1)
      // The try goes well, and what is mined does not.
      world.remit = () => false
    },
  },
  {
    name: 'no ether',
    arrange: (world) => {
      fillDays(world, MONDAY, 2, 1)
      world.balance = 0n
    },
  },
  {
    name: 'permissions that are offered all day and never worth it',
    arrange: (world) => {
      fillDays(world, MONDAY, 2, 1)
      world.offers = [OFFERED]
    },
    settings: { carries: true, intervalMs: Math.max(300_000, leastIntervalMs(FREE.perDay / 2)) },
  },
  {
    name: 'a clock of the chain that stands still just before midnight',
    arrange: (world) => {
      const { state } = world.service
      const headTimestamp = (MONDAY + 1) * 86_400 - 1
      Object.assign(world.service, { state: async () => ({ ...(await state()), headTimestamp }) })
    },
  },
]

it.each(DAYS)('$name stays inside the free lane', async ({ arrange, settings = {}, givesBack }) => {
  const world = new KeeperWorld()
  world.nowMs = MONDAY * DAY_MS
  world.nextUncheckedDay = MONDAY + 1
  arrange(world)
  const intervalMs = Math.max(300_000, leastIntervalMs(FREE.perDay))
  await world.runUntil(world.nowMs + 2 * DAY_MS, { intervalMs, ...settings })

  const requests = world.calls.filter(({ call }) => ['state', 'prepareRemit', 'offers'].includes(call))
  const looks = requests.filter(({ call }) => call === 'offers')
  expect(busiest(looks, MINUTE_MS)).toBeLessThanOrEqual(FREE.expensivePerMinute)
  const writes = requests.filter(({ call }) => call === 'prepareRemit')
  expect(busiest(requests, MINUTE_MS)).toBeLessThanOrEqual(FREE.perMinute)
  expect(busiest(writes, MINUTE_MS)).toBeLessThanOrEqual(FREE.writesPerMinute)
  for (const day of [MONDAY, MONDAY + 1]) {
    const of = (list: typeof requests) => list.filter(({ atMs }) => Math.floor(atMs / DAY_MS) === day).length
    expect(of(requests)).toBeLessThanOrEqual(FREE.perDay)
    if (!givesBack) expect(of(writes)).toBeLessThanOrEqual(FREE.writesPerDay)
  }
})

it('looks at least every five minutes, and within seconds of the chain’s midnight', async () => {
  const world = new KeeperWorld()
  world.nowMs = MONDAY * DAY_MS + 12 * 3_600_000 + 17_000
  world.nextUncheckedDay = MONDAY + 1
  world.duePages.set(MONDAY + 1, 1)
  await world.runUntil((MONDAY + 1) * DAY_MS + 3_600_000)
  const times = world.calls.filter(({ call }) => call === 'state').map(({ atMs }) => atMs)
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at))
  expect(Math.max(...gaps)).toBeLessThanOrEqual(300_000)
  const first = world.calls.find(({ call }) => call === 'prepareRemit')?.atMs ?? 0
  expect(first - (MONDAY + 1) * DAY_MS).toBeGreaterThan(0)
  expect(first - (MONDAY + 1) * DAY_MS).toBeLessThanOrEqual(6000)
})

it('carries each permission once, whatever the service lists and the node says of it', async () => {
  const world = new KeeperWorld()
  world.offers = [OFFERED, OFFERED]
  world.savesCharge = true
  // A node that never learns of it.
  world.carried.add = () => world.carried
  await world.runUntil(world.nowMs + DAY_MS, { carries: true })
  expect(world.signed.map(({ to }) => to)).toEqual([USDC.address])
  expect(world.events().filter((event) => event === 'carried')).toHaveLength(1)
})

it('carries what stands behind a permission that its node fails to try', async () => {
  const world = new KeeperWorld()
  world.offers = [{ ...OFFERED, signature: '0x01' }, OFFERED]
  world.savesCharge = true
  world.before = (call) => {
    if (call === 'callOf' && world.count('callOf') === 1) throw new ChainFaultError('The RPC failed.')
  }
  await world.runUntil(world.nowMs + 600_000, { carries: true })
  expect(world.events()).toEqual(expect.arrayContaining(['unread', 'carrying', 'carried', 'caught_up']))
})

/** The most calls in any window of so long. */
function busiest(calls: KeeperWorld['calls'], windowMs: number): number {
  const counts = calls.map(
    ({ atMs }) => calls.filter((each) => each.atMs >= atMs && each.atMs < atMs + windowMs).length,
  )
  return Math.max(0, ...counts)
}

function fillDays(world: KeeperWorld, from: number, days: number, pages: number): void {
  world.nextUncheckedDay = from
  for (let day = from; day < from + days; day += 1) world.duePages.set(day, pages)
}

function failing(where: string): KeeperWorld['before'] {
  return (call) => {
    if (call === where) throw new ServiceFaultError('away')
  }
}
