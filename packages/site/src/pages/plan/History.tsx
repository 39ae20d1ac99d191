import type { HistoryEvent } from '@remit/client'
import { Address } from '../../design/Address.tsx'
import { Card } from '../../design/Card.tsx'
import { Money } from '../../design/Money.tsx'
import { Pages } from '../../design/Pages.tsx'
import { Shown } from '../../design/State.tsx'
import { Table } from '../../design/Table.tsx'
import { When } from '../../design/When.tsx'
import { api, linkTo } from '../../page/api.ts'
import { given } from '../../page/Resource.ts'
import { endingOf, eventWords, hasGivenBack, hasReceipt, movedIn } from '../../plan/eventWords.ts'
import { receiptLink } from '../../plan/receiptLink.ts'
import { placeOf, useReceipts } from '../../plan/useReceipts.ts'

const history = given('history', 'getSubscriptionHistory')

/** What happened to the plan, newest first; older pages are asked for one by one. */
export function History({ id }: { readonly id: `0x${string}` }) {
  return (
    <Card
      title="History"
      beside={
        <a href={linkTo(`/subscriptions/${id}/history`, { format: 'csv', first: '100' })}>
          Spreadsheet of the newest 100 (CSV)
        </a>
      }
    >
      <Shown of={history} lines={8}>
        {(first) => (
          <Pages
            first={first}
            more="Show older"
            read={(after) => api.getSubscriptionHistory({ id, after, first: 25 })}
          >
            {(pages) => <EventTable events={pages.flatMap(({ events }) => events)} />}
          </Pages>
        )}
      </Shown>
    </Card>
  )
}

function EventTable({ events }: { readonly events: readonly HistoryEvent[] }) {
  // What is logged beside them says the same: the payment to the provider, the end of the subscription, and, where a plan was
  // cancelled, the reserve that goes back to a member, often days after the cancelling.
  const rows = events.filter(
    (event) =>
      event.eventName !== 'SubscriberPaid' &&
      event.eventName !== 'Failed' &&
      endingOf(event, events) !== 'cancelled',
  )
  const receipts = useReceipts(rows.filter((event) => hasGivenBack(event, events)))
  return (
    <Table
      caption="What happened to this plan, newest first"
      rows={rows}
      keyOf={({ transactionHash, logIndex }) => `${transactionHash}${logIndex}`}
      columns={[
        { title: 'When', cell: ({ formattedTimestamp }) => <When at={formattedTimestamp} /> },
        {
          title: 'What',
          cell: (event) =>
            hasReceipt(event) ? (
              <a href={receiptLink(event)}>{eventWords(event, events)}</a>
            ) : (
              eventWords(event, events)
            ),
        },
        {
          title: 'Amount',
          isNumber: true,
          cell: (event) => {
            const moved = movedIn(event, events)
            if (hasGivenBack(event, events))
              return <GivenBack amount={receipts.get(placeOf(event))?.toSubscriber.amount} event={event} />
            return moved === undefined ? '–' : <Money amount={moved} token={event.token} />
          },
        },
        {
          title: 'Member',
          cell: ({ subscriber }) => (subscriber === null ? '–' : <Address address={subscriber} />),
        },
      ]}
    />
  )
}

/** The amount that came back. Until its receipt is read, and where it is not, a note that the receipt has it. */
function GivenBack({ amount, event }: { readonly amount: string | undefined; readonly event: HistoryEvent }) {
  if (amount !== undefined) return <Money amount={amount} token={event.token} />
  return <span class="quiet">on its receipt</span>
}
