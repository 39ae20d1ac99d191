import { BlockingToken } from '@remit/contracts/BlockingToken'
import type { VerdictScope } from '@remit/engine/ports/verdicts'
import { decodeLogs } from '@remit/protocol/logs/events'
import { createProjection } from '@remit/service/testing/history/projection/createProjection'
import { verdictStore } from '@remit/service/testing/history/projection/verdicts/verdictStore'
import { MOST_REQUESTS } from '@remit/service/testing/history/sweep/Sweep'
import type { Store } from '@remit/service/testing/store/openStore'
import type { Address, Hex } from 'viem'
import { expect, it } from 'vitest'
import { approvedToken } from '../support/chain/approvedToken.ts'
import { contractAt } from '../support/chain/contractAt.ts'
import { Frequency } from '../support/chain/protocolOn.ts'
import { reorganise } from '../support/chain/reorganise.ts'
import { useReadingGround } from '../support/chain/useReadingGround.ts'
import { makeDue, sweepOver } from '../support/history/sweepOver.ts'
import { describeStores } from '../support/stores/describeStores.ts'

const ground = await useReadingGround({ reorganises: true })
const { protocol, chainId, client, wallets, tokens } = ground
const { admin, alice, bob, carol, dave, keeper, provider, stranger } = wallets
const weekly = await protocol.create()
const sameDay = await protocol.create({ amount: 4n * 10n ** 18n })
const monthly = await protocol.create({ frequency: Frequency.MONTHLY, dueDay: 9, token: tokens.dai })
const blocking = await approvedToken(ground, BlockingToken)
const refused = await protocol.create({ token: blocking, frequency: Frequency.MONTHLY, dueDay: 20 })
await protocol.join(weekly, alice)
await protocol.join(sameDay, alice)
// Enough for both at first. In the third week only the one that remit takes first is paid.
await protocol.join(weekly, bob, { balance: 60_000_000n })
await protocol.join(sameDay, bob, { balance: 45_000_000n })
await protocol.join(weekly, carol, { balance: 90_000_000n, allowance: 35_000_000n })
await protocol.join(monthly, dave)
await protocol.join(monthly, stranger, { balance: 10n ** 19n, allowance: 10n ** 19n })
await protocol.join(refused, dave)
await protocol.join(refused, stranger)
await ground.keep()

const blacklist = (account: Address) =>
  contractAt(client, blocking, BlockingToken.abi).send(admin, 'setBlacklisted', [account, true])

const ALL: VerdictScope = { provider }
const PAGE = { first: 100, after: undefined }

/** A sweep that a test drives, and what is known by it. */
async function sweepHere(store: Store, options: Parameters<typeof sweepOver>[2] = {}) {
  const swept = await sweepOver(ground, store, options)
  const { queries } = swept
  return {
    ...swept,
    ages: () => queries((history) => history.verdictAges(ALL)),
    troubled: () => queries((history) => history.troubledMemberships(ALL, 99_999, PAGE)),
    expected: (until: number) => queries((history) => history.expectedCharges(ALL, until)),
    blocked: () => queries((history) => history.blockedCharges(99_999, 10)),
  }
}

/** The counts of all days, from the rows and as they are kept. */
async function countsOf(store: Store) {
  const kept = await store.db
    .selectFrom('verdict_counts')
    .selectAll()
    .where('chain_id', '=', chainId)
    .execute()
  const rows = await store.db.selectFrom('verdicts').selectAll().where('chain_id', '=', chainId).execute()
  const charges = rows.reduce((sum, row) => sum + (row.charges?.length ?? 0), 0)
  const sumOf = (ofRead: boolean) =>
    kept.filter(({ kind }) => (kind === 0) === ofRead).reduce((sum, { count }) => sum + count, 0)
  return {
    fit: sumOf(false) === charges && sumOf(true) === rows.filter((row) => row.charges !== null).length,
    memberships: rows.length,
    positive: kept.every(({ count }) => count > 0),
  }
}

const dayOf = async () => Math.floor((await ground.now()) / 86_400)

/** Calls remit on each day, and counts what it did by subscription, day and kind. */
async function remitThrough(lastDay: number): Promise<Map<string, number>> {
  const seen = new Map<string, number>()
  const kinds: Record<string, string> = { SubscriberPaid: 'paid', FeeFilled: 'filled', Failed: 'failed' }
  for (let day = await dayOf(); day <= lastDay; day += 1) {
    await ground.advanceTo(Math.max((await ground.now()) + 1, day * 86_400 + 10))
    while ((await protocol.reverts(keeper, 'remit', [])) === undefined) {
      const events = decodeLogs(await protocol.send(keeper, 'remit', []), ground.contract)
      const checked = events.findLast((event) => event.type === 'CallerLog')?.checkedDay
      for (const event of events) {
        if (event.type !== 'SubLog' || kinds[event.eventName] === undefined) continue
        const key = keyOf({ id: event.id, dayNumber: checked ?? 0, kind: kinds[event.eventName] ?? '' })
        seen.set(key, (seen.get(key) ?? 0) + 1)
      }
    }
  }
  return seen
}

const keyOf = ({ id, dayNumber, kind }: { id: Hex; dayNumber: number; kind: string }) =>
  `${id} ${dayNumber} ${kind}`

