import { expect, it } from 'vitest'
import { dueDayOn } from '../../protocol/calendar.ts'
import { FREQUENCIES } from '../../protocol/subscription.ts'
import { type DueSlot, dueSlots, packSlots } from './dueSlots.ts'

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
