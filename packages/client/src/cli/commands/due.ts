import { LAST_DAY } from '@remit/protocol/calendar'
import { createClient } from '../../createClient.ts'
import { RateLimitedError } from '../../errors/RemitError.ts'
import type { Command, Invocation } from '../Command.ts'
import { UsageError } from '../errors.ts'
import { tableOf } from '../output/table.ts'
import { printBody, printHints } from './answer.ts'
import { amountOf, dayOf, readFrequency, refuseOperands, rhythmOf } from './words.ts'

/** Stands for a price or a number of payers that was not asked for. */
const UNKNOWN = '?'
/** So many rows get a price. Each takes two requests, and the free lane allows twenty a minute. */
const MOST_ASKED = 8
/** Payers are counted up to this. */
const MOST_PAYERS = 500

/** `remit due`: prints what a remit of one day would charge. */
export const due: Command = {
  name: 'due',
  summary: 'Subscriptions that a remit of one day would charge; today if no day is given',
  operands: '',
  options: {
    date: { type: 'string', value: '<YYYY-MM-DD>', help: 'the day, in UTC' },
    day: { type: 'string', value: '<n>', help: 'the same as a day number, unix time / 86400' },
    frequency: {
      type: 'string',
      value: '<which>',
      help: 'only weekly, monthly, quarterly or yearly ones (0 to 3)',
    },
  },
  optionsOfFields: { dayNumber: ['day'] },
  async run(invocation) {
    const { connection, flags, operands, signal, terminal, json } = invocation
    refuseOperands('due', operands)
    const date = flags.text('date')
    const dayNumber = flags.whole('day', { min: 0, max: LAST_DAY })
    if (date !== undefined && dayNumber !== undefined)
      throw new UsageError('Name the day once: --date or --day.')
    const frequency = readFrequency(flags.text('frequency'))
    const answer = await connection.client.getSubscriptionsDue({ date, dayNumber, frequency }, { signal })
    if (json) {
      printBody(invocation)
      return undefined
    }
    const listed = answer.results.flatMap(({ frequencyLabel, dueDay, subscriptionIds }) =>
      subscriptionIds.map((id) => ({ frequencyLabel, dueDay, id, price: UNKNOWN, payers: UNKNOWN })),
    )
    const rows = await withTerms(invocation, listed)
    terminal.out(rows.length === 0 ? `Nothing is due on ${dayOf(answer)}.\n` : `Due on ${dayOf(answer)}:\n\n`)
    if (rows.length > 0) {
      terminal.out(
        tableOf(
          terminal,
          [
            { heading: 'SUBSCRIPTION', value: ({ id }) => id, shrinks: 'hex' },
            { heading: 'PRICE', value: ({ price }) => price, align: 'right' },
            { heading: 'PAYERS', value: ({ payers }) => payers, align: 'right' },
            { heading: 'EVERY', value: ({ frequencyLabel, dueDay }) => rhythmOf(frequencyLabel, dueDay) },
          ],
          rows,
        ),
      )
    }
    if (rows.some(({ price }) => price === UNKNOWN)) {
      terminal.err(
        `${UNKNOWN}: not asked, because of the request limits. remit show <id> asks for one subscription.\n`,
      )
    }
    for (const result of answer.results) {
      if (result.skipped) terminal.err(`${result.frequencyLabel.toLowerCase()}: ${result.skipReason}\n`)
    }
    printHints(invocation, answer)
    return undefined
  },
}

interface Row {
  readonly id: `0x${string}`
  readonly price: string
  readonly payers: string
}

/** Adds the price and the number of payers to the first rows. At a limit, the remaining rows stay without. */
async function withTerms<T extends Row>(
  { connection, signal }: Invocation,
  rows: readonly T[],
): Promise<T[]> {
  // Prices are an extra: the command must not wait a minute for a limit to give room.
  const client = createClient({ ...connection.options, retries: 0 })
  return Promise.all(
    rows.map(async (row, index) => {
      if (index >= MOST_ASKED) return row
      try {
        const { id } = row
        const [{ subscription }, { count, hasMore }] = await Promise.all([
          client.getSubscription({ id }, { signal }),
          client.getSubscribers({ id, first: MOST_PAYERS }, { signal }),
        ])
        const price = amountOf(subscription.amount, subscription.token)
        return { ...row, price, payers: `${count}${hasMore ? '+' : ''}` }
      } catch (error) {
        if (error instanceof RateLimitedError) return row
        throw error
      }
    }),
  )
}
