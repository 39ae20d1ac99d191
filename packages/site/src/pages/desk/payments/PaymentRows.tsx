import type { ListProviderPaymentsAnswer } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { dayNumberAt } from '@remit/protocol/calendar'
import { Address } from '../../../design/values/Address.tsx'
import { ExactMoney } from '../../../design/values/Money.tsx'
import { type Column, Table } from '../../../design/values/Table.tsx'
import { When } from '../../../design/values/When.tsx'
import { isReading, queryNow } from '../../../page/live.ts'
import { receiptLink } from '../../../plan/receiptLink.ts'
import { isCharge, rowsWords } from '../../../plan/sums.ts'
import { feeOf } from '../../../spreadsheet/feeOf.ts'
import { dateWords } from '../../../words/time.ts'
import { RecordBehind } from '../RecordBehind.tsx'
import { REASON_WORDS } from '../reasonWords.ts'
import { TablePages } from '../TablePages.tsx'
import { nextPage, placesWords, previousPage, readTable, rowsBefore } from '../tablePlace.ts'
import { PlanLink } from './PlanLink.tsx'
import { KIND_WORDS } from './paymentColumns.ts'

type Payment = ListProviderPaymentsAnswer['payments'][number]

interface PaymentRowsProps {
  readonly answer: ListProviderPaymentsAnswer
  /** Whether they are only those that ended a subscription: nothing was paid by them. */
  readonly hasEnded?: boolean
}

/** Payments, and how subscriptions ended, a page of them. */
export function PaymentRows({
  answer: { payments: rows, nextCursor, index },
  hasEnded = false,
}: PaymentRowsProps) {
  const start = rowsBefore()
  const paid = rows.filter(isCharge).length
  return (
    <>
      <RecordBehind of="payments" index={index} />
      <Table
        caption={hasEnded ? 'Who left, newest first' : 'Payments, newest first'}
        rows={rows}
        keyOf={({ transactionHash, logIndex }) => `${transactionHash}${logIndex}`}
        columns={[
          { title: 'When', isName: true, cell: (payment) => <Taken payment={payment} /> },
          { title: 'Member', cell: ({ subscriber }) => <Address address={subscriber} /> },
          { title: 'Plan', cell: (row) => <PlanLink row={row} /> },
          { title: hasEnded ? 'How' : 'What', cell: (payment) => <What payment={payment} /> },
          ...(hasEnded
            ? []
            : [
                money(['Paid'], ({ charged }) => charged.amountRaw),
                money(['Into', 'reserve'], ({ toFeeBalance }) => toFeeBalance.amountRaw),
              ]),
          money(['Came in'], ({ toProvider }) => toProvider.amountRaw),
          money(['Back to', 'member'], ({ toSubscriber }) => toSubscriber.amountRaw),
          ...(hasEnded ? [] : [money(['Fee, out', 'of reserve'], feeOf)]),
          {
            title: <span class="unseen">Receipt</span>,
            label: 'Receipt',
            cell: (place) => <a href={receiptLink(place)}>Receipt</a>,
          },
        ]}
      />
      <TablePages
        shown={`${start === undefined ? '' : `${placesWords(start, rows.length)}: `}${rowsWords(paid, rows.length - paid)}`}
        size={queryNow.value.first}
        isReading={isReading.value}
        previous={previousPage()}
        next={nextPage(nextCursor, rows.length)}
        setSize={(size) => readTable({ first: size })}
      />
    </>
  )
}

/** @param title in one line or two */
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

/** What it was, and why where it failed. */
function What({ payment: { kind, dropReason } }: { readonly payment: Payment }) {
  const why = REASON_WORDS[dropReason ?? '']
  return (
    <>
      {KIND_WORDS[kind] ?? kind}
      {why === undefined ? null : <div class="quiet">{why}</div>}
    </>
  )
}

/** When it was taken, and the day that it was due for where that is another one. */
function Taken({ payment }: { readonly payment: Payment }) {
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
