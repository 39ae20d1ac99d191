import type { Subscription, TokenRevenue } from '@remit/client'
import { dateOf } from '@remit/protocol/calendar'
import type { ComponentChildren } from 'preact'
import { Card } from '../../design/Card.tsx'
import { Empty, Shown } from '../../design/State.tsx'
import { Chart } from '../../design/values/Chart.tsx'
import { Table } from '../../design/values/Table.tsx'
import { api, root } from '../../page/api.ts'
import { answerNow } from '../../page/live.ts'
import { given, isGiven } from '../../page/Resource.ts'
import { memberWords } from '../../plan/memberWords.ts'
import { PaidSum } from '../../plan/PaidSum.tsx'
import { planTexts } from '../../plan/planTexts.ts'
import { INCOME_COLUMNS } from '../../plan/sumColumns.tsx'
import { hasMoved, INTERVAL_FIELDS, type IntervalSums, intervalSums, sumsOf } from '../../plan/sums.ts'
import { CsvButton } from '../../spreadsheet/CsvButton.tsx'
import type { CsvColumn } from '../../spreadsheet/csv.ts'
import { planName } from '../../words/planName.ts'
import { chartPlace, type Day, dayWords, monthWords } from '../../words/time.ts'
import { publishedDay, sinceDayWords, sinceWords } from './since.ts'

/** The plan's payments and failures by week or month, as a chart and as a table. */
export function Payments({ subscription }: { readonly subscription: Subscription }) {
  if (!isGiven('revenue')) return null
  const revenue = given('revenue', 'getSubscriptionRevenue')
  return (
    <Card title="Payments">
      <Shown of={revenue} lines={8}>
        {({ tokens, from, to }) => {
          const [row] = tokens
          if (row === undefined || !hasMoved(sumsOf(row.token, row.total))) {
            return <Empty title={`Nobody has paid since ${sinceDayWords(from, publishedHere())}.`} />
          }
          return (
            <Told
              row={row}
              from={from}
              subscription={subscription}
              files={<Files {...{ subscription, from, to }} />}
            />
          )
        }}
      </Shown>
    </Card>
  )
}

/** The day number on which the plan was published; `undefined` where the page came without that event. */
function publishedHere(): number | undefined {
  return publishedDay(answerNow('history', 'getSubscriptionHistory')?.events ?? [])
}

interface ToldProps {
  /** The revenue in the plan's token, which is the only one that it is paid in. */
  readonly row: TokenRevenue
  readonly from: Day
  readonly subscription: Subscription
  readonly files: ComponentChildren
}

/** The sums, the chart and the table. */
function Told({ row, from, subscription, files }: ToldProps) {
  const { token, total, intervals } = row
  const members = intervals.at(-1)?.subscribers.activeAtEnd ?? 0
  const sums = intervals.map((interval) => intervalSums(token, interval))
  const shown = sums.slice(firstWithPayments(sums))
  const period = subscription.frequency === 0 ? 'week' : 'month'
  const since = sinceWords(row, { from, period, published: publishedHere() })
  return (
    <div class="stack">
      <p>
        {memberWords(members)} now. Since {since}:
      </p>
      <PaidSum row={row} to="the provider" />
      <Chart
        caption={`Payments collected and failures by ${period}: ${total.payments} paid and ${total.failures} failed since ${since}`}
        places={shown.map(({ from }) => chartPlace(from, period))}
        series={[
          {
            label: 'Payments collected',
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
          <Table<IntervalSums>
            caption={`Payments by ${period}`}
            rows={[...shown].reverse()}
            keyOf={({ from }) => from.date}
            columns={[
              {
                title: period === 'week' ? 'Week from' : 'Month (UTC)',
                isName: true,
                cell: ({ from }) => (period === 'week' ? dayWords(from) : monthWords(from)),
              },
              ...INCOME_COLUMNS,
            ]}
          />
        }
      />
      {files}
    </div>
  )
}

interface FilesProps {
  readonly subscription: Subscription
  readonly from: Day
  readonly to: Day
}

/** Sums as files: by month for the books, and by week beside that where the plan is weekly. */
function Files({ subscription, from, to }: FilesProps) {
  const intervals = subscription.frequency === 0 ? (['month', 'week'] as const) : (['month'] as const)
  return (
    <p class="row quiet on-screen">
      {intervals.map((interval) => (
        <CsvButton
          key={interval}
          what={`Sums by ${interval}`}
          name={`sums-by-${interval}-${subscription.id}`}
          columns={columnsOf(subscription)}
          rowsOf={() => readSums(subscription.id, interval, { from, to })}
        />
      ))}
      <a href={`${root}/docs/bookkeeping#one-plan`}>What the columns are</a>
    </p>
  )
}

/** The rows of a file, read anew: the page shows a part of its first month, and the file has all of it. */
async function* readSums(
  id: Subscription['id'],
  interval: 'week' | 'month',
  { from, to }: { readonly from: Day; readonly to: Day },
): AsyncIterable<IntervalSums> {
  const begin = interval === 'month' ? `${from.date.slice(0, 7)}-01` : from.date
  const { tokens } = await api.getSubscriptionRevenue({ id, from: begin, to: to.date, interval })
  for (const { token, intervals } of tokens) {
    for (const each of intervals) {
      const sums = intervalSums(token, each)
      if (hasMoved(sums)) yield sums
    }
  }
}

function columnsOf(subscription: Subscription): readonly CsvColumn<IntervalSums>[] {
  const name = planName(subscription, planTexts(subscription))
  return [
    ['from', ({ from }) => from.date],
    ['through', ({ to }) => dateOf(to.dayNumber - 1)],
    ['complete', ({ complete }) => (complete ? 'yes' : 'not yet')],
    ['plan', () => name],
    ['plan id', () => subscription.id],
    ...INTERVAL_FIELDS,
  ]
}

/** The chart has at least so many bars: fewer say little. */
const LEAST_BARS = 8

/** The index of the first interval that is shown: the first with a payment, or an earlier one where too few bars would be left. */
function firstWithPayments(intervals: readonly IntervalSums[]): number {
  const first = intervals.findIndex(hasMoved)
  return Math.max(0, Math.min(first, intervals.length - LEAST_BARS))
}
