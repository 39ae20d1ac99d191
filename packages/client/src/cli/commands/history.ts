import type { GetAccountActivityAnswer, GetSubscriptionHistoryAnswer } from '../../generated/api.ts'
import type { Command } from '../Command.ts'
import type { Column } from '../output/table.ts'
import { printList } from './listCommand.ts'
import { isId, readTarget, timeOf } from './words.ts'

type Event = GetSubscriptionHistoryAnswer['events'][number]
type Activity = GetAccountActivityAnswer['events'][number]
type Row = Event | Activity

const TIME: Column<Row> = { heading: 'TIME', value: ({ formattedTimestamp }) => timeOf(formattedTimestamp) }
const AMOUNT: Column<Row> = {
  heading: 'AMOUNT',
  value: ({ formattedAmount }) => formattedAmount ?? '?',
  align: 'right',
}
const EVENT: Column<Row> = { heading: 'EVENT', value: ({ eventName }) => eventName }
const TRANSACTION: Column<Row> = {
  heading: 'TRANSACTION',
  value: ({ transactionHash }) => transactionHash,
  shrinks: 'hex',
}
const SUBSCRIBER: Column<Event> = {
  heading: 'SUBSCRIBER',
  value: ({ subscriber }) => subscriber ?? '–',
  shrinks: 'hex',
}

const OF_SUBSCRIPTION: readonly Column<Event>[] = [TIME, EVENT, AMOUNT, SUBSCRIBER, TRANSACTION]

const OF_ACCOUNT: readonly Column<Activity>[] = [
  TIME,
  EVENT,
  AMOUNT,
  { heading: 'AS', value: ({ roles }) => roles.join(', ') },
  { heading: 'SUBSCRIPTION', value: ({ id }) => id ?? '–', shrinks: 'hex' },
  TRANSACTION,
]

/** `remit history`: prints the events of a subscription or an account. */
export const history: Command = {
  name: 'history',
  summary: 'What happened to a subscription, or to an account on either side, newest first',
  operands: '<id|address>',
  options: {
    first: { type: 'string', value: '<n>', help: 'rows of a page: default 25, at most 100' },
    all: { type: 'boolean', help: 'every page; waits when a request limit is reached' },
  },
  notes:
    'What an amount means depends on its event: some log a full period whatever moved, and two log the ' +
    'same money.\nDo not add them up. The service’s page docs/history.md explains each.',
  async run(invocation) {
    const { connection, flags, operands, signal } = invocation
    const target = readTarget('history', operands)
    const first = flags.whole('first', { min: 1 })
    const { client } = connection
    const shared = { field: 'events', noun: 'events' } as const
    if (isId(target)) {
      return printList(invocation, {
        ...shared,
        ask: (after) => client.getSubscriptionHistory({ id: target, first, after }, { signal }),
        rowsOf: ({ events }) => events,
        columns: OF_SUBSCRIPTION,
      })
    }
    return printList(invocation, {
      ...shared,
      ask: (after) => client.getAccountActivity({ address: target, first, after }, { signal }),
      rowsOf: ({ events }) => events,
      columns: OF_ACCOUNT,
    })
  },
}
