import type { Covers } from '@remit/engine/presentation/accountRow'
import { toDay } from '@remit/engine/presentation/day'
import type { Subscription } from '@remit/engine/presentation/subscription'
import { dateOf, dayNumberOf, nextDueDay } from '@remit/protocol/calendar'
import type { Frequency } from '@remit/protocol/subscription'
import ICAL from 'ical.js'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { calendarFile } from './calendars.ts'

const LABELS = ['WEEKLY', 'MONTHLY', 'QUARTERLY', 'YEARLY'] as const
const day = (date: string) => dayNumberOf(date) ?? expect.fail(`no date: ${date}`)

function subscription(
  frequency: Frequency,
  dueDay: number,
  { from = '2027-11-20', cancelled = false, name = 'USDC' } = {},
): z.output<typeof Subscription> {
  const next = nextDueDay(frequency, dueDay, day(from))
  return {
    id: `0x${'1'.repeat(64)}`,
    provider: `0x${'2'.repeat(40)}`,
    token: { address: `0x${'3'.repeat(40)}`, symbol: name, name, decimals: 6 },
    cancelled,
    frequency,
    frequencyLabel: LABELS[frequency],
    dueDay,
    amount: '12.5',
    amountRaw: 12_500_000n,
    tokenDecimals: 6,
    nextDue: cancelled || next === undefined ? null : toDay(next),
    overdue: [],
    overdueCount: 0,
  }
}

type Ends = z.output<typeof Covers>

function read(
  rows: readonly z.output<typeof Subscription>[],
  { name = 'Payments', covers = null }: { name?: string; covers?: Ends | null } = {},
) {
  const file = calendarFile({
    name,
    chainId: 8453,
    asOf: { timestamp: 1_800_000_000 },
    rows: rows.map((row) => ({ subscription: row, title: `Pay ${row.amount} ${row.token.symbol}`, covers })),
  })
  const calendar = new ICAL.Component(ICAL.parse(file))
  return calendar.getAllSubcomponents('vevent').map((event) => new ICAL.Event(event))
}

/** The first days of an event, as another library reads the rule. */
function occurrences(event: ICAL.Event, count: number): string[] {
  const days = event.iterator()
  return Array.from({ length: count }, () => days.next()?.toString() ?? '')
}

/** The contract's due days, one after the other. */
function due(frequency: Frequency, dueDay: number, from: string, count: number): string[] {
  const days: string[] = []
  for (let next = nextDueDay(frequency, dueDay, day(from)); next !== undefined && days.length < count; ) {
    days.push(dateOf(next))
    next = nextDueDay(frequency, dueDay, next + 1)
  }
  return days
}

