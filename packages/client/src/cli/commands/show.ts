import type { Address, Hex } from 'viem'
import type { GetAccountAnswer } from '../../generated/api.ts'
import type { Command, Invocation } from '../Command.ts'
import { type Column, factsOf, tableOf } from '../output/table.ts'
import { blockText, printBody, printHints } from './answer.ts'
import { pagesOf } from './listCommand.ts'
import { amountOf, dayOf, isId, overdueOf, readTarget, rhythmOf, timeOf } from './words.ts'

/** `remit show`: prints one subscription, or one account. */
export const show: Command = {
  name: 'show',
  summary: 'A subscription with its details and subscribers, or an account as subscriber and as provider',
  operands: '<id|address>',
  options: {},
  notes:
    'With --json, only the subscription or the account itself, without details and subscribers; of an account the first page.',
  async run(invocation) {
    const target = readTarget('show', invocation.operands)
    await (isId(target) ? showSubscription(invocation, target) : showAccount(invocation, target))
    return undefined
  },
}

const SUBSCRIBERS_SHOWN = 20

/** Prints a subscription, its details and its first subscribers. */
async function showSubscription(invocation: Invocation, id: Hex): Promise<void> {
  const { connection, signal, terminal, json } = invocation
  const { client } = connection
  const answer = await client.getSubscription({ id }, { signal })
  if (json) return printBody(invocation)
  const [described, page] = await Promise.all([
    client.getSubscriptionDetails({ id }, { signal }),
    client.getSubscribers({ id, first: SUBSCRIBERS_SHOWN }, { signal }),
  ])
  const { subscription, asOf } = answer
  const { provider, token, amount, frequencyLabel, dueDay, nextDue, overdue, overdueCount, cancelled } =
    subscription
  const { details } = described
  const count = `${page.count}${page.hasMore ? ' and more' : ''}`
  terminal.out(
    factsOf(terminal, [
      ['Subscription', subscription.id],
      ['Provider', provider],
      ['Amount', amountOf(amount, token)],
      ['Token', token.address],
      ['Every', rhythmOf(frequencyLabel, dueDay)],
      ['Next due', nextDue === null ? (cancelled ? 'never: it is cancelled' : 'never') : dayOf(nextDue)],
      ...(overdueCount === 0 ? [] : ([['Overdue', overdueOf(overdue, overdueCount)]] as const)),
      ['Subscribers', count],
      ...(details === null
        ? []
        : ([
            ['Description', details.description],
            ['Url', details.url],
            ['Described', timeOf(details.formattedUpdatedAt)],
          ] as const)),
      ['As of', blockText(asOf)],
    ]),
  )
  if (page.subscribers.length > 0) {
    const columns = [
      { heading: 'SUBSCRIBER', value: (row: Row) => row.subscriber },
      { heading: 'FEE BALANCE', value: (row: Row) => amountOf(row.feeBalance.amount, token), align: 'right' },
    ] as const
    terminal.out(`\n${tableOf(terminal, columns, page.subscribers)}`)
  }
  printHints(invocation, {
    ...(answer.warnings === undefined ? {} : { warnings: answer.warnings }),
    ...(described.error === undefined ? {} : { error: described.error }),
    index: described.index,
  })

  type Row = (typeof page.subscribers)[number]
}

type Membership = GetAccountAnswer['subscribedTo'][number]
type Created = GetAccountAnswer['created'][number]

/** The columns of both lists. */
const SHARED: readonly Column<Created>[] = [
  { heading: 'SUBSCRIPTION', value: ({ subscription }) => subscription.id, shrinks: 'hex' },
  { heading: 'STATUS', value: ({ statusLabel }) => statusLabel.toLowerCase() },
  {
    heading: 'AMOUNT',
    value: ({ subscription: { amount, token } }) => amountOf(amount, token),
    align: 'right',
  },
  {
    heading: 'EVERY',
    value: ({ subscription: { frequencyLabel, dueDay } }) => rhythmOf(frequencyLabel, dueDay),
  },
  { heading: 'NEXT DUE', value: nextDueOf },
]

const SUBSCRIBED: readonly Column<Membership>[] = [
  ...SHARED,
  {
    heading: 'FEE BALANCE',
    value: ({ feeBalance, subscription: { token } }) => amountOf(feeBalance.amount, token),
    align: 'right',
  },
  { heading: 'COVERED', value: coveredFor },
]

const CREATED: readonly Column<Created>[] = [
  ...SHARED,
  { heading: 'SUBSCRIBERS', value: ({ totalSubscribers }) => String(totalSubscribers), align: 'right' },
]

/** Prints an account as subscriber and as provider, and how long its money lasts. */
async function showAccount(invocation: Invocation, address: Address): Promise<void> {
  const { connection, signal, terminal, json } = invocation
  const answer = await connection.client.getAccount({ address }, { signal })
  // As with every command: the answer as it came, which is its first page. The table below has the rows of all pages.
  if (json) return printBody(invocation)
  const { account, subscribedToCount, createdCount, asOf } = answer
  const { subscribedTo, created } = await allPagesOf(invocation, answer)
  terminal.out(`${account} at ${blockText(asOf)}\n\n`)
  terminal.out(
    subscribedToCount === 0
      ? 'Subscribed to nothing.\n'
      : `Subscribed to:\n${tableOf(terminal, SUBSCRIBED, subscribedTo)}`,
  )
  terminal.out(
    createdCount === 0 ? '\nCreated nothing.\n' : `\nCreated:\n${tableOf(terminal, CREATED, created)}`,
  )
  printHints(invocation, answer)
}

/** Both lists with the rows of every page. The later pages are read at the block of the first or a newer one. */
async function allPagesOf({ connection, signal }: Invocation, first: GetAccountAnswer) {
  const [subscribedTo, created]: [Membership[], Created[]] = [[], []]
  const { account: address, asOf } = first
  const pages = pagesOf(async (after) =>
    after === undefined
      ? first
      : connection.client.getAccount({ address, after, minBlock: asOf.blockNumber }, { signal }),
  )
  for await (const page of pages) {
    subscribedTo.push(...page.subscribedTo)
    created.push(...page.created)
  }
  return { subscribedTo, created }
}

/** "2026-11-21", with a note if remit has not checked earlier due days. */
function nextDueOf({ subscription: { nextDue, overdueCount } }: Created): string {
  const date = nextDue?.date ?? '–'
  return overdueCount === 0 ? date : `${date}, ${overdueCount} overdue`
}

/** "3 periods, until 2026-05-06, then no balance". The wallet's other subscriptions in the token are counted in. */
function coveredFor({ tokenPaused, covers }: Membership): string {
  if (covers === null) return '–'
  if (tokenPaused) return 'nothing is charged: the token is paused'
  const { periods, until, limitedBy } = covers
  if (periods === null) return 'without end'
  if (until === null) return `not one period: no ${limitedBy}`
  return `${periods} ${periods === 1 ? 'period' : 'periods'}, until ${until.date}, then no ${limitedBy}`
}
