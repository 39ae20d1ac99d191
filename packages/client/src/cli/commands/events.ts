import { UnexpectedAnswerError } from '../../errors/RemitError.ts'
import type { RemitEvent } from '../../events/decodeEvent.ts'
import type { StreamRequest } from '../../events/followStream.ts'
import type { Command, Flags, Invocation, Options } from '../Command.ts'
import { UsageError } from '../errors.ts'
import { type Column, tableOf } from '../output/table.ts'
import { printBodyRows } from './listCommand.ts'
import { isAddress, isId, refuseOperands, timeOf } from './words.ts'

/** The options of `remit events` and `remit listen` that say which events are wanted. */
export const EVENT_OPTIONS: Options = {
  subscription: { type: 'string', value: '<id>', help: 'only events of this subscription' },
  provider: { type: 'string', value: '<address>', help: 'only events of this provider' },
  account: { type: 'string', value: '<address>', help: 'only events of this subscriber' },
  type: { type: 'string', value: '<types>', help: 'only these, such as payment.at_risk,payment.failed' },
  finality: { type: 'string', value: '<how>', help: 'seen (default), confirmed or final' },
  after: { type: 'string', value: '<n>', help: 'go on after this sequence' },
}

/** Reads them. Throws UsageError. */
export function eventFilters(flags: Flags): StreamRequest {
  const subscriptionId = flags.text('subscription')
  const finality = flags.text('finality')
  const after = flags.whole('after', { min: 0 })
  if (subscriptionId !== undefined && !isId(subscriptionId)) {
    throw new UsageError('--subscription must be an id: 0x and 64 hex digits.')
  }
  const [provider, account] = ['provider', 'account'].map((name) => {
    const address = flags.text(name)
    if (address === undefined || isAddress(address)) return address
    throw new UsageError(`--${name} must be an address: 0x and 40 hex digits.`)
  })
  if (finality !== undefined && finality !== 'seen' && finality !== 'confirmed' && finality !== 'final') {
    throw new UsageError(`--finality must be seen, confirmed or final, not "${finality}".`)
  }
  return { subscriptionId, provider, account, type: flags.text('type'), finality, after }
}

const COLUMNS: readonly Column<RemitEvent>[] = [
  { heading: 'SEQUENCE', value: ({ sequence }) => String(sequence), align: 'right' },
  { heading: 'TIME', value: ({ time }) => timeOf(time) },
  { heading: 'TYPE', value: ({ type }) => type },
  { heading: 'FINALITY', value: ({ finality }) => finality },
  { heading: 'SUBSCRIPTION', value: ({ subject }) => subject.subscriptionId ?? '–', shrinks: 'hex' },
  { heading: 'ACCOUNT', value: ({ subject }) => subject.account ?? subject.provider ?? '–', shrinks: 'hex' },
]

/** `remit events`: prints the log of events, one page or all, and says after which sequence it goes on. */
export const events: Command = {
  name: 'events',
  summary: 'What happened, and what is about to, oldest first',
  operands: '',
  options: {
    ...EVENT_OPTIONS,
    first: { type: 'string', value: '<n>', help: 'events of a page: default 25, at most 100' },
    all: { type: 'boolean', help: 'every page; waits when a request limit is reached' },
  },
  notes: 'With --json one event a line. `remit listen` goes on where this ends.',
  async run(invocation: Invocation) {
    const { connection, flags, operands, signal, terminal, json } = invocation
    refuseOperands('events', operands)
    const filters = { ...eventFilters(flags), first: flags.whole('first', { min: 1, max: 100 }) }
    let after = filters.after ?? 0
    for (;;) {
      const page = await connection.client.listEvents({ ...filters, after }, { signal })
      if (json) printBodyRows(invocation, 'events')
      else if (page.events.length > 0) terminal.out(tableOf(terminal, COLUMNS, page.events))
      const isMoving = page.next > after
      after = page.next
      // A page without events is no place to stop at: none of those that were looked through is wanted.
      if (page.hasMore && (flags.isSet('all') || page.events.length === 0)) {
        if (isMoving) continue
        throw new UnexpectedAnswerError(
          'The service says that there are more events, but its place in the log does not move on.',
          { status: 200 },
        )
      }
      if (!json) terminal.err(`${page.hasMore ? 'More' : 'Later ones'} with --after ${after}.\n`)
      return undefined
    }
  },
}
