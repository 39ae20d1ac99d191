import type { ChainsPort } from '@remit/engine/ports/chains'
import type { LoggedEvent } from '@remit/engine/ports/events'
import { createProjection } from '@remit/service/testing/history/projection/createProjection'
import { AT_RISK_DAYS } from '@remit/service/testing/history/projection/eventLog/tellVerdicts'
import { verdictStore } from '@remit/service/testing/history/projection/verdicts/verdictStore'
import { Sweep } from '@remit/service/testing/history/sweep/Sweep'
import { parseAbi } from 'viem'
import { expect, it, onTestFinished } from 'vitest'
import { randomOf } from '../differential/random.ts'
import { openWorld } from '../differential/world.ts'
import { beginLife, changePermission, payersIn, someStep } from '../outlook/frozenStates.ts'
import { type Happened, type Life, live } from '../outlook/live.ts'
import { openOutlooks, type Told } from '../outlook/outlooksOf.ts'
import { readingGroundOn, silentLog } from '../support/chain/useReadingGround.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { fillFromLogs } from '../support/history/fillFromLogs.ts'
import { LogFollower } from '../support/history/LogFollower.ts'
import { trials, trialsTimeoutMs } from '../support/runner/trials.ts'

/** States of one random life. Each differs from the one before by some steps. */
const STATES = trials({ short: 8, nightly: 20 })
/** `AT_RISK_SEEDS=7,8` for those that failed. */
const chosen = process.env.AT_RISK_SEEDS?.split(',').map(Number)
const seeds = chosen ?? Array.from({ length: trials({ short: 1, nightly: 500 }) }, (_, index) => index + 1)
/** A part of a night is looked at as a whole is; a few lives that are run again are not. */
const areFew = chosen !== undefined && seeds.length < 50

// With so few charges in one call, page breaks are common.
const chain = await useTestChain({ terms: { maxRemits: 3n } })
const world = await openWorld(chain)
await chain.keep()
const ground = await readingGroundOn(chain)
let livesWithFailures = 0
let skippedByPages = 0
let permissionsChanged = 0

it.each(seeds)(
  'payment.at_risk is told of exactly the charges that fail within a week, and coverage.ending before each, in life %i',
  async (seed) => {
    const random = randomOf(seed)
    await beginLife(world, random)
    const index = await openSweptIndex()
    const outlooks = openOutlooks(world)
    onTestFinished(outlooks.close)
    let failures = 0
    for (let state = 0; state < STATES; state += 1) {
      for (let steps = 3 + random.below(4); steps > 0; steps -= 1) await someStep(world, random)
      let events = await index.sweptEvents()
      // Whoever changes its permission is read again by its log alone.
      const permissions = random.below(4)
      const before = permissions > 0 ? await outlooks.ask(payersIn(world), AT_RISK_DAYS) : undefined
      for (let left = permissions; left > 0; left -= 1) await changePermission(world, random)
      if (permissions > 0) events = await index.followedEvents()
      permissionsChanged += permissions
      const { timestamp } = await chain.client.getBlock()
      const today = Math.floor(Number(timestamp) / 86_400)
      const firstDay = await chain.client.readContract({
        address: chain.contract,
        abi: SETTINGS,
        functionName: 'nextUncheckedDay',
      })
      const { risks, ending } = standing(events, firstDay)
      const outlook = await outlooks.ask(payersIn(world), AT_RISK_DAYS)
      const life = await world.aside(() => live(world, { days: AT_RISK_DAYS, perDay: 3, isAudited: false }))
      // Where remit stalls, the state was not frozen until the due day.
      if (life.refusal !== '6') continue
      const told = risks.filter(({ day }) => day <= today + AT_RISK_DAYS)
      const isLeftOut = leftOut(outlook, life, today)
      const isMoved = movedByPages(before, outlook)
      const failed = life.happened.filter(({ verdict }) => verdict === 'fails')
      const place = `life ${seed}, state ${state}`
      const named = (rows: readonly Charge[]) =>
        rows.filter((row) => !isLeftOut(row) && !isMoved(row)).map(nameOf)
      expect(named(told).toSorted(), place).toEqual(named(failed).toSorted())
      for (const name of named(failed)) expect(ending, place).toContain(name)
      failures += named(failed).length
      skippedByPages += chargesOf(outlook).filter(
        (charge) => charge.skippedBecause === 'pageBreak' && !isLeftOut(charge),
      ).length
    }
    if (failures > 0) livesWithFailures += 1
  },
  trialsTimeoutMs(120_000),
)

it.skipIf(areFew)('has compared failures in nearly every life: in a few, everybody pays', () => {
  expect(livesWithFailures).toBeGreaterThanOrEqual(0.9 * seeds.length)
})

it.skipIf(areFew)('has compared lives in which permissions were lowered and raised', () => {
  expect(permissionsChanged).toBeGreaterThan((STATES / 2) * seeds.length)
})

it.skipIf(areFew)('has compared payers of whom a page break skips a charge', () => {
  expect(skippedByPages).toBeGreaterThan(seeds.length)
})

type Charge = Pick<Happened, 'subscriptionId' | 'account' | 'token' | 'day'>

const membershipOf = ({
  subscriptionId,
  account,
}: {
  readonly subscriptionId: string
  readonly account: string
}) => `${subscriptionId} ${account}`.toLowerCase()
const nameOf = (charge: {
  readonly subscriptionId: string
  readonly account: string
  readonly day: number
}) => `${membershipOf(charge)} ${charge.day}`

