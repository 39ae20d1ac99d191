import type { GetProviderRevenueAnswer, TokenRevenue } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { Card } from '../../../design/Card.tsx'
import { ExactMoney } from '../../../design/Money.tsx'
import { Shown } from '../../../design/State.tsx'
import { Table } from '../../../design/Table.tsx'
import { live } from '../../../page/live.ts'
import { monthNow } from '../../../page/month.ts'
import { feeOf } from '../../../spreadsheet/feeOf.ts'
import { MonthLink, OtherMonths } from '../../../subject/MonthLinks.tsx'
import { monthWords } from '../../../words/time.ts'

const PATH = '/desk/payments'

const revenue = live('revenue', 'getProviderRevenue')

/** What was paid, came in and was kept back in each month, or in the one that was chosen. */
export function Months() {
  const month = monthNow.value
  return (
    <Card
      title={month === undefined ? 'By month' : monthWords({ dayNumber: month.fromDay })}
      beside={month === undefined ? null : <OtherMonths path={PATH} month={month} />}
    >
      <Shown of={revenue} lines={month === undefined ? 6 : 2}>
        {(answer) => <Sums answer={answer} />}
      </Shown>
    </Card>
  )
}

interface MonthSums {
  readonly token: TokenRevenue['token']
  readonly sums: TokenRevenue['intervals'][number]
}

function Sums({ answer }: { readonly answer: GetProviderRevenueAnswer }) {
  const rows = answer.tokens
    .flatMap(({ token, intervals }) => intervals.map((sums): MonthSums => ({ token, sums })))
    .filter(({ sums }) => hasMoved(sums))
    .toSorted((one, other) => other.sums.from.dayNumber - one.sums.from.dayNumber)
  if (rows.length === 0) return <p class="quiet">Nothing was paid or came in.</p>
  const money = (read: (row: MonthSums) => bigint) => (row: MonthSums) => {
    const raw = read(row)
    return raw === 0n ? '–' : <ExactMoney amount={formatHuman(raw, row.token.decimals)} token={row.token} />
  }
  return (
    <Table
      caption="Sums by month"
      rows={rows}
      keyOf={({ token, sums }) => `${sums.from.date}${token.address}`}
      columns={[
        {
          title: 'Month (UTC)',
          isName: true,
          cell: ({ sums: { from, complete } }) => (
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
        { title: 'Payments', isNumber: true, cell: ({ sums }) => sums.payments },
        { title: 'Paid', isNumber: true, cell: money(({ sums }) => sums.charged.amountRaw) },
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
          cell: money(({ sums }) => sums.intoFeeBalances.amountRaw),
        },
        {
          title: (
            <>
              Left of
              <br />
              reserves
            </>
          ),
          label: 'Left of reserves',
          isNumber: true,
          cell: money(({ sums }) => sums.feeBalancesReceived.amountRaw),
        },
        { title: 'Came in', isNumber: true, cell: money(({ sums }) => sums.arrived.amountRaw) },
        {
          title: (
            <>
              Back to
              <br />
              members
            </>
          ),
          label: 'Back to members',
          isNumber: true,
          cell: money(({ sums }) => sums.refunds.amountRaw),
        },
        {
          title: (
            <>
              Fees, out
              <br />
              of reserves
            </>
          ),
          label: 'Fees, out of reserves',
          isNumber: true,
          cell: money(({ sums }) => feesOf(sums)),
        },
      ]}
    />
  )
}

function feesOf({ keptByCallers, keptBySystem }: MonthSums['sums']): bigint {
  return feeOf({ callerFee: keptByCallers, systemShare: keptBySystem })
}

function hasMoved(sums: MonthSums['sums']): boolean {
  const { payments, arrived, refunds } = sums
  return payments > 0 || arrived.amountRaw > 0n || refunds.amountRaw > 0n || feesOf(sums) > 0n
}
