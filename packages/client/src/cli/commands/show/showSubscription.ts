import type { Hex } from 'viem'
import type { Invocation } from '../../invocation/Command.ts'
import { factsOf, tableOf } from '../../output/table.ts'
import { blockText, printBody, printHints } from '../answer.ts'
import { amountOf, dayOf, overdueOf, rhythmOf, timeOf } from '../words.ts'

const SUBSCRIBERS_SHOWN = 20

/** Prints a subscription, its details and its first subscribers. */
export async function showSubscription(invocation: Invocation, id: Hex): Promise<void> {
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