describeStores('the sweep', ({ open }) => {
  it('foresees every charge of a quarter as remit then makes it', async () => {
    const swept = await sweepHere(await open())
    expect(await swept.ages()).toMatchObject({ memberships: 9, unread: 9, oldest: null })
    await swept.all()
    expect(await swept.ages()).toMatchObject({ memberships: 9, unread: 0 })

    const today = await dayOf()
    const expected = await swept.expected(today + 90)
    const foreseen = new Map(
      expected.map(({ terms, dayNumber, kind, count }) => [keyOf({ id: terms.id, dayNumber, kind }), count]),
    )
    const troubled = await swept.troubled()
    expect(troubled.rows.map(({ trouble }) => trouble.kind).toSorted()).toEqual(
      ['allowance', 'both', 'balance', 'balance'].toSorted(),
    )
    expect(await remitThrough(today + 90)).toEqual(foreseen)
  })

  it('finds who is blocked, reads the payer again after an event, and forgets who left', async () => {
    await blacklist(stranger)
    const opened = await open()
    // No event tells of a blacklist.
    await makeDue(opened)
    const swept = await sweepHere(opened)
    await swept.all()
    expect(await swept.blocked()).toMatchObject([{ subscriber: stranger, subscriptionId: refused.id }])
    expect((await swept.troubled()).rows.filter(({ trouble }) => trouble.kind === 'blocked')).toHaveLength(1)
    expect(await countsOf(opened)).toMatchObject({ fit: true, positive: true, memberships: 9 })

    // His balance is shared, so leaving one makes the other last.
    await protocol.send(bob, 'unsubscribe', [weekly])
    await swept.filling.fill()
    const due = await verdictStore(opened).duePayers(chainId, 1, 10)
    expect(due).toEqual([{ subscriber: bob, token: weekly.token }])
    await swept.all()
    const ofBob = (await swept.troubled()).rows.filter(({ subscriber }) => subscriber === bob)
    expect(ofBob.map(({ terms }) => terms.id)).not.toContain(weekly.id)
    expect(await countsOf(opened)).toMatchObject({ fit: true, positive: true, memberships: 8 })
    await protocol.send(provider, 'cancelSubscription', [monthly])
    await swept.filling.fill()
    expect(await countsOf(opened)).toMatchObject({ fit: true, positive: true, memberships: 6 })
  })

  it('forgets a verdict of a block that was reorganised away, and reads it again', async () => {
    const opened = await open()
    const swept = await sweepHere(opened)
    await client.mine({ blocks: 2 })
    await protocol.send(carol, 'unsubscribe', [weekly])
    await swept.filling.fill()
    await swept.all()
    expect(await swept.ages()).toMatchObject({ memberships: 8, unread: 0 })
    await reorganise(client, 2, [])
    await swept.filling.fill()
    const ages = await swept.ages()
    expect([ages.memberships, ages.unread > 0]).toEqual([9, true])
    expect(await countsOf(opened)).toMatchObject({ fit: true, positive: true })
    await swept.all()
    expect(await swept.ages()).toMatchObject({ memberships: 9, unread: 0 })
    expect((await swept.troubled()).rows.map(({ subscriber }) => subscriber)).toContain(carol)
  })

  it('writes nothing of a payer who did something after the block that was read, or whose provider did', async () => {
    const opened = await open()
    const swept = await sweepHere(opened)
    await swept.all()
    const read = await createProjection(opened).indexState(chainId)
    if (read === undefined) throw new Error('there is no index')
    await protocol.send(bob, 'unsubscribe', [weekly])
    await protocol.send(provider, 'cancelSubscription', [monthly])
    await swept.filling.fill()
    const verdict = { firstDay: 99_000, charges: 'P', trouble: null }
    const of = { subscriptionId: refused.id, verdict, sweepAt: 99_999_999_999 }
    const late = [
      { ...of, subscriptionId: sameDay.id, subscriber: bob },
      // He is in the cancelled one too.
      { ...of, subscriber: dave },
      { ...of, subscriptionId: weekly.id, subscriber: carol },
    ]
    await verdictStore(opened).writeVerdicts(await swept.filling.lease(), read.block, late)
    const written = await opened.db
      .selectFrom('verdicts')
      .select('subscriber')
      .where('sweep_at', '=', of.sweepAt)
      .execute()
    expect(written).toEqual([{ subscriber: carol.toLowerCase() }])
    expect(await countsOf(opened)).toMatchObject({ fit: true, positive: true })
  })

  it('loses nothing when its process dies between two pages, and reads nothing twice', async () => {
    const opened = await open()
    await makeDue(opened)
    const swept = await sweepHere(opened, { pagePayers: 2 })
    await swept.page()
    const counted = () => verdictStore(opened).countDue(chainId, 1)
    const left = await counted()
    expect(left).toBeLessThan(9)
    // Another process goes on.
    const next = swept.make()
    let pages = 0
    while (pages < 20 && (await swept.page(next))) pages += 1
    expect([await counted(), pages > 1, pages <= left]).toEqual([0, true, true])
    expect(await countsOf(opened)).toMatchObject({ fit: true, positive: true })
  })

  it('never spends more than its budget in an hour', async () => {
    const opened = await open()
    await makeDue(opened)
    let now = 0
    const swept = await sweepHere(opened, { perHour: MOST_REQUESTS + 1, pagePayers: 1, now: () => now })
    const lease = await swept.filling.lease()
    const runFor = async (ms: number) => {
      await swept.sweep.run(lease, AbortSignal.timeout(ms))
      return swept.sweep.health().requestsLastHour
    }
    const spent = await runFor(1_500)
    expect(spent).toBeGreaterThan(0)
    expect(spent).toBeLessThanOrEqual(MOST_REQUESTS + 1)
    const due = swept.sweep.health().due
    expect(due).toBeGreaterThan(0)
    now += 3_600_001
    expect(await runFor(1_500)).toBeGreaterThan(0)
    expect(swept.sweep.health().due).toBeLessThan(due ?? 0)
  })
})
