import { type Address, maxUint256 } from 'viem'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Random, randomOf } from '../differential/random.ts'
import { openWorld } from '../differential/world.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { trials, trialsTimeoutMs } from '../support/runner/trials.ts'
import { lackOf } from './expectLived.ts'
import { type Happened, live } from './live.ts'
import { openOutlooks } from './outlooksOf.ts'
import { COURSES, type Course, expectPromised, type Promised, rescue } from './rescue.ts'
import { approveOnce, beginShortOfPermission, payersWithoutEther } from './shortOfPermission.ts'

/** The days of a life. */
const YEAR = 365
/** Remit is up to so many days late. */
const LATE = { perDay: 3, strideDays: 9, isAudited: false }
/** Lives that together show every course. */
const FEW = [17, 22]
const lives = trials({ short: FEW.length, nightly: 200 })
/** `RESCUE_SEEDS=7,8` for those that failed; `RESCUE_SHOW=true` prints how many were dropped. */
const chosen = process.env.RESCUE_SEEDS?.split(',').map(Number)
const seeds = chosen ?? (lives > FEW.length ? Array.from({ length: lives }, (_, index) => index + 1) : FEW)

// No page of a remit ends before everybody has been charged: who is dropped is dropped for want of something.
const chain = await useTestChain({ terms: { maxRemits: 100n } })
const world = await openWorld(chain)
await chain.keep()

/** Over all lives, who was dropped for want of permission alone, and who had too little money (too). */
const counts = {
  memberships: 0,
  carried: 0,
  without: { permission: 0, money: 0 },
  rescued: { permission: 0, money: 0 },
}
const courses = new Map<Course, number>()
afterAll(() => {
  if (process.env.RESCUE_SHOW)
    console.log(JSON.stringify({ lives: seeds.length, ...counts, ...Object.fromEntries(courses) }))
})

describe('a permit that a provider carries keeps whoever has the money, and nobody else', () => {
  it.each(seeds)(
    'in the random life %i, a year of payers without ether',
    async (seed) => {
      const random = randomOf(seed)
      await beginShortOfPermission(world, random)
      const outlooks = openOutlooks(world)
      onTestFinished(outlooks.close)
      const without = await world.aside(() => live(world, { days: YEAR, ...LATE }))
      const endless = await world.aside(async () => {
        for (const payer of payersWithoutEther(world)) await approveOnce(world, payer, maxUint256)
        return live(world, { days: YEAR, ...LATE })
      })
      const rescued = await liveRescued(outlooks, random)
      // With endless permission, only money can be missing.
      expect(dropsIn(rescued)).toEqual(dropsIn(endless.happened))
      for (const address of payersWithoutEther(world))
        expect(await chain.client.getBalance({ address })).toBe(0n)
      counts.memberships += world.joined.length
      count(counts.without, without.happened)
      count(counts.rescued, rescued)
    },
    trialsTimeoutMs(60_000),
  )

  it.skipIf(chosen)('who would have been dropped for want of permission alone, and in every course', () => {
    expect(counts.without.permission).toBeGreaterThan(seeds.length)
    expect(counts.without.money).toBeGreaterThan(0)
    expect(counts.rescued).toMatchObject({ permission: 0 })
    expect(counts.rescued.money).toBeGreaterThan(0)
    expect([...courses.keys()].toSorted()).toEqual(Object.keys(COURSES).toSorted())
  })
})

/** A charge to come that fails for want of permission alone. */
interface Need {
  readonly day: number
  readonly provider: Address
}

/** Lets a year pass in which each payer signs, and a provider carries, some days before permission would be missing. */
async function liveRescued(outlooks: ReturnType<typeof openOutlooks>, random: Random): Promise<Happened[]> {
  const happened: Happened[] = []
  const needs = new Map<Address, Need>()
  const promises = new Map<Address, { readonly promised: Promised; readonly since: number }>()
  const today = async () => Math.floor((await chain.now()) / 86_400)
  const end = (await today()) + YEAR
  let nextUncheckedDay = 0

  const pass = async (days: number) => {
    const life = await live(world, { days, ...LATE })
    happened.push(...life.happened)
    nextUncheckedDay = life.nextUncheckedDay
  }
  const look = async (payer: Address) => {
    needs.delete(payer)
    const days = end - (await today())
    if (days === 0) return
    const { charges } = await outlooks.outlook(payer, days)
    const first = charges.find(({ failsBy }) => failsBy === 'allowance')
    const plan = world.subscriptions.find(({ id }) => id === first?.subscriptionId)
    if (first !== undefined && plan !== undefined)
      needs.set(payer, { day: first.day, provider: plan.provider })
  }
  const compare = (payer: Address) => {
    const promise = promises.get(payer)
    if (promise === undefined) return
    const own = happened.slice(promise.since).filter(({ account }) => account === payer)
    expectPromised(world, promise.promised, { happened: own, nextUncheckedDay })
  }

  for (const payer of payersWithoutEther(world)) await look(payer)
  while (needs.size > 0) {
    const next = nearest(needs)
    const wake = next - 2 - random.below(5)
    const wait = wake - (await today())
    if (wait > 0) await pass(wait)
    for (const [payer, { day, provider }] of [...needs]) {
      if (day > next + 1) continue
      compare(payer)
      const left = nearest(needs) - (await today())
      const { course, promised } = await rescue(world, random, outlooks, {
        payer,
        provider,
        pass: left >= 2 ? () => pass(1) : undefined,
      })
      courses.set(course, (courses.get(course) ?? 0) + 1)
      counts.carried += 1
      promises.set(payer, { promised, since: happened.length })
      await look(payer)
      if (random.oneIn(4)) await livePromised(payer, promised, end - (await today()))
    }
  }
  await pass(end - (await today()))
  for (const payer of payersWithoutEther(world)) compare(payer)
  return happened
}

function nearest(needs: ReadonlyMap<Address, Need>): number {
  return Math.min(...[...needs.values()].map(({ day }) => day))
}

/** Lets the days pass without another rescue: what carrying has promised comes true to its end, and leaves no trace. */
async function livePromised(payer: Address, promised: Promised, days: number): Promise<void> {
  const { happened, nextUncheckedDay } = await world.aside(() => live(world, { days, ...LATE }))
  const own = happened.filter(({ account }) => account === payer)
  expectPromised(world, promised, { happened: own, nextUncheckedDay })
}

/** Who was dropped from what, and on which day. */
function dropsIn(happened: readonly Happened[]): string[] {
  return happened
    .filter(({ verdict }) => verdict === 'fails')
    .map(
      ({ day, account, subscriptionId }) => `${day} ${world.nameOf(account)} ${world.nameOf(subscriptionId)}`,
    )
    .toSorted()
}

function count(drops: { permission: number; money: number }, happened: readonly Happened[]): void {
  for (const row of happened) {
    const lack = lackOf(world, row)
    if (lack === undefined) continue
    if (lack.why === 'allowance') drops.permission += 1
    else drops.money += 1
  }
}
