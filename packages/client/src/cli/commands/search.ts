import type { SearchSubscriptionsAnswer } from '../../generated/api.ts'
import type { Command } from '../invocation/Command.ts'
import type { Column } from '../output/table.ts'
import { printList } from './listCommand.ts'
import { amountOf, readAddress, readFrequency, refuseOperands, rhythmOf, timeOf } from './words.ts'

type Row = SearchSubscriptionsAnswer['subscriptions'][number]

const COLUMNS: readonly Column<Row>[] = [
  { heading: 'ID', value: ({ id }) => id, shrinks: 'hex' },
  { heading: 'AMOUNT', value: ({ amount, token }) => amountOf(amount, token), align: 'right' },
  { heading: 'EVERY', value: ({ frequencyLabel, dueDay }) => rhythmOf(frequencyLabel, dueDay) },
  {
    heading: 'NEXT DUE',
    value: ({ nextDue, cancelled }) => nextDue?.date ?? (cancelled ? 'cancelled' : '–'),
  },
  { heading: 'CREATED', value: ({ formattedCreatedAt }) => timeOf(formattedCreatedAt).slice(0, 10) },
  { heading: 'PROVIDER', value: ({ provider }) => provider, shrinks: 'hex' },
]

const DETAILS: readonly Column<Row>[] = [
  { heading: 'DESCRIPTION', value: ({ details }) => details?.description ?? '', shrinks: 'text' },
  { heading: 'URL', value: ({ details }) => details?.url ?? '', shrinks: 'text' },
]

/** Finds subscriptions by provider, token and frequency. */
export const search: Command = {
  name: 'search',
  summary: 'Subscriptions, newest first, by provider, token and frequency',
  operands: '',
  options: {
    provider: { type: 'string', value: '<address>', help: 'only those of this provider' },
    token: { type: 'string', value: '<address>', help: 'only those in this token' },
    frequency: {
      type: 'string',
      value: '<which>',
      help: 'only weekly, monthly, quarterly or yearly ones (0 to 3)',
    },
    cancelled: { type: 'boolean', help: 'cancelled ones, instead of live ones' },
    details: { type: 'boolean', help: 'with url and description; needs an API key' },
    first: { type: 'string', value: '<n>', help: 'rows of a page: 10 at most, with an API key 25' },
    all: { type: 'boolean', help: 'every page; waits when a request limit is reached' },
  },
  optionsOfFields: { includeDetails: ['details'] },
  async run(invocation) {
    const { connection, flags, operands, signal } = invocation
    refuseOperands('search', operands)
    const provider = flags.text('provider')
    const token = flags.text('token')
    const frequency = readFrequency(flags.text('frequency'))
    const first = flags.whole('first', { min: 1 })
    const input = {
      ...(provider === undefined ? {} : { provider: readAddress('provider', provider) }),
      ...(token === undefined ? {} : { token: readAddress('token', token) }),
      ...(frequency === undefined ? {} : { frequency }),
      ...(first === undefined ? {} : { first }),
      ...(flags.on('cancelled') ? { cancelled: true } : {}),
      ...(flags.on('details') ? { includeDetails: true } : {}),
    }
    return printList(invocation, {
      ask: (after) =>
        connection.client.searchSubscriptions(
          { ...input, ...(after === undefined ? {} : { after }) },
          { signal },
        ),
      rowsOf: ({ subscriptions }) => subscriptions,
      field: 'subscriptions',
      columns: flags.on('details') ? [...COLUMNS, ...DETAILS] : COLUMNS,
      noun: 'subscriptions',
    })
  },
}
