import { UsageError } from '../CliError.ts'
import type { Command } from '../Command.ts'
import { tableOf } from '../output/table.ts'
import { printJson, sayAside } from './answer.ts'
import { dayOf, readFrequency, refuseOperands, rhythmOf } from './words.ts'

const LAST_DAY_NUMBER = 2_932_896

/** What a remit of one day would charge. */
export const due: Command = {
  name: 'due',
  summary: 'Subscriptions that a remit of one day would charge; of today where no day is named',
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
  async run(invocation) {
    const { connection, flags, operands, signal, terminal, json } = invocation
    refuseOperands('due', operands)
    const date = flags.text('date')
    const dayNumber = flags.whole('day', { min: 0, max: LAST_DAY_NUMBER })
    if (date !== undefined && dayNumber !== undefined)
      throw new UsageError('Name the day once: --date or --day.')
    const frequency = readFrequency(flags.text('frequency'))
    const input = {
      ...(date === undefined ? {} : { date }),
      ...(dayNumber === undefined ? {} : { dayNumber }),
      ...(frequency === undefined ? {} : { frequency }),
    }
    const answer = await connection.client.getSubscriptionsDue(input, { signal })
    if (json) {
      await printJson(invocation)
      return undefined
    }
    const rows = answer.results.flatMap(({ frequencyLabel, dueDay, subscriptionIds }) =>
      subscriptionIds.map((id) => ({ frequencyLabel, dueDay, id })),
    )
    terminal.out(rows.length === 0 ? `Nothing is due on ${dayOf(answer)}.\n` : `Due on ${dayOf(answer)}:\n\n`)
    if (rows.length > 0) {
      terminal.out(
        tableOf(
          terminal,
          [
            { heading: 'SUBSCRIPTION', value: ({ id }) => id, shrinks: 'hex' },
            { heading: 'EVERY', value: ({ frequencyLabel, dueDay }) => rhythmOf(frequencyLabel, dueDay) },
          ],
          rows,
        ),
      )
    }
    for (const result of answer.results) {
      if (result.skipped) terminal.err(`${result.frequencyLabel.toLowerCase()}: ${result.skipReason}\n`)
    }
    sayAside(invocation, answer)
    return undefined
  },
}
