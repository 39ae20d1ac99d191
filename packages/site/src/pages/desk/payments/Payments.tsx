import type { ListProviderPaymentsAnswer } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { dateOf, dayNumberAt } from '@remit/protocol/calendar'
import { Address, short } from '../../../design/Address.tsx'
import { Card, Note } from '../../../design/Card.tsx'
import { ExactMoney, Money } from '../../../design/Money.tsx'
import { Empty, Failed, Shown } from '../../../design/State.tsx'
import { Table } from '../../../design/Table.tsx'
import { When } from '../../../design/When.tsx'
import { api, root } from '../../../page/api.ts'
import { answerNow, isReading, live, queryNow, readFailure } from '../../../page/live.ts'
import { monthNow } from '../../../page/month.ts'
import { receiptLink } from '../../../plan/receiptLink.ts'
import { feeOf } from '../../../spreadsheet/feeOf.ts'
import { subject } from '../../../subject/subject.ts'
import { useTitle } from '../../../subject/useTitle.ts'
import { dateWords, monthWords } from '../../../words/time.ts'
import { CsvFile } from '../CsvFile.tsx'
import { TablePages } from '../TablePages.tsx'
import { nextPage, previousPage, readTable, rowsBefore } from '../tablePlace.ts'
import { ByPlan } from './ByPlan.tsx'
import { Months } from './Months.tsx'
import { PlanLink } from './PlanLink.tsx'
import { KIND_WORDS, PAYMENT_COLUMNS } from './paymentColumns.ts'

const payments = live('payments', 'listProviderPayments')

/** The desk's section for books: sums by month, and the payments one by one; or those of the month in the query. */
export function Payments() {
  const month = monthNow.value
  // A browser names the file after the title where a month is printed as a PDF.
  useTitle(month && `Payments of ${monthWords({ dayNumber: month.fromDay })} · ${whose()}`)
  return (
    <div class="desk__books stack">
      <Months />
      {month === undefined ? null : <ByPlan month={month} />}
      <List />
    </div>
  )
}

/** The provider as it calls itself, else its address. */
function whose(): string {
  const { profile } = answerNow('profile', 'getProviderProfile') ?? {}
  return profile?.company.trim() || short(subject.value ?? '')
}

function List() {
  const month = monthNow.value
  const days = month && { from: dateOf(month.fromDay), to: dateOf(month.toDay) }
  return (
    <Card
      title="Payments"
      beside={
        <CsvFile
          what="Payments"
          of={month?.written}
          columns={PAYMENT_COLUMNS}
          rowsOf={(address) => api.each.listProviderPayments({ address, ...days, first: 1_000 })}
        />
      }
    >
      <div class="stack">
        {readFailure.value === undefined || payments.value.state === 'failed' ? null : (
          <Failed error={readFailure.value} retry={() => void payments.refresh()} />
        )}
        <Shown of={payments} lines={12}>
          {(answer) => <Rows answer={answer} />}
        </Shown>
      </div>
    </Card>
  )
}

function Rows({ answer }: { readonly answer: ListProviderPaymentsAnswer }) {
  const { payments: rows, nextCursor, index } = answer
  if (rows.length === 0 && monthNow.value !== undefined) {
    return <p class="quiet">None in this month.</p>
  }
  if (rows.length === 0) {
    return (
      <Empty title="Nobody has paid yet.">
        <p>Send a plan’s link to somebody. Their payments are listed here, each with its receipt.</p>
      </Empty>
    )
  }
  const start = rowsBefore()
  // The rows of a month are the parts of its sums, which stand above them.
  const Amount = monthNow.value === undefined ? Money : ExactMoney
  return (
    <>
      {index.synced ? null : (
        <Note kind="mind">
          <p>
            The record of payments is behind the chain: it knows what happened up to block {index.blockNumber}
            .
          </p>
        </Note>
      )}
      <Table
        caption="Payments, newest first"
        rows={rows}
        keyOf={({ transactionHash, logIndex }) => `${transactionHash}${logIndex}`}
        columns={[
          { title: 'When', isName: true, cell: (payment) => <Taken payment={payment} /> },
          { title: 'Member', cell: ({ subscriber }) => <Address address={subscriber} /> },
          {
            title: 'Plan',
            cell: (row) => <PlanLink row={row} />,
          },
          { title: 'What', cell: (payment) => <What payment={payment} /> },
          {
            title: 'Paid',
            isNumber: true,
            cell: ({ charged, token }) =>
              charged.amountRaw === 0n ? '–' : <Amount amount={charged.amount} token={token} />,
          },
          {
            title: (
              <>
                Into
                <br />
                reserve
              </>
            ),
            label: 'Into reserve',
            isNumber: true,
            cell: ({ toFeeBalance, token }) =>
              toFeeBalance.amountRaw === 0n ? '–' : <Amount amount={toFeeBalance.amount} token={token} />,
          },
          {
            title: 'Came in',
            isNumber: true,
            cell: ({ toProvider, token }) =>
              toProvider.amountRaw === 0n ? '–' : <Amount amount={toProvider.amount} token={token} />,
          },
          {
            title: (
              <>
                Fee, out
                <br />
                of reserve
              </>
            ),
            label: 'Fee, out of reserve',
            isNumber: true,
            cell: ({ token, ...payment }) => {
              const fee = feeOf(payment)
              return fee === 0n ? '–' : <Amount amount={formatHuman(fee, token.decimals)} token={token} />
            },
          },
          {
            title: <span class="unseen">Receipt</span>,
            label: 'Receipt',
            cell: (place) => <a href={receiptLink(place)}>Receipt</a>,
          },
        ]}
      />
      <TablePages
        shown={
          start === undefined
            ? `${rows.length} ${rows.length === 1 ? 'payment' : 'payments'}`
            : `${(start + 1).toLocaleString('en')}–${(start + rows.length).toLocaleString('en')}`
        }
        size={queryNow.value.first}
        isReading={isReading.value}
        previous={previousPage()}
        next={nextPage(nextCursor, rows.length)}
        setSize={(size) => readTable({ first: size })}
      />
      <p class="quiet">
        {monthNow.value === undefined
          ? 'Amounts are shown to cents; a month and the file have every digit. '
          : ''}
        A part of a payment may go into the member’s reserve, and the rest comes in. The fee for collecting is
        taken from the reserve, never from what came in. When a member leaves or cannot pay, what is left in
        the reserve comes to you. When you remove a member, it goes back to the member.{' '}
        <a href={`${root}/docs/bookkeeping`}>How to close a month</a>
      </p>
    </>
  )
}

/** The kind of a payment, and what went back to the member. That has no column, because most payments have none. */
function What({ payment }: { readonly payment: ListProviderPaymentsAnswer['payments'][number] }) {
  const { kind, toSubscriber, token } = payment
  return (
    <>
      {KIND_WORDS[kind] ?? kind}
      {toSubscriber.amountRaw === 0n ? null : (
        <div class="quiet">
          <ExactMoney amount={toSubscriber.amount} token={token} /> back to the member
        </div>
      )}
    </>
  )
}

/** When a payment was taken, and the day for which it was due if that is another one. */
function Taken({ payment }: { readonly payment: ListProviderPaymentsAnswer['payments'][number] }) {
  const { formattedTimestamp, timestamp, day } = payment
  return (
    <>
      <When at={formattedTimestamp} />
      {day.dayNumber === dayNumberAt(timestamp) ? null : (
        <div class="quiet">for {dateWords(day.dayNumber)}</div>
      )}
    </>
  )
}
