import type { RevenueInterval, Subscription, TokenRevenue } from '@remit/client'
import { Card } from '../../design/Card.tsx'
import { Chart } from '../../design/Chart.tsx'
import { Money } from '../../design/Money.tsx'
import { Empty, Shown } from '../../design/State.tsx'
import { Table } from '../../design/Table.tsx'
import { linkTo } from '../../page/api.ts'
import { given, isGiven } from '../../page/Resource.ts'
import { memberWords } from '../../plan/memberWords.ts'
import { PaidSum } from '../../plan/PaidSum.tsx'
import { RESERVE_MEANS } from '../../words/money.ts'
import { chartPlace, dayWords } from '../../words/time.ts'

/** The plan's payments and failures by week or month, as a chart and as a table. */
export function Payments({ subscription }: { readonly subscription: Subscription }) {
  if (!isGiven('revenue')) return null
  const revenue = given('revenue', 'getSubscriptionRevenue')
  return (
    <Card title="Payments">
      <Shown of={revenue} lines={8}>
        {({ tokens, from, to, interval }) => {
          const [rows] = tokens
          if (rows === undefined || !hasMoved(rows.total)) {
            return <Empty title={`Nobody has paid since ${dayWords(from)}.`} />
          }
          const csv = linkTo(`/subscriptions/${subscription.id}/revenue`, {
            from: from.date,
            to: to.date,
            interval,
            format: 'csv',
          })
          return <Told rows={rows} csv={csv} period={subscription.frequency === 0 ? 'week' : 'month'} />
        }}
      </Shown>
    </Card>
  )
}

interface ToldProps {
  readonly rows: TokenRevenue
  readonly csv: string
  readonly period: 'week' | 'month'
}

function Told({ rows, csv, period }: ToldProps) {
  const { token, total, intervals } = rows
  const from = intervals[0]?.from
  const members = intervals.at(-1)?.subscribers.activeAtEnd ?? 0
  const shown = intervals.slice(firstWithPayments(intervals))
  return (
    <div class="stack">
      <p>
        {from === undefined ? null : `Since ${dayWords(from)} `}the provider was paid{' '}
        <PaidSum row={rows} reserveMeans={RESERVE_MEANS} /> {memberWords(members)} now.
      </p>
      <Chart
        caption={`Payments and failures by ${period}: ${total.payments} paid and ${total.failures} failed since ${dayWords(from ?? { dayNumber: 0, date: '' })}`}
        places={shown.map(({ from }) => chartPlace(from, period))}
        series={[
          {
            label: 'Payments',
            tone: 'accent',
            values: shown.map(({ payments }) => payments),
            words: shown.map(({ payments }) => payments.toLocaleString('en')),
          },
          {
            label: 'Failed',
            tone: 'bad',
            values: shown.map(({ failures }) => failures),
            words: shown.map(({ failures }) => failures.toLocaleString('en')),
          },
        ]}
        table={
          <Table
            caption={`Payments by ${period}`}
            rows={[...shown].reverse()}
            keyOf={({ from }) => from.date}
            columns={[
              { title: 'From', cell: ({ from }) => dayWords(from) },
              { title: 'Payments', isNumber: true, cell: ({ payments }) => payments },
              { title: 'Failed', isNumber: true, cell: ({ failures }) => failures },
              {
                title: 'To the provider',
                isNumber: true,
                cell: ({ arrived }) => <Money amount={arrived.amount} token={token} />,
              },
              {
                title: 'From collecting reserves',
                isNumber: true,
                cell: ({ feeBalancesReceived }) => (
                  <Money amount={feeBalancesReceived.amount} token={token} />
                ),
              },
            ]}
          />
        }
      />
      <p class="quiet">
        <a href={csv}>Sums by {period}, for a spreadsheet (CSV)</a>
      </p>
    </div>
  )
}

/** A subscriber who leaves pays nothing, but leaves the collecting reserve. */
function hasMoved({
  payments,
  failures,
  arrived,
}: Pick<RevenueInterval, 'payments' | 'failures' | 'arrived'>): boolean {
  return payments + failures > 0 || arrived.amountRaw > 0n
}

/** Before its first payment there is nothing to show, but a chart of one bar says little: at least eight are kept. */
function firstWithPayments(intervals: readonly RevenueInterval[]): number {
  const first = intervals.findIndex(hasMoved)
  return Math.max(0, Math.min(first, intervals.length - 8))
}