const payerOf = ({ account, token }: { readonly account: string; readonly token: string }) =>
  `${account} ${token}`.toLowerCase()

/** An index of this life's chain, whose sweep reads every verdict anew. */
async function openSweptIndex() {
  const { chainId } = chain
  const filling = await fillFromLogs(ground, [ground.url])
  const { store } = filling
  const projection = createProjection(store)
  const chains = ground.open({ rollbackAfterMs: 0 })
  onTestFinished(() => chains.stop())
  const sweep = new Sweep({
    chainId,
    chains,
    reader: projection,
    store: verdictStore(store),
    isSynced: () => true,
    requestsPerHour: 1_000_000,
    log: silentLog,
  })
  const follower = new LogFollower(async (query) => {
    const page = await projection.readLog(chainId, query)
    if (page === undefined) throw new Error('there is no log')
    return page
  }, 100)
  const catchUp = async () => {
    await filling.fill()
    await untilSeen(chains)
  }
  const sweepDue = async () => {
    while (await sweep.sweepPage(await filling.lease(), new AbortController().signal)) {}
    await follower.catchUp()
    return follower.events.toSorted((a, b) => a.sequence - b.sequence)
  }
  return {
    async sweptEvents() {
      await catchUp()
      // Much changes without an event of the contract.
      await store.transaction((db) => db.updateTable('verdicts').set({ sweep_at: 0 }).execute())
      return sweepDue()
    },
    /** Reads again only what logs have made due. */
    async followedEvents() {
      await catchUp()
      return sweepDue()
    },
  }
}

/** The nodes' head is the chain's: what was thrown away has had blocks of the same number. */
async function untilSeen(chains: ChainsPort): Promise<void> {
  const { hash, number } = await chain.client.getBlock()
  const options = { minBlock: Number(number) }
  const seen = () => chains.withView(chain.chainId, options, async ({ asOf }) => asOf.blockHash)
  await expect.poll(seen, { timeout: 10_000 }).toBe(hash)
}

/**
 * What a listener knows: of each membership the first charge at risk that remit has not passed, and every charge before
 * which coverage ends.
 */
function standing(
  events: readonly LoggedEvent[],
  firstDay: number,
): { readonly risks: readonly Charge[]; readonly ending: ReadonlySet<string> } {
  const open = new Map<string, Charge>()
  const ending = new Set<string>()
  for (const event of events) {
    const { subscriptionId, account, token } = event.subject
    if (subscriptionId === null) continue
    if (event.type === 'subscription.cancelled') endAll(`${subscriptionId} `)
    if (account === null || token === null) continue
    const of = { subscriptionId, account, token }
    if (event.type === 'payment.at_risk') {
      const charge = { ...of, day: event.facts.day }
      open.set(nameOf(charge), charge)
    }
    if (event.type === 'payment.safe_again') open.delete(nameOf({ ...of, day: event.facts.day }))
    if (event.type === 'coverage.ending') ending.add(nameOf({ ...of, day: event.facts.day }))
    if (/^subscriber\.(left|removed|dropped)$/.test(event.type)) endAll(`${membershipOf(of)} `)
  }
  const first = new Map<string, Charge>()
  for (const charge of [...open.values()].sort((a, b) => a.day - b.day)) {
    if (charge.day >= firstDay && !first.has(membershipOf(charge))) first.set(membershipOf(charge), charge)
  }
  return { risks: [...first.values()], ending }

  function endAll(prefix: string): void {
    for (const name of open.keys()) if (name.startsWith(prefix.toLowerCase())) open.delete(name)
  }
}

/**
 * Who is not compared, by payer and token: who receives money in the meantime, which nobody foresees, and whose token was
 * paused on a day that has passed.
 */
function leftOut(
  told: Told,
  { happened }: Life,
  today: number,
): (charge: { readonly account: string; readonly token: string }) => boolean {
  const skipped = chargesOf(told)
    .filter(({ skippedBecause, day }) => skippedBecause === 'tokenPaused' && day < today)
    .map(payerOf)
  const payers = new Set([...skipped, ...happened.filter(({ hasReceived }) => hasReceived).map(payerOf)])
  return (charge) => payers.has(payerOf(charge))
}

/**
 * By payer and token, of whom a page break skips another charge since somebody else's permission changed: whoever fails is
 * dropped, and the lists of later days are shorter. No log is about these charges, so they are told at the next sweep.
 */
function movedByPages(
  before: Told | undefined,
  after: Told,
): (charge: { readonly account: string; readonly token: string }) => boolean {
  if (before === undefined) return () => false
  const taken = (told: Told) => chargesOf(told).filter(({ skippedBecause }) => skippedBecause === null)
  const [one, other] = [taken(before), taken(after)].map((charges) => new Set(charges.map(nameOf)))
  const moved = [...taken(before), ...taken(after)].filter(
    (charge) => one?.has(nameOf(charge)) !== other?.has(nameOf(charge)),
  )
  const payers = new Set(moved.map(payerOf))
  return (charge) => payers.has(payerOf(charge))
}

function chargesOf({ outlooks }: Told) {
  return [...outlooks].flatMap(([account, { charges }]) => charges.map((charge) => ({ ...charge, account })))
}

const SETTINGS = parseAbi(['function nextUncheckedDay() view returns (uint40)'])
