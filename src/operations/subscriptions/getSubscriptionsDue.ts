import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { toDay } from '../../presentation/day.ts'
import { dayNumberOf, dueDayOn } from '../../protocol/calendar.ts'
import { FREQUENCIES, frequencyLabel } from '../../protocol/subscription.ts'
import { FrequencyLabel, FrequencyNumber } from '../../schema/frequency.ts'
import { SubscriptionId } from '../../schema/hash.ts'
import { CalendarDate, Day, DayNumber } from '../../schema/numbers.ts'

const row = { frequency: FrequencyNumber, frequencyLabel: FrequencyLabel, dueDay: z.int() }

const DueList = z.discriminatedUnion('skipped', [
  z.object({ ...row, skipped: z.literal(false), subscriptionIds: z.array(SubscriptionId) }),
  z.object({
    ...row,
    skipped: z.literal(true),
    skipReason: z.string().describe('Why nothing of this frequency can be due on such a day.'),
    subscriptionIds: z.array(SubscriptionId).max(0),
  }),
])

/** What a remit of one day would really charge. */
export const getSubscriptionsDue = defineOperation({
  name: 'get_subscriptions_due',
  effect: 'read',
  scope: 'chain',
  summary: 'Subscriptions that a remit of the given day would charge',
  description:
    'Only subscriptions that are not cancelled, whose token is not paused and that have a subscriber. ' +
    'Days 29 to 31 of a month, 91 and 92 of a quarter and 366 of a year match no due day and are skipped.',
  rest: { method: 'GET', path: '/subscriptions/due' },
  tool: {
    profiles: ['read', 'keeper'],
    text: ({ date, results }) =>
      [
        `Due on ${date}:`,
        ...results.map((list) =>
          list.skipped
            ? `- ${list.frequencyLabel.toLowerCase()}: ${list.skipReason}`
            : `- ${list.frequencyLabel.toLowerCase()}, due day ${list.dueDay}: ${idsText(list.subscriptionIds)}`,
        ),
      ].join('\n'),
  },
  input: z
    .object({
      dayNumber: DayNumber.optional(),
      date: CalendarDate.refine(
        (date) => dayNumberOf(date) !== undefined,
        'is not a day of the calendar from 1970 on',
      ).optional(),
      frequency: FrequencyNumber.optional(),
    })
    .refine(({ dayNumber, date }) => dayNumber === undefined || date === undefined, {
      path: ['date'],
      message: 'cannot be given together with dayNumber: name the day once',
    }),
  output: z.object({ ...Day.shape, results: z.array(DueList) }),
  async handle({ input, chain }) {
    const named = input.dayNumber ?? (input.date === undefined ? undefined : dayNumberOf(input.date))
    const day = toDay(named ?? chain.today)
    const wanted = input.frequency === undefined ? FREQUENCIES : [input.frequency]
    const slots = wanted.map((frequency) => ({ frequency, ...dueDayOn(day.dayNumber, frequency) }))
    const lists = await chain.read.due(slots.filter((slot) => !slot.skipped))
    const results = slots.map((slot) => {
      const { frequency, dueDay } = slot
      const base = { frequency, frequencyLabel: frequencyLabel(frequency), dueDay }
      if (slot.skipped) {
        return { ...base, skipped: true as const, skipReason: slot.reason, subscriptionIds: [] }
      }
      const list = lists.find((due) => due.frequency === frequency)
      return { ...base, skipped: false as const, subscriptionIds: [...(list?.subscriptionIds ?? [])] }
    })
    return { ...day, results }
  },
})

/** A text names this many ids of a day. */
const MOST_IDS = 20

function idsText(ids: readonly string[]): string {
  const left = ids.length - MOST_IDS
  const named = ids.slice(0, MOST_IDS).join(', ')
  return left > 0 ? `${named} and ${left} more` : named || 'none'
}
