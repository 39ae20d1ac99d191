import type { GetPaymentAnswer, HistoryEvent, ListProviderPaymentsAnswer, Subscription } from '@remit/client'
import { Card } from '../../design/Card.tsx'
import { Shown } from '../../design/State.tsx'
import { Address } from '../../design/values/Address.tsx'
import { ExactMoney } from '../../design/values/Money.tsx'
import { Pages } from '../../design/values/Pages.tsx'
import { Table } from '../../design/values/Table.tsx'
import { When } from '../../design/values/When.tsx'
import { api } from '../../page/api.ts'
import { given } from '../../page/Resource.ts'
import {
  eventWords,
  hasGivenBack,
  hasReceipt,
  isRestOfRefill,
  isTakenLater,
  movedIn,
  shownEvents,
  wholeGroups,
} from '../../plan/eventWords.ts'
import { planTexts } from '../../plan/planTexts.ts'
import { receiptAddress, receiptLink } from '../../plan/receiptLink.ts'
import { placeOf, useReceipts } from '../../plan/useReceipts.ts'
import { CsvButton } from '../../spreadsheet/CsvButton.tsx'
import type { CsvColumn } from '../../spreadsheet/csv.ts'
import { finalWord } from '../../spreadsheet/finalWord.ts'
import { planName } from '../../words/planName.ts'
import { strangersText } from '../../words/strangersText.ts'
import { dateWords } from '../../words/time.ts'

const history = given('history', 'getSubscriptionHistory')

/** What happened to the plan, newest first; older pages are asked for one by one. */
export function History({ subscription }: { readonly subscription: Subscription }) {
  const { id } = subscription
  return (
    <Card
      title="History"
      beside={
        <CsvButton
          what="History"
          name={`history-${id}`}
          columns={columnsOf(subscription)}
          rowsOf={() => rowsOf(subscription)}
        />
      }
    >
      <Shown of={history} lines={8}>
        {(first) => (
          <Pages
            first={first}
            more="Show older"
            read={(after) => api.getSubscriptionHistory({ id, after, first: 25 })}
          >
            {(pages) => (
              <EventTable
                plan={subscription}
                known={pages.flatMap(({ events }) => events)}
                hasMore={pages.at(-1)?.nextCursor !== null}
              />
            )}
          </Pages>
        )}
      </Shown>
    </Card>
  )
}

function EventTable({
  plan,
  known,
  hasMore,
}: {
  readonly plan: Subscription
  readonly known: readonly HistoryEvent[]
  readonly hasMore: boolean
}) {
  const events = hasMore ? wholeGroups(known) : known
  const rows = shownEvents(events).filter((event) => !isRestOfRefill(event, events))
  const receipts = useReceipts(
    rows.filter((event) => hasGivenBack(event, events) || isTakenLater(event, events, plan)),
  )
  return (
    <>
      <Table
        caption="What happened to this plan, newest first"
        rows={rows}
        keyOf={({ transactionHash, logIndex }) => `${transactionHash}${logIndex}`}
        columns={[
          {
            title: 'When',
            cell: (event) => (
              <>
                <When at={event.formattedTimestamp} />
                {isTakenLater(event, events, plan) ? <DueOn receipt={receipts.get(placeOf(event))} /> : null}
              </>
            ),
          },
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
              const moved = movedIn(event)
              if (hasGivenBack(event, events))
                return <GivenBack amount={receipts.get(placeOf(event))?.toSubscriber.amount} event={event} />
              if (moved === undefined) return '–'
              const rest = restOfRefill(event, events)
              return (
                <>
                  <ExactMoney amount={moved} token={event.token} />
                  {rest === undefined ? null : (
                    <div class="quiet">
                      <ExactMoney amount={rest} token={event.token} /> of it to the provider
                    </div>
                  )}
                </>
              )
            },
          },
          {
            title: 'Member',
            cell: ({ subscriber }) => (subscriber === null ? '–' : <Address address={subscriber} />),
          },
        ]}
      />
      {hasMore ? (
        <p class="subject__paper quiet">
          Not all: the newest {rows.length}. Press “Show older” before printing, or take the CSV.
        </p>
      ) : null}
    </>
  )
}

