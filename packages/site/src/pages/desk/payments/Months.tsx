import type { GetProviderRevenueAnswer } from '@remit/client'
import { Card } from '../../../design/Card.tsx'
import { Shown } from '../../../design/State.tsx'
import { Table } from '../../../design/values/Table.tsx'
import { root } from '../../../page/api.ts'
import { answerNow, chainNow, live, queryNow } from '../../../page/live.ts'
import { monthNow } from '../../../page/month.ts'
import { MONTH_COLUMNS } from '../../../plan/sumColumns.tsx'
import { byToken, hasMoved, type IntervalSums, intervalSums } from '../../../plan/sums.ts'
import { MonthLink, OtherMonths } from '../../../subject/MonthLinks.tsx'
import { monthWords } from '../../../words/time.ts'
import { Outside } from './Outside.tsx'

const PATH = '/desk/payments'

const revenue = live('revenue', 'getProviderRevenue')

/** The card of sums by month: what was paid, came in and went into reserves, in all months or in the chosen one. */
export function Months() {
  const month = monthNow.value
  return (
    <Card
      title={month === undefined ? 'By month' : monthWords({ dayNumber: month.fromDay })}
      beside={month === undefined ? null : <OtherMonths path={PATH} month={month} />}
    >
      <Shown of={revenue} lines={month === undefined ? 6 : 2}>
        {(answer) => <SumsTable answer={answer} />}
      </Shown>
      {month === undefined ? null : <Outside month={month} />}
      <p class="quiet">
        What you earn by collecting is in none of these sums. “In reserves at the end” belongs to members,
        also to those of cancelled plans. <a href={`${root}/docs/bookkeeping`}>How to close a month</a>
      </p>
    </Card>
  )
}

function SumsTable({ answer }: { readonly answer: GetProviderRevenueAnswer }) {
  const isAlone = monthNow.value !== undefined
  const today = chainNow.value?.today ?? 0
  const rows = answer.tokens
    .flatMap(({ token, intervals }) => intervals.map((interval) => intervalSums(token, interval)))
    // A month by itself also tells what reserves hold where nothing moved, once it has begun.
    .filter((sums) => hasMoved(sums) || (isAlone && sums.inReserves > 0n && sums.from.dayNumber <= today))
    .toSorted((one, other) => other.from.dayNumber - one.from.dayNumber || byToken(one, other))
  if (rows.length === 0) return <p class="quiet">Nothing was paid or came in.</p>
  return (
    <>
      <Table<IntervalSums>
        caption="Sums by month"
        rows={rows}
        keyOf={({ token, from }) => `${from.date}${token.address}`}
        columns={[
          {
            title: 'Month (UTC)',
            isName: true,
            cell: ({ from, complete }) => (
              <>
                {monthNow.value === undefined ? (
                  <MonthLink path={PATH} dayNumber={from.dayNumber} />
                ) : (
                  monthWords(from)
                )}
                {complete ? '' : ' (so far)'}
              </>
            ),
          },
          ...MONTH_COLUMNS,
        ]}
      />
      {!isAlone || rows.every(({ failures }) => failures === 0) || nothingStays() ? null : (
        <p class="quiet">
          Where a payment failed with no more than one fee in the reserve, nothing comes in: that rest stays
          in the contract for good, and “In reserves at the end” goes on counting it.
        </p>
      )}
    </>
  )
}

/** Whether the page has all payments of its month, and each that failed brought in what was left of its reserve. */
function nothingStays(): boolean {
  const { payments = [], nextCursor } = answerNow('payments', 'listProviderPayments') ?? {}
  if (nextCursor !== null || queryNow.value.after !== undefined) return false
  return payments.every(({ kind, toProvider }) => kind !== 'dropped' || toProvider.amountRaw > 0n)
}
