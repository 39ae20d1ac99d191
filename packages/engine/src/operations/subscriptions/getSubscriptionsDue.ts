import { dueDayOn } from '@remit/protocol/calendar'
import { FREQUENCIES, frequencyLabel } from '@remit/protocol/subscription'
import type { Hex } from 'viem'
import * as z from 'zod'
import { defineOperation } from '../../declare/operation.ts'
import { ViewFailedError } from '../../errors/chain.ts'
import type { DueList } from '../../ports/chainReads.ts'
import { dayNamed, NamedDate, refuseTwoDays, toDay } from '../../presentation/day.ts'
import { SubscriptionId } from '../../schema/hex.ts'
import { Day, DayNumber, FrequencyLabel, FrequencyNumber } from '../../schema/numbers.ts'

const row = { frequency: FrequencyNumber, frequencyLabel: FrequencyLabel, dueDay: z.int() }

const DueRow = z.discriminatedUnion('skipped', [
  z.object({ ...row, skipped: z.literal(false), subscriptionIds: z.array(SubscriptionId) }),
  z.object({
    ...row,
    skipped: z.literal(true),
    skipReason: z.string().describe('Why nothing of this frequency can be due on such a day.'),
    subscriptionIds: z.array(SubscriptionId).max(0),
  }),
])

const Input = z
  .object({
    dayNumber: DayNumber.optional(),
    date: NamedDate.optional(),
    frequency: FrequencyNumber.optional(),
  })
  .superRefine(refuseTwoDays)

/** The most ids that an answer has out of the index: some 3.5 MB of JSON. */
const MOST_INDEXED = 50_000

/** The subscriptions that a remit of one day would charge. */
export const getSubscriptionsDue = defineOperation({
  name: 'get_subscriptions_due',
  effect: 'read',
  kind: 'chain',
  summary: 'Subscriptions that a remit of the given day would charge',
  description:
    'Only subscriptions that are not cancelled, whose token is not paused and that have a subscriber; in the ' +
    'order of the contract’s list, or oldest first where the answer has `index`. ' +
    'Days 29 to 31 of a month, 91 and 92 of a quarter and 366 of a year match no due day and are skipped.',
  access: 'read',
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
  input: Input,
  output: z.object({ ...Day.shape, results: z.array(DueRow) }),
  errors: [ViewFailedError],
  async atBlock({ input, chain }) {
    const day = dayNamed(input, chain.today)
    const lists = await chain.read.due(listsOn(day, input))
    return toAnswer(input, day, ({ frequency }) => {
      const list = lists.find((due) => due.frequency === frequency)
      return list?.subscriptionIds ?? []
    })
  },
  // The contract's view of a list has no pages, so a list may be too long for a node.
  fromIndex: {
    async query({ input, today, history }) {
      const day = dayNamed(input, today)
      return { day, rows: await history.due(listsOn(day, input), MOST_INDEXED + 1) }
    },
    // Only for the day that the index was asked for: its rows say nothing about others.
    async atBlock({ input, chain, rows: { day, rows } }) {
      if (rows.length > MOST_INDEXED) {
        throw new ViewFailedError(
          'getIdByTime',
          `More than ${MOST_INDEXED} subscriptions are due: too many for one answer.`,
        )
      }
      const tokens = await chain.read.tokens([...new Set(rows.map(({ token }) => token))])
      const unpausedTokens = new Set(tokens.filter(({ paused }) => !paused).map(({ address }) => address))
      return toAnswer(input, day, ({ frequency, dueDay }) =>
        rows
          .filter(
            (row) => row.frequency === frequency && row.dueDay === dueDay && unpausedTokens.has(row.token),
          )
          .map(({ id }) => id),
      )
    },
  },
})

type DueInput = z.output<typeof Input>
type Slot = Pick<DueList, 'frequency' | 'dueDay'>

function slotsOn(day: number, { frequency }: DueInput) {
  const wanted = frequency === undefined ? FREQUENCIES : [frequency]
  return wanted.map((one) => ({ frequency: one, ...dueDayOn(day, one) }))
}

/** The contract's lists that a remit of the day looks at. */
function listsOn(day: number, input: DueInput): Slot[] {
  return slotsOn(day, input).filter((slot) => !slot.skipped)
}

function toAnswer(input: DueInput, day: number, idsOf: (slot: Slot) => readonly Hex[]) {
  const results = slotsOn(day, input).map((slot) => {
    const { frequency, dueDay } = slot
    const base = { frequency, frequencyLabel: frequencyLabel(frequency), dueDay }
    if (slot.skipped) {
      return { ...base, skipped: true as const, skipReason: slot.reason, subscriptionIds: [] }
    }
    return { ...base, skipped: false as const, subscriptionIds: [...idsOf(slot)] }
  })
  return { ...toDay(day), results }
}

/** The most ids of a day that a text names. */
const MOST_IDS = 20

function idsText(ids: readonly string[]): string {
  const left = ids.length - MOST_IDS
  const named = ids.slice(0, MOST_IDS).join(', ')
  return left > 0 ? `${named} and ${left} more` : named || 'none'
}
