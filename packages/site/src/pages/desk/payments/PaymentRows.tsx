import type { ListProviderPaymentsAnswer } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { dayNumberAt } from '@remit/protocol/calendar'
import { Address } from '../../../design/values/Address.tsx'
import { ExactMoney } from '../../../design/values/Money.tsx'
import { type Column, Table } from '../../../design/values/Table.tsx'
import { When } from '../../../design/values/When.tsx'
import { answerNow, isReading, queryNow } from '../../../page/live.ts'
import { monthNow } from '../../../page/month.ts'
import { paymentsWords } from '../../../plan/PaidSum.tsx'
import { receiptLink } from '../../../plan/receiptLink.ts'
import { isCharge, rowsWords } from '../../../plan/sums.ts'
import { feeOf } from '../../../spreadsheet/feeOf.ts'
import { REASON_WORDS } from '../../../words/reasonWords.ts'
import { dateWords } from '../../../words/time.ts'
import { RecordBehind } from '../RecordBehind.tsx'
import { MONTH_ROWS, TablePages } from '../TablePages.tsx'
import { nextPage, placesWords, previousPage, readTable, rowsBefore } from '../tablePlace.ts'
import { PlanLink } from './PlanLink.tsx'
import { KIND_WORDS } from './paymentColumns.ts'

type Payment = ListProviderPaymentsAnswer['payments'][number]

interface PaymentRowsProps {
  readonly answer: ListProviderPaymentsAnswer
  /** Whether the rows are only the ends of subscriptions, for "Who left". Nobody paid then, so the columns of payments are left out. */
  readonly isOfEnds?: boolean
}

/** A page of the table of payments and ends of subscriptions. An end has a row because the reserve is paid out then. */
export function PaymentRows({
  answer: { payments: rows, nextCursor, index },
  isOfEnds = false,
}: PaymentRowsProps) {
  const start = rowsBefore()
  const paid = rows.filter(isCharge).length
  const ofMonth = monthNow.value && answerNow('revenue', 'getProviderRevenue')
  const all = ofMonth?.tokens.reduce((sum, { total }) => sum + total.payments, 0)
  return (
    <>
      <RecordBehind of="payments" index={index} />
      <Table
        caption={isOfEnds ? 'Who left, newest first' : 'Payments, newest first'}
        rows={rows}
        keyOf={({ transactionHash, logIndex }) => `${transactionHash}${logIndex}`}
        columns={[
          { title: 'When', isName: true, cell: (payment) => <Taken payment={payment} /> },
          { title: 'Member', cell: ({ subscriber }) => <Address address={subscriber} /> },
          { title: 'Plan', cell: (row) => <PlanLink row={row} /> },
          { title: isOfEnds ? 'How' : 'What', cell: (payment) => <What payment={payment} /> },
          ...(isOfEnds
            ? []
            : [
                money(['Paid'], ({ charged }) => charged.amountRaw),
                money(['Into', 'reserve'], ({ toFeeBalance }) => toFeeBalance.amountRaw),
              ]),
          money(['Came in'], ({ toProvider }) => toProvider.amountRaw),
          money(['Back to', 'member'], ({ toSubscriber }) => toSubscriber.amountRaw),
          ...(isOfEnds ? [] : [money(['Fee, out', 'of reserve'], feeOf)]),
          {
            title: <span class="unseen">Receipt</span>,
            label: 'Receipt',
            cell: (payment) => <a href={receiptLink(payment)}>Receipt</a>,
          },
        ]}
      />
      <TablePages
        shown={`${start === undefined ? '' : `${placesWords(start, rows.length)}: `}${rowsWords(paid, rows.length - paid)}${all === undefined || all === paid ? '' : `, of ${paymentsWords(all)}`}`}
        size={queryNow.value.first ?? (monthNow.value && MONTH_ROWS)}
        isReading={isReading.value}
        previous={previousPage()}
        next={nextPage(nextCursor, rows.length)}
        setSize={(size) => readTable({ first: size })}
      />
    </>
  )
}

/** A column of amounts. @param title in one line or two */
function money(title: readonly string[], read: (payment: Payment) => bigint): Column<Payment> {
  const [line, next] = title
  return {
    title: (
      <>
        {line}
        {next === undefined ? null : <br />}
        {next}
      </>
    ),
    label: title.join(' '),
    isNumber: true,
    cell: (payment) => {
      const raw = read(payment)
      const { token } = payment
      return raw === 0n ? '–' : <ExactMoney amount={formatHuman(raw, token.decimals)} token={token} />
    },
  }
}

/** What the row is (a payment, how a subscription ended), and for a payment that failed, why. */
function What({ payment: { kind, dropReason } }: { readonly payment: Payment }) {
  const why = REASON_WORDS[dropReason ?? '']
  return (
    <>
      {KIND_WORDS[kind] ?? kind}
      {why === undefined ? null : <div class="quiet">{why}</div>}
    </>
  )
}

/** When it happened, and the due day where that is another one. */
function Taken({ payment }: { readonly payment: Payment }) {
  const { formattedTimestamp, timestamp, day, finalized } = payment
  return (
    <>
      <When at={formattedTimestamp} />
      {day.dayNumber === dayNumberAt(timestamp) ? null : (
        <div class="quiet">for {dateWords(day.dayNumber)}</div>
      )}
      {finalized ? null : <div class="quiet">not final yet</div>}
    </>
  )
}
