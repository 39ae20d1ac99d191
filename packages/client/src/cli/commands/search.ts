import type { SearchSubscriptionsAnswer } from '../../generated/api.ts'
import type { Command } from '../Command.ts'
import type { Column } from '../output/table.ts'
import { printList } from './listCommand.ts'
import { amountOf, readAddress, readFrequency, readSort, rhythmOf, timeOf } from './words.ts'

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

/** Shown by a search for words, because they may stand in the description alone. */
const DESCRIPTION_LINE: Column<Row> = {
  heading: 'DESCRIPTION',
  value: ({ descriptionLine }) => descriptionLine ?? '',
  shrinks: 'text',
}

const DETAILS: readonly Column<Row>[] = [
  { heading: 'DESCRIPTION', value: ({ details }) => details?.description ?? '', shrinks: 'text' },
  { heading: 'URL', value: ({ details }) => details?.url ?? '', shrinks: 'text' },
]

/** `remit search`: lists the subscriptions that fit words and options. */
export const search: Command = {
  name: 'search',
  summary: 'Subscriptions by words, price, provider, token and frequency',
  operands: '[words…]',
  options: {
    min: { type: 'string', value: '<amount>', help: 'only those that cost at least this a period' },
    max: { type: 'string', value: '<amount>', help: 'only those that cost at most this a period' },
    sort: {
      type: 'string',
      value: '<order>',
      help: 'newest, relevance, lowest_amount, highest_amount or most_subscribers',
    },
    provider: { type: 'string', value: '<address>', help: 'only those of this provider' },
    token: { type: 'string', value: '<token>', help: 'only those in this token: its address or symbol' },
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
  optionsOfFields: { includeDetails: ['details'], minAmount: ['min'], maxAmount: ['max'] },
  async run(invocation) {
    const { connection, flags, operands, signal } = invocation
    const frequency = readFrequency(flags.text('frequency'))
    const first = flags.whole('first', { min: 1 })
    const provider = flags.text('provider')
    const sort = flags.text('sort')
    const q = operands.join(' ')
    const input = {
      provider: provider === undefined ? undefined : readAddress('provider', provider),
      token: flags.text('token'),
      frequency,
      q: q === '' ? undefined : q,
      minAmount: flags.text('min'),
      maxAmount: flags.text('max'),
      sort: sort === undefined ? undefined : readSort(sort),
      first,
      cancelled: flags.isSet('cancelled') || undefined,
      includeDetails: flags.isSet('details') || undefined,
    }
    return printList(invocation, {
      ask: (after) => connection.client.searchSubscriptions({ ...input, after }, { signal }),
      rowsOf: ({ subscriptions }) => subscriptions,
      field: 'subscriptions',
      columns: flags.isSet('details')
        ? [...COLUMNS, ...DETAILS]
        : q === ''
          ? COLUMNS
          : [...COLUMNS, DESCRIPTION_LINE],
      noun: 'subscriptions',
    })
  },
}
