import type { Trouble, Verdict } from '@remit/engine/ports/verdicts'
import { nextDueDay, SECONDS_PER_DAY } from '@remit/protocol/calendar'
import { useProjectionLife } from '@remit/testing/support/history/projectionLife'
import { addressOf, subLog } from '@remit/testing/support/history/SyntheticChain'
import { describeStores } from '@remit/testing/support/stores/describeStores'
import type { Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { createProjection } from '../createProjection.ts'
import { verdictStore } from '../verdicts/verdictStore.ts'
import { watchStore } from './watchStore.ts'

/** By its last byte, it is weekly and due on the first day of the contract's weeks. */
const id: Hex = `0x${'1d'.repeat(31)}00`
const [provider, subscriber, token] = [addressOf('provider'), addressOf('subscriber'), addressOf('token')]

describeStores('what the sweep tells', (stores) => {
  const life = useProjectionLife(stores)
  const joined = () => life.live([subLog(0, { id, provider })], [subLog(6, { id, provider, subscriber })])
  const today = () => Math.floor(life.chain.head.timestamp / SECONDS_PER_DAY)

  /** The charges of a verdict: on days from now, the last one failing where there is trouble. */
  const verdict = (firstIn: number, charges: string, trouble?: { in: number; kind: Trouble }): Verdict => ({
    firstDay: today() + firstIn,
    charges,
    trouble: trouble
      ? { kind: trouble.kind, dayNumber: today() + trouble.in, missingAllowance: 0n, missingBalance: 7n }
      : null,
  })
  const sweep = async (read: Verdict, now?: number) =>
    verdictStore(stores.store).writeVerdicts(
      await life.driver.lease(),
      life.chain.head,
      [{ subscriptionId: id, subscriber, verdict: read, sweepAt: 2 ** 40 }],
      now,
    )
  const told = async (after = 3) => {
    const query = { after, first: 100, filters: {}, finality: 'seen' } as const
    const page = await createProjection(stores.store).readLog(life.driver.chainId, query)
    return (page?.events ?? []).map((event) =>
      [
        event.type,
        'day' in event.facts && event.facts.day - today(),
        'kind' in event.facts && event.facts.kind,
      ]
        .filter((part) => part !== false)
        .join(' '),
    )
  }

  it('is a charge at risk, seven days before it is due and once', async () => {
    await joined()
    await sweep(verdict(8, 'PX', { in: 8, kind: 'balance' }))
    expect(await told()).toEqual(['coverage.ending 8 balance'])
    await sweep(verdict(8, 'PX', { in: 8, kind: 'balance' }), life.chain.head.timestamp + SECONDS_PER_DAY)
    await sweep(verdict(8, 'PX', { in: 8, kind: 'balance' }), life.chain.head.timestamp + SECONDS_PER_DAY)
    expect(await told()).toEqual(['coverage.ending 8 balance', 'payment.at_risk 8 balance'])
  })

  it('is told again where the reason changes, taken back by safe_again, and told anew after that', async () => {
    await joined()
    await sweep(verdict(3, 'X', { in: 3, kind: 'balance' }))
    await sweep(verdict(3, 'X', { in: 3, kind: 'both' }))
    await sweep(verdict(3, 'PPPPP'))
    await sweep(verdict(3, 'PPPPP'))
    await sweep(verdict(3, 'X', { in: 3, kind: 'both' }))
    expect(await told()).toEqual([
      'coverage.ending 3 balance',
      'payment.at_risk 3 balance',
      'payment.at_risk 3 both',
      'payment.safe_again 3',
      'payment.at_risk 3 both',
    ])
  })

  it('says nothing of a charge that remit has passed', async () => {
    await joined()
    await sweep(verdict(1, 'X', { in: 1, kind: 'blocked' }))
    await sweep(verdict(8, 'PPPP'))
    expect(await told()).toEqual(['payment.at_risk 1 blocked'])
  })

  it('is safe where its token is paused', async () => {
    await joined()
    await sweep(verdict(1, 'X', { in: 1, kind: 'balance' }))
    await sweep(verdict(1, 'SSSS'))
    expect((await told()).at(-1)).toBe('payment.safe_again 1')
  })

  it('is safe where its token is paused after its due day, as long as remit has not come', async () => {
    await joined()
    const dueYesterday = verdict(-1, 'X', { in: -1, kind: 'balance' })
    await sweep(dueYesterday, life.chain.head.timestamp - 3 * SECONDS_PER_DAY)
    await sweep(verdict(-1, 'SSSS'))
    expect((await told()).slice(-2)).toEqual(['payment.at_risk -1 balance', 'payment.safe_again -1'])
  })

  it('is told again to whoever has left and joined again', async () => {
    await joined()
    await sweep(verdict(3, 'X', { in: 3, kind: 'balance' }))
    await life.live([subLog(7, { id, provider, subscriber })], [subLog(6, { id, provider, subscriber })])
    await sweep(verdict(3, 'X', { in: 3, kind: 'balance' }))
    const all = await told()
    expect(all.filter((line) => line.startsWith('payment.at_risk'))).toHaveLength(2)
    expect(all.filter((line) => line.startsWith('coverage.ending'))).toHaveLength(2)
  })

  it('is coverage that ends, once for each day on which it does', async () => {
    await joined()
    await sweep(verdict(30, 'PPPX', { in: 120, kind: 'allowance' }))
    expect(await told()).toEqual([])
    await sweep(verdict(60, 'PPX', { in: 120, kind: 'allowance' }))
    await sweep(verdict(90, 'PX', { in: 120, kind: 'allowance' }))
    expect(await told()).toEqual(['coverage.ending 120 allowance'])
  })

  it('is coverage that ends once, also where the charge that is not paid is a year away', async () => {
    await joined()
    const yearly = verdict(366, 'X', { in: 366, kind: 'allowance' })
    await sweep(yearly)
    await sweep(yearly, life.chain.head.timestamp + 350 * SECONDS_PER_DAY)
    expect(await told()).toEqual(['coverage.ending 366 allowance'])
  })

  it('is taken back with its block, and told again under the same id', async () => {
    await joined()
    await life.live([])
    await sweep(verdict(3, 'X', { in: 3, kind: 'balance' }))
    const ids = async () =>
      (
        await createProjection(stores.store).readLog(life.driver.chainId, {
          after: 3,
          first: 100,
          filters: { types: ['payment.at_risk'] },
          finality: 'seen',
        })
      )?.events.map((event) => event.id)
    const before = await ids()
    life.chain.drop(1)
    await life.live([], [])
    await sweep(verdict(3, 'X', { in: 3, kind: 'balance' }))
    const after = await ids()
    expect(after?.[0]).toBe(before?.[0])
    expect(after?.at(-1)).toBe(before?.[0])
    expect(after).toHaveLength(3)
  })

  it('is not told again where an index begins anew', async () => {
    await joined()
    await sweep(verdict(3, 'X', { in: 3, kind: 'balance' }))
    const before = await told()
    await createProjection(stores.store).empty(await life.driver.lease(), life.chain.origin, 'rpc')
    await life.driver.catchUp()
    await sweep(verdict(3, 'X', { in: 3, kind: 'balance' }))
    expect(await told()).toEqual(before)
  })

  describe('by looks at what no log tells', () => {
    const look = async ({ paused, waiting }: { paused: boolean; waiting: number }) =>
      watchStore(stores.store).logChanges(await life.driver.lease(), life.chain.head, {
        tokens: [{ address: token, paused }],
        nextUncheckedDay: today() - waiting,
        today: today(),
      })
    const behind = async () => {
      const query = { after: 0, first: 100, filters: {}, finality: 'seen' } as const
      const page = await createProjection(stores.store).readLog(life.driver.chainId, query)
      return (page?.events ?? []).flatMap((event) =>
        event.type === 'remit.behind' ? [[event.facts.day, event.facts.daysWaiting]] : [],
      )
    }
    const ages = () => life.ask((history) => history.verdictAges({ provider }))
    const expected = () => life.ask((history) => history.expectedCharges({ provider }, today() + 99))

    it('is a token that was paused or resumed', async () => {
      await joined()
      await look({ paused: false, waiting: 0 })
      expect(await told()).toEqual([])
      await look({ paused: true, waiting: 0 })
      await look({ paused: true, waiting: 0 })
      await look({ paused: false, waiting: 0 })
      expect(await told()).toEqual(['token.paused', 'token.resumed'])
    })

    it('forgets what was read of a token that is paused or resumed, and nothing while it stays so', async () => {
      await joined()
      for (const paused of [true, false]) {
        await sweep(verdict(5, 'PPP'))
        expect(await expected()).not.toEqual([])
        await look({ paused, waiting: 0 })
        expect(await ages()).toMatchObject({ memberships: 1, unread: 1 })
        expect(await expected()).toEqual([])
        expect(await verdictStore(stores.store).countDue(life.driver.chainId, 0)).toBe(1)
        await sweep(verdict(5, 'PPP'))
        await look({ paused, waiting: 0 })
        expect(await ages()).toMatchObject({ memberships: 1, unread: 0 })
      }
    })

    /** Days from today to the last due day but this week's. */
    const lastDue = () => (nextDueDay(0, 1, today() - 8) ?? expect.fail('no due day')) - today()

    it('is a remit that is behind, once for each day at which it stands, counted from the charge that waits', async () => {
      await joined()
      await sweep(verdict(lastDue(), 'PPP'))
      await look({ paused: false, waiting: 1 })
      expect(await behind()).toEqual([])
      // Nothing was due on the days before.
      await look({ paused: false, waiting: 30 })
      await look({ paused: false, waiting: 30 })
      expect(await behind()).toEqual([[today() - 30, -lastDue()]])
      // Remit has finished that day since the verdict.
      await look({ paused: false, waiting: -lastDue() - 1 })
      expect(await behind()).toHaveLength(1)
    })

    it('is no remit that is behind where the token of all who wait is paused', async () => {
      await joined()
      await sweep(verdict(lastDue(), 'PPP'))
      await look({ paused: true, waiting: 30 })
      await sweep(verdict(lastDue(), 'SSS'))
      await look({ paused: true, waiting: 30 })
      expect(await told()).toEqual(['token.paused'])
    })
  })
})
