import type { GetProviderOutlookAnswer, TokenRevenue } from '@remit/client'
import { Badge, Card } from '../../design/Card.tsx'
import { Shown } from '../../design/State.tsx'
import { Chart } from '../../design/values/Chart.tsx'
import { Money } from '../../design/values/Money.tsx'
import { Table } from '../../design/values/Table.tsx'
import { DueDay } from '../../design/values/When.tsx'
import { given, isGiven } from '../../page/Resource.ts'
import { paymentsWords } from '../../plan/PaidSum.tsx'
import { INCOME_COLUMNS } from '../../plan/sumColumns.tsx'
import { type Sums, sumsOf } from '../../plan/sums.ts'
import { TroubledTable } from '../../plan/TroubledTable.tsx'
import { shortMoneyWords, symbolOf } from '../../words/money.ts'
import { strangersText } from '../../words/strangersText.ts'
import { chartPlace, type Day, monthWords } from '../../words/time.ts'

/**
 * What a provider has been paid, what is to come within a month, and who is at risk. The past is left out where the page came without
 * it.
 */
export function Income() {
  return (
    <Card title="Income from plans">
      <div class="stack">
        {isGiven('revenue') ? (
          <Shown of={given('revenue', 'getProviderRevenue')} lines={6}>
            {({ tokens }) => (
              <>
                {tokens.map((rows) => (
                  <Past key={rows.token.address} rows={rows} />
                ))}
              </>
            )}
          </Shown>
        ) : null}
        <Shown of={given('income', 'getProviderOutlook')} lines={4}>
          {(outlook) => <ToCome outlook={outlook} />}
        </Shown>
      </div>
    </Card>
  )
}

/** What came in of one token within the last year, by month. The answer's intervals are that year's months. */
function Past({ rows: { token, total, intervals } }: { readonly rows: TokenRevenue }) {
  const symbol = strangersText(symbolOf(token), 12)
  return (
    <div class="stack-small">
      <h3>
        <Money amount={total.arrived.amount} token={token} /> in the last twelve months
      </h3>
      <Chart
        caption={`Paid to this wallet, in ${symbol} by month: ${total.arrived.amount} in all, ${total.received.amount} by ${paymentsWords(total.payments)}, and ${total.feeBalancesReceived.amount} that was left in collecting reserves when members left or could not pay`}
        places={intervals.map(({ from }) => chartPlace(from, 'month'))}
        series={[
          {
            label: 'Came in',
            tone: 'accent',
            values: intervals.map(({ arrived }) => Number(arrived.amount)),
            words: intervals.map(({ arrived }) => shortMoneyWords(arrived.amount, token)),
          },
        ]}
        table={
          <Table<Sums & { readonly from: Day }>
            caption={`Paid to this wallet, in ${symbol} by month`}
            rows={intervals
              .map((interval) => ({ ...sumsOf(token, interval), from: interval.from }))
              .reverse()}
            keyOf={({ from }) => from.date}
            columns={[
              { title: 'Month (UTC)', isName: true, cell: ({ from }) => monthWords(from) },
              ...INCOME_COLUMNS,
            ]}
          />
        }
      />
    </div>
  )
}

/** What is to come, by token, and the memberships that may not pay it. `unread` counts those that the service has not looked at yet. */
function ToCome({ outlook }: { readonly outlook: GetProviderOutlookAnswer }) {
  const { income, from, through, troubled, total, verdicts } = outlook
  const isNothingDue = income.totals.length === 0 && verdicts.unread === 0
  return (
    <div class="stack">
      <h3>
        To come up to <DueDay day={through} today={from.dayNumber} />
      </h3>
      <p class="row">
        {isNothingDue
          ? 'Nothing is due.'
          : income.totals.map(({ token, income: sum, fails }) => (
              <span key={token.address}>
                <Money amount={sum.amount} token={token} />{' '}
                {fails === 0 ? null : <Badge kind="bad">{fails} will fail</Badge>}
              </span>
            ))}
      </p>
      {verdicts.unread === 0 ? null : (
        <p class="quiet">
          {verdicts.unread} of {verdicts.memberships} members have not been looked at yet: they are in no sum.
        </p>
      )}
      {troubled.length === 0 ? null : (
        <>
          <h3>At risk</h3>
          <TroubledTable rows={troubled} today={from.dayNumber} />
          {total > troubled.length ? (
            <p class="quiet">
              {troubled.length} of {total}.
            </p>
          ) : null}
        </>
      )}
    </div>
  )
}
