import type { RevenueInterval, TokenRevenue } from '@remit/client'
import { Chart } from '../../../design/values/Chart.tsx'
import { Money } from '../../../design/values/Money.tsx'
import { Table } from '../../../design/values/Table.tsx'
import { MonthLink } from '../../../subject/MonthLinks.tsx'
import { shortMoneyWords, symbolOf } from '../../../words/money.ts'
import { chartPlace, monthWords } from '../../../words/time.ts'
import type { MoneyMonth } from './months.ts'
import { churnWords } from './numbers.ts'

interface MoneyChartProps {
  readonly months: readonly MoneyMonth[]
  readonly token: TokenRevenue['token']
}

/** A chart of what came in and what will come in, month by month, with a table of the same. */
export function MoneyChart({ months, token }: MoneyChartProps) {
  const series = (read: (month: MoneyMonth) => MoneyMonth['came']) => ({
    // For the heights alone.
    values: months.map((month) => Number(read(month).amount)),
    words: months.map((month) => shortMoneyWords(read(month).amount, token)),
  })
  const present = months.findLastIndex(({ past }) => past !== undefined)
  return (
    <Chart
      caption={`What came in and will come in, by month, in ${symbolOf(token)}`}
      places={months.map((month) => chartPlace(month, 'month'))}
      now={Math.max(0, present)}
      series={[
        { label: 'Came in', tone: 'accent', ...series(({ came }) => came) },
        { label: 'Will come in', tone: 'coming', ...series(({ comes }) => comes) },
        { label: 'Will fail in that month', tone: 'bad', ...series(({ missed }) => missed) },
      ]}
      table={<Months months={months} token={token} />}
    />
  )
}

function Months({ months, token }: MoneyChartProps) {
  const money = ({ amount, raw }: MoneyMonth['came']) =>
    raw === 0n ? '–' : <Money amount={amount} token={token} />
  return (
    <Table
      caption="Income by month"
      rows={[...months].reverse()}
      keyOf={({ dayNumber }) => dayNumber}
      columns={[
        {
          title: 'Month (UTC)',
          isName: true,
          cell: (month) =>
            month.past === undefined ? (
              monthWords(month)
            ) : (
              <>
                <MonthLink path="/desk/payments" dayNumber={month.dayNumber} />
                {month.past.complete ? '' : ' (so far)'}
              </>
            ),
        },
        { title: 'Came in', isNumber: true, cell: ({ came }) => money(came) },
        { title: 'Will come in', isNumber: true, cell: ({ comes }) => money(comes) },
        { title: 'Will fail', isNumber: true, cell: ({ missed }) => money(missed) },
        { title: 'Payments', isNumber: true, cell: ({ past }) => past?.payments ?? '–' },
        { title: 'Failed', isNumber: true, cell: ({ past }) => past?.failures ?? '–' },
        { title: 'New', isNumber: true, cell: ({ past }) => past?.subscribers.new ?? '–' },
        {
          title: 'Ended',
          isNumber: true,
          cell: ({ past }) => (past === undefined ? '–' : endedIn(past)),
        },
        {
          title: 'Churn',
          isNumber: true,
          cell: ({ past }) => {
            const churn = past && churnWords(past)
            return churn === undefined ? '–' : `${churn.share} (${churn.of} left or failed)`
          },
        },
        { title: 'Subscriptions', isNumber: true, cell: ({ past }) => past?.subscribers.activeAtEnd ?? '–' },
        {
          title: 'Monthly recurring',
          isNumber: true,
          cell: ({ past }) =>
            past === undefined ? '–' : <Money amount={past.mrrAtEnd.amount} token={token} />,
        },
      ]}
    />
  )
}

/** How many subscriptions ended, in whichever way: “Subscriptions” of the month before, with “New” and without these, are the month’s. */
function endedIn({ subscribers }: RevenueInterval): number {
  const { left, removed, dropped, cancelled } = subscribers
  return left + removed + dropped + cancelled
}
