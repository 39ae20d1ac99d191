import { formatHuman } from '@remit/protocol/amounts'
import type { ComponentChildren } from 'preact'
import { ExactMoney } from '../design/values/Money.tsx'
import type { Column } from '../design/values/Table.tsx'
import type { IntervalSums, Sums } from './sums.ts'

// Columns of the tables that add payments up (`sums.ts`).

/** A column of money. Its amounts are exact: beside each other, rounded ones would not add up. */
function money<Row extends Sums>(
  label: string,
  read: (sums: Row) => bigint,
  title: ComponentChildren = label,
): Column<Row> {
  return {
    title,
    label,
    isNumber: true,
    cell: (sums) => {
      const raw = read(sums)
      if (raw === 0n) return '–'
      return <ExactMoney amount={formatHuman(raw, sums.token.decimals)} token={sums.token} />
    },
  }
}

/** A title in two lines. */
const inTwo = (one: string, other: string) => (
  <>
    {one}
    <br />
    {other}
  </>
)

const payments: Column<Sums> = { title: 'Payments', isNumber: true, cell: (sums) => sums.payments }
/** With those that failed: the fee for trying them is among the fees. */
const paymentsAndFailures: Column<Sums> = {
  ...payments,
  cell: ({ payments: made, failures }) => (failures === 0 ? made : `${made} paid, ${failures} failed`),
}
const leftOfReserves = money<Sums>(
  'From ended reserves',
  (sums) => sums.leftOfReserves,
  inTwo('From ended', 'reserves'),
)
const cameIn = money<Sums>('Came in', (sums) => sums.cameIn)

/** What came in, and by which way: the last is the sum of the two before it. */
export const INCOME_COLUMNS: readonly Column<Sums>[] = [
  payments,
  { title: 'Failed', isNumber: true, cell: ({ failures }) => failures },
  money('By payments', (sums) => sums.byPayments),
  leftOfReserves,
  cameIn,
]

/** All that books need. “Came in” is “Paid” without “Into reserve” and with “From ended reserves”. */
export const BOOK_COLUMNS: readonly Column<Sums>[] = [
  paymentsAndFailures,
  money('Paid', (sums) => sums.paid),
  money('Into reserve', (sums) => sums.intoReserve, inTwo('Into', 'reserve')),
  leftOfReserves,
  cameIn,
  money('Back to members', (sums) => sums.backToMembers, inTwo('Back to', 'members')),
  money('Fees, out of reserves', (sums) => sums.fee, inTwo('Fees, out', 'of reserves')),
]

/** The same for a month or week, with what was left in reserves at its end. */
export const MONTH_COLUMNS: readonly Column<IntervalSums>[] = [
  ...BOOK_COLUMNS,
  money('In reserves at the end', (sums) => sums.inReserves, inTwo('In reserves', 'at the end')),
]