describe('a calendar, as another library reads it', () => {
  it.each([
    [0, 1],
    [0, 7],
    [1, 28],
    [1, 1],
  ] as const)(
    'has one rule for frequency %i and due day %i, with the contract’s days',
    (frequency, dueDay) => {
      const events = read([subscription(frequency, dueDay)])
      expect(events).toHaveLength(1)
      expect(events.flatMap((event) => occurrences(event, 60))).toEqual(
        due(frequency, dueDay, '2027-11-20', 60),
      )
    },
  )

  // Quarter day 60 is 29 February in a leap year and 1 March in others.
  it.each([
    [2, 60, 12],
    [3, 60, 3],
    [3, 365, 3],
  ] as const)('has dates three years ahead for frequency %i and due day %i', (frequency, dueDay, count) => {
    const events = read([subscription(frequency, dueDay)])
    expect(events.map((event) => event.startDate.toString())).toEqual(
      due(frequency, dueDay, '2027-11-20', count),
    )
  })

  it('keeps the UID of a due day from one version to the next, with whole days that block nothing', () => {
    const uids = (from: string) => read([subscription(2, 60, { from })]).map(({ uid }) => uid)
    const [first, ...later] = uids('2027-12-01')
    expect(uids('2028-03-01').slice(0, later.length)).toEqual(later)
    expect(first).toBe(`8453-0x${'1'.repeat(64)}-2028-02-29@remit`)
    const [event] = read([subscription(0, 3)])
    expect(event?.uid).toBe(`8453-0x${'1'.repeat(64)}@remit`)
    expect(event?.startDate.isDate).toBe(true)
    expect(event?.component.getFirstPropertyValue('transp')).toBe('TRANSPARENT')
  })

  it('has nothing of what is cancelled', () => {
    expect(read([subscription(0, 3, { cancelled: true })])).toEqual([])
  })

  it.each([
    ['weekly', 0, 3, ['2027-11-24', '2027-12-01'], '2027-12-08'],
    ['monthly', 1, 5, ['2027-12-05', '2028-01-05'], '2028-02-05'],
    ['quarterly', 2, 60, ['2027-11-29', '2028-02-29'], '2028-05-30'],
    ['weekly', 0, 3, [], '2027-11-24'],
  ] as const)(
    'ends a %s payer’s events with the last that is covered, and says of the next why it is not',
    (_, frequency, dueDay, covered, failing) => {
      const covers = (limitedBy: Ends['limitedBy']): Ends => ({
        periods: covered.length,
        until: covered.length === 0 ? null : toDay(day(covered.at(-1) ?? '')),
        limitedBy,
        failsOn: toDay(day(failing)),
      })
      const all = (limitedBy: Ends['limitedBy']) =>
        read([subscription(frequency, dueDay)], { covers: covers(limitedBy) })
      const days = (event: ICAL.Event) => occurrences(event, 60).filter((date) => date !== '')
      const payments = all('balance').slice(0, -1)
      expect(payments.flatMap((event) => (event.isRecurring() ? days(event) : `${event.startDate}`))).toEqual(
        covered,
      )
      const last = all('balance').at(-1)
      expect(last?.startDate.toString()).toBe(failing)
      expect(last?.summary).toBe('Not covered: Pay 12.5 USDC')
      expect(last?.description).toMatch(
        /^Too little money for this payment, as money and permission stood on 2027-01-15\. A payment that fails ends/,
      )
      expect(all('allowance').at(-1)?.description).toMatch(/^The permission is too small for this payment/)
      for (const { description } of payments)
        expect(description).toContain(`Covered through ${dateOf(day(failing) - 1)}`)
    },
  )

  it('has the payment that is overdue and not covered on the day on which it is read', () => {
    const failsOn = toDay(day('2027-01-13'))
    const covers = { periods: 0, until: null, limitedBy: 'balance' as const, failsOn }
    const events = read([subscription(0, 3, { from: '2027-01-15' })], { covers })
    expect(events.map(({ summary, startDate }) => `${startDate} ${summary}`)).toEqual([
      '2027-01-15 Not covered: Pay 12.5 USDC',
    ])
  })

  it('keeps a stranger’s text as text', () => {
    const name = 'X\nEND:VEVENT\nBEGIN:VALARM;,\\'
    const events = read([subscription(0, 3, { name })], { name })
    expect(events.map(({ summary }) => summary)).toEqual([`Pay 12.5 ${name}`])
    expect(events[0]?.component.getAllSubcomponents()).toEqual([])
    // ical.js leaves the escapes of a calendar's name (RFC 7986) as they stand.
    const escaped = 'X\\nEND:VEVENT\\nBEGIN:VALARM\\;\\,\\\\'
    expect(events[0]?.component.parent.getFirstPropertyValue('name')).toBe(escaped)
  })

  it('is the same bytes for the same answer', () => {
    const file = () =>
      calendarFile({
        name: 'n',
        chainId: 1,
        asOf: { timestamp: 5 },
        rows: [{ subscription: subscription(1, 5), title: 't' }],
      })
    expect(file()).toBe(file())
  })
})
