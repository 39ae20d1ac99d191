import type { Address } from 'viem'
import type { GetAccountAnswer } from '../../../generated/api.ts'
import type { Invocation } from '../../invocation/Command.ts'
import { type Column, tableOf } from '../../output/table.ts'
import { headOf, printJson, sayAside } from '../answer.ts'
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
  { heading: 'COVERED', value: carries },
]

const CREATED: readonly Column<Created>[] = [
  ...SHARED,
  { heading: 'SUBSCRIBERS', value: ({ totalSubscribers }) => String(totalSubscribers), align: 'right' },
]

/** An account on both of its sides, and how far its money carries. */
export async function showAccount(invocation: Invocation, address: Address): Promise<void> {
  const { connection, signal, terminal, json } = invocation
  const answer = await connection.client.getAccount({ address }, { signal })
  if (json) return printJson(invocation)
  const { account, subscribedTo, created, asOf } = answer
  terminal.out(`${account} at ${headOf(asOf)}\n\n`)
  terminal.out(
    subscribedTo.length === 0
      ? 'Subscribed to nothing.\n'
      : `Subscribed to:\n${tableOf(terminal, SUBSCRIBED, subscribedTo)}`,
  )
  terminal.out(
    created.length === 0 ? '\nCreated nothing.\n' : `\nCreated:\n${tableOf(terminal, CREATED, created)}`,
  )
  sayAside(invocation, answer)
}

/** "2026-11-21", with a note where remit has not come to days before. */
function nextDueOf({ subscription: { nextDue, overdueCount } }: Created): string {
  const date = nextDue?.date ?? '–'
  return overdueCount === 0 ? date : `${date}, ${overdueCount} overdue`
}

/** "3 periods, until 2026-05-06, then no balance": beside the wallet's other subscriptions in the same token. */
function carries({ covers }: Membership): string {
  if (covers === null) return '–'
  const { periods, until, limitedBy } = covers
  if (periods === null) return 'without end'
  if (until === null) return `not one period: no ${limitedBy}`
  return `${periods} ${periods === 1 ? 'period' : 'periods'}, until ${until.date}, then no ${limitedBy}`
}
