import { dueDayOn } from '@remit/protocol/calendar'
import { FREQUENCIES } from '@remit/protocol/subscription'
import { Frequency, tupleOf } from '@remit/testing/support/chain/protocolOn'
import { checkpointAt, useReadingGround } from '@remit/testing/support/chain/useReadingGround'
import { describe, expect, it } from 'vitest'
import { type DueSlot, dueSlots, packSlots } from './dueSlots.ts'

const ground = await useReadingGround()
const { protocol, wallets, tokens } = ground
const { admin, provider, alice, bob, carol, stranger } = wallets

const weekly = await protocol.create()
const monthly = await protocol.create({ token: tokens.dai, frequency: Frequency.MONTHLY, dueDay: 9 })
await protocol.join(weekly, alice)
await protocol.join(weekly, bob)
await protocol.join(monthly, alice)
await ground.keep()

describe('due lists', () => {
  const wednesday = [{ frequency: Frequency.WEEKLY, dueDay: 3 }]
  const dueIds = () =>
    ground.view(async ({ read }) => (await read.due(wednesday)).flatMap((list) => list.subscriptionIds))

  it('keep their order and name what a remit would charge', async () => {
    const second = await protocol.create()
    await protocol.join(second, carol)
    await ground.view(async ({ read }) => {
      expect(
        await read.due([...wednesday, { frequency: 1, dueDay: 9 }, { frequency: 3, dueDay: 1 }]),
      ).toEqual([
        { frequency: 0, dueDay: 3, subscriptionIds: [weekly.id, second.id] },
        { frequency: 1, dueDay: 9, subscriptionIds: [monthly.id] },
        { frequency: 3, dueDay: 1, subscriptionIds: [] },
      ])
    })
  })

  it('leave out what is cancelled', async () => {
    await protocol.send(provider, 'cancelSubscription', [tupleOf(weekly.id)])
    expect(await dueIds()).toEqual([])
  })

  it('leave out what is charged in a paused token', async () => {
    await protocol.send(admin, 'pauseToken', [tokens.usdc, true])
    expect(await dueIds()).toEqual([])
  })

  it('leave out what nobody subscribes to any more', async () => {
    for (const account of [alice, bob]) await protocol.send(account, 'unsubscribe', [tupleOf(weekly.id)])
    expect(await protocol.read('getIdByTime', [0n, 3])).toEqual([weekly.id])
    expect(await dueIds()).toEqual([])
  })

  it('leave out what has only listed subscribers', async () => {
    await protocol.send(admin, 'setPageStart', [checkpointAt(weekly.id)])
    for (const account of [alice, bob]) await protocol.send(account, 'unsubscribe', [tupleOf(weekly.id)])
    expect(await dueIds()).toEqual([])
  })

  it('count subscribers that the contract’s own view cannot list', async () => {
    await protocol.send(admin, 'setPageStart', [checkpointAt(weekly.id)])
    await protocol.send(alice, 'unsubscribe', [tupleOf(weekly.id)])
    expect(await protocol.reverts(alice, 'getSubscribersById', [weekly.id])).toBe('Panic(50)')
    expect(await dueIds()).toEqual([weekly.id])
  })

  it('leave out what makes remit panic', async () => {
    await protocol.send(admin, 'setPageStart', [checkpointAt(weekly.id)])
    for (const account of [carol, stranger, wallets.dave]) {
      await protocol.send(account, 'unsubscribe', [tupleOf(weekly.id)])
    }
    expect(await protocol.reverts(alice, 'getSubscribersById', [weekly.id])).toBe('Panic(17)')
    expect(await dueIds()).toEqual([])
  })
})

const day = (text: string) => Date.parse(text) / 86_400_000

it.each(['2026-03-02', '2024-02-29', '2024-12-31', '2025-01-01', '2028-03-01', '2100-03-01'])(
  'names all 490 due lists on %s, each with the last day that looks at it',
  (date) => {
    const today = day(date)
    const slots = dueSlots(today)
    expect(slots).toHaveLength(7 + 28 + 90 + 365)
    const looksAt = (day: number, { frequency, dueDay }: DueSlot) => {
      const due = dueDayOn(day, frequency)
      return !due.skipped && due.dueDay === dueDay
    }
    const wrong = slots.filter((slot) => {
      const later = Array.from({ length: today - slot.lastDay }, (_, index) => slot.lastDay + 1 + index)
      return !looksAt(slot.lastDay, slot) || later.some((day) => looksAt(day, slot))
    })
    expect(wrong).toEqual([])
  },
)

it('has the lists of today with today as their last day', () => {
  const today = day('2026-03-02')
  const ofToday = dueSlots(today).filter(({ lastDay }) => lastDay === today)
  expect(ofToday.map(({ frequency }) => frequency)).toEqual([...FREQUENCIES])
})

it('does not look back beyond day 0', () => {
  expect(dueSlots(0).every(({ lastDay }) => lastDay === 0)).toBe(true)
})

it('packs a slot into eight bytes', () => {
  expect(packSlots([{ frequency: 3, dueDay: 365, lastDay: 20_512 }])).toBe('0x03016d0000005020')
})