/** What the provider got of a payment that also fills the reserve, and whose event states the whole. */
function restOfRefill(
  { eventName, transactionHash, subscriber }: HistoryEvent,
  events: readonly HistoryEvent[],
) {
  if (eventName !== 'FeeFilled') return undefined
  const rest = events.find(
    (one) =>
      one.transactionHash === transactionHash && one.subscriber === subscriber && isRestOfRefill(one, events),
  )
  return rest && movedIn(rest)
}

/** For which day a late payment was: the contract does not log it. Until its receipt is read, and where it is not, a note that it says that. */
function DueOn({ receipt }: { readonly receipt: GetPaymentAnswer['payment'] | undefined }) {
  return (
    <div class="quiet">
      {receipt === undefined ? 'for which day, its receipt says' : `for ${dateWords(receipt.day.dayNumber)}`}
    </div>
  )
}

/** An event in the words of the table. */
interface ToldEvent extends HistoryEvent {
  readonly words: string
  readonly moved: string
}

/** The table's rows, all of them. What an event means depends on those of its transaction: all are read, then told by these. */
async function* rowsOf({ id, provider }: Subscription): AsyncIterable<ToldEvent> {
  const events: HistoryEvent[] = []
  for await (const event of api.each.getSubscriptionHistory({ id, first: 100 })) events.push(event)
  const byTransaction = new Map<string, HistoryEvent[]>()
  for (const event of events) {
    const { transactionHash } = event
    const own = byTransaction.get(transactionHash)
    if (own === undefined) byTransaction.set(transactionHash, [event])
    else own.push(event)
  }
  const hasGivenAny = [...byTransaction.values()].some((own) => own.some((event) => hasGivenBack(event, own)))
  const amountBack = hasGivenAny ? await readAmountsBack(provider) : undefined
  for (const own of byTransaction.values()) {
    for (const event of shownEvents(own)) {
      const moved = hasGivenBack(event, own) ? amountBack?.(event) : movedIn(event)
      yield { ...event, words: eventWords(event, own), moved: moved ?? '' }
    }
  }
}

/**
 * Tells the amount that an event gave back to its member. The contract does not log it, so the list of the provider's ended memberships
 * is read, which has it for each.
 */
async function readAmountsBack(provider: Subscription['provider']) {
  const ends = new Map<string, ListProviderPaymentsAnswer['payments'][number][]>()
  const list = { address: provider, ended: true, first: 1_000 }
  for await (const end of api.each.listProviderPayments(list)) {
    ends.set(end.transactionHash, [...(ends.get(end.transactionHash) ?? []), end])
  }
  return ({ transactionHash, logIndex }: HistoryEvent) =>
    ends.get(transactionHash)?.find((end) => end.logIndex <= logIndex && logIndex <= end.lastLogIndex)
      ?.toSubscriber.amount
}

function columnsOf(subscription: Subscription): readonly CsvColumn<ToldEvent>[] {
  const name = planName(subscription, planTexts(subscription))
  return [
    // Two columns: spreadsheets take the first for a date, and would take it for a text with the time in it.
    ['date', ({ formattedTimestamp }) => formattedTimestamp.toISOString().slice(0, 10)],
    ['time', ({ formattedTimestamp }) => formattedTimestamp.toISOString()],
    ['what', ({ words }) => words],
    ['plan', () => name],
    ['plan id', () => subscription.id],
    ['member', ({ subscriber }) => subscriber ?? ''],
    ['amount', ({ moved }) => moved],
    ['currency', () => strangersText(subscription.token.symbol ?? '')],
    ['transaction', ({ transactionHash }) => transactionHash],
    ['log', ({ logIndex }) => logIndex],
    ['final', finalWord],
    ['receipt', (event) => (hasReceipt(event) ? receiptAddress(event) : '')],
  ]
}

/** The amount that came back. Until its receipt is read, and where it is not, a note that the receipt has it. */
function GivenBack({ amount, event }: { readonly amount: string | undefined; readonly event: HistoryEvent }) {
  if (amount !== undefined) {
    return (
      <>
        <ExactMoney amount={amount} token={event.token} /> <span class="quiet">back to the member</span>
      </>
    )
  }
  return <span class="quiet">on its receipt</span>
}
