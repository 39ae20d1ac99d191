import type { Address } from 'viem'
import type { GetAccountAnswer } from '../../../generated/api.ts'
import type { Invocation } from '../../invocation/Command.ts'
import { type Column, tableOf } from '../../output/table.ts'
import { blockText, printBody, printHints } from '../answer.ts'
import { pagesOf } from '../listCommand.ts'
import { amountOf, rhythmOf } from '../words.ts'

type Membership = GetAccountAnswer['subscribedTo'][number]
type Created = GetAccountAnswer['created'][number]

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
export async function showAccount(invocation: Invocation, address: Address): Promise<void> {
  const { connection, signal, terminal, json } = invocation
  const answer = await connection.client.getAccount({ address }, { signal })
  // As with every command: the answer as it came, which is its first page. The table below has the rows of all pages.
  if (json) return printBody(invocation)
  const { account, subscribedToCount, createdCount, asOf } = answer
  const { subscribedTo, created } = await wholeOf(invocation, answer)
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

/** The lists with the rows of every page. */
async function wholeOf({ connection, signal }: Invocation, first: GetAccountAnswer) {
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
