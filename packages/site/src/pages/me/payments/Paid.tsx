import { useSignal } from '@preact/signals'
import type { Subscription } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { dayNumberAt } from '@remit/protocol/calendar'
import { useEffect } from 'preact/hooks'
import type { Address as WalletAddress } from 'viem'
import { Button } from '../../../design/Button.tsx'
import { Failed, Loading } from '../../../design/State.tsx'
import { Address, short } from '../../../design/values/Address.tsx'
import { ExactMoney } from '../../../design/values/Money.tsx'
import { type Column, Table } from '../../../design/values/Table.tsx'
import { When } from '../../../design/values/When.tsx'
import { chainNow } from '../../../page/live.ts'
import { type Month, monthNow, writtenMonth } from '../../../page/month.ts'
import { PlanName } from '../../../plan/PlanName.tsx'
import { planTexts } from '../../../plan/planTexts.ts'
import { receiptAddress, receiptLink } from '../../../plan/receiptLink.ts'
import { type CsvColumn, csvOf, saveCsv } from '../../../spreadsheet/csv.ts'
import { dueDate } from '../../../spreadsheet/dueDate.ts'
import { feeOf } from '../../../spreadsheet/feeOf.ts'
import { finalWord } from '../../../spreadsheet/finalWord.ts'
import { MonthLink, OtherMonths } from '../../../subject/MonthLinks.tsx'
import { isMine } from '../../../subject/subject.ts'
import { useTitle } from '../../../subject/useTitle.ts'
import { planName } from '../../../words/planName.ts'
import { strangersText } from '../../../words/strangersText.ts'
import { monthWords } from '../../../words/time.ts'
import { ForDay, NotFinal, useDueDays } from './PastRows.tsx'
import {
  historyOf,
  type PastPayment,
  type PaymentWithReceipt,
  paymentsIn,
  paymentWords,
  readWholeHistory,
  withReceipts,
} from './payments.ts'

/** All that the wallet has paid: totals by month, the payments of the month in the query, and both as a file. */
export function Paid({
  account,
  plans,
}: {
  readonly account: WalletAddress
  readonly plans: readonly Subscription[]
}) {
  const month = monthNow.value
  // A browser names the file after the title where a month is printed as a PDF.
  useTitle(month && `Payments of ${monthWords({ dayNumber: month.fromDay })} · ${short(account)}`)
  const read = () => void readWholeHistory(account)
  useEffect(read, [account])
  const known = historyOf(account)
  if (known.state === 'failed') return <Failed error={known.error} retry={read} />
  if (known.state !== 'there') return <Loading lines={4} />
  if (known.next !== null) return <Button onClick={read}>Read all of them</Button>
  const payments = paymentsIn(known, { plans, account })
  if (payments.length === 0) return <p class="quiet">None so far.</p>
  const shown = month === undefined ? payments : payments.filter(({ at }) => isWithin(month, at))
  const name = ['paid-by', ...(month === undefined ? [] : [month.written]), account].join('-')
  return (
    <div class="stack">
      {month === undefined ? null : <OtherMonths path={PATH} month={month} />}
      {shown.length === 0 ? (
        <p class="quiet">Nothing was paid in {monthWords({ dayNumber: month?.fromDay ?? 0 })}.</p>
      ) : (
        <>
          <Totals payments={shown} />
          {month === undefined ? null : (
            <>
              <ByPlan payments={shown} />
              <List payments={shown} among={payments} />
            </>
          )}
          <p class="row on-screen">
            <SaveFile payments={shown} name={`${name}.csv`} />
            <span class="quiet">
              The file has each payment with due day, provider, reserve and fees from its receipt.
            </span>
          </p>
        </>
      )}
    </div>
  )
}

/** The page that this stands on, for links to its other months. */
const PATH = '/me'

function isWithin({ fromDay, toDay }: Month, at: Date): boolean {
  const day = dayNumberAt(at.getTime() / 1000)
  return day >= fromDay && day < toDay
}

/** What is told of each total. */
const SUMS: readonly Column<Total>[] = [
  { title: 'Payments', isNumber: true, cell: ({ count }) => count },
  { title: 'Paid', isNumber: true, cell: ({ raw, plan }) => moneyCell(raw, plan) },
  { title: 'Came back', isNumber: true, cell: ({ backRaw, plan }) => moneyCell(backRaw, plan) },
]

/** The sums of a month by plan; nothing where it has one alone. */
function ByPlan({ payments }: { readonly payments: readonly PastPayment[] }) {
  const totals = totalsOf(payments, ({ plan }) => plan.id)
  if (totals.length < 2) return null
  return (
    <Table
      caption="Paid by plan"
      rows={totals}
      keyOf={({ key }) => key}
      columns={[{ title: 'Plan', isName: true, cell: ({ plan }) => <PaidPlan plan={plan} /> }, ...SUMS]}
    />
  )
}

/** Sums by month and token. */
function Totals({ payments }: { readonly payments: readonly PastPayment[] }) {
  const today = chainNow.value?.today
  const isUnderWay = (dayNumber: number) => today != null && writtenMonth(dayNumber) === writtenMonth(today)
  return (
    <Table
      caption="Paid by month"
      rows={totalsOf(payments, ofMonth)}
      keyOf={({ key }) => key}
      columns={[
        {
          title: 'Month (UTC)',
          isName: true,
          cell: ({ dayNumber }) => (
            <>
              {monthNow.value === undefined ? (
                <MonthLink path={PATH} dayNumber={dayNumber} />
              ) : (
                monthWords({ dayNumber })
              )}
              {isUnderWay(dayNumber) ? ' (so far)' : ''}
            </>
          ),
        },
        ...SUMS,
      ]}
    />
  )
}

function moneyCell(raw: bigint | undefined, { token, tokenDecimals }: Subscription) {
  if (raw === undefined || raw === 0n) return '–'
  return <ExactMoney amount={formatHuman(raw, tokenDecimals)} token={token} />
}

/** The payments of a month. */
function List({
  payments,
  among,
}: {
  readonly payments: readonly PastPayment[]
  /** All payments of the wallet, among which `ForDay` looks for the first one. */
  readonly among: readonly PastPayment[]
}) {
  const dueDays = useDueDays(payments, Number.POSITIVE_INFINITY)
  return (
    <Table
      caption="Payments, newest first"
      rows={payments}
      keyOf={({ transactionHash, logIndex }) => `${transactionHash}${logIndex}`}
      columns={[
        {
          title: 'When',
          isName: true,
          cell: (payment) => (
            <>
              <When at={payment.at} />
              <ForDay payment={payment} dueDays={dueDays} among={among} />
              <NotFinal payment={payment} />
            </>
          ),
        },
        { title: 'Plan', cell: ({ plan }) => <PaidPlan plan={plan} /> },
        {
          title: 'What',
          cell: ({ kind, reserve, plan }) => (
            <>
              {paymentWords(kind, isMine.value)}
              {reserve === undefined || reserve.toProvider.amountRaw === 0n ? null : (
                <div class="quiet">
                  <ExactMoney amount={reserve.toProvider.amount} token={plan.token} /> of the reserve to the
                  provider
                </div>
              )}
            </>
          ),
        },
        { title: 'Paid', isNumber: true, cell: ({ amountRaw, plan }) => moneyCell(amountRaw, plan) },
        {
          title: 'Came back',
          isNumber: true,
          cell: ({ reserve, plan }) => moneyCell(reserve?.toSubscriber.amountRaw, plan),
        },
        {
          title: <span class="unseen">Receipt</span>,
          label: 'Receipt',
          cell: (place) => <a href={receiptLink(place)}>Receipt</a>,
        },
      ]}
    />
  )
}

/** The plan, and who is paid: by its address where the provider has no name. */
function PaidPlan({ plan }: Pick<PastPayment, 'plan'>) {
  return (
    <>
      <PlanName plan={plan} />
      {planTexts(plan).company === undefined ? (
        <div class="quiet">
          by <Address address={plan.provider} />
        </div>
      ) : null}
    </>
  )
}

/** What was paid, in the token's smallest unit. */
interface Total {
  readonly key: string
  /** The day of the newest payment in it. */
  readonly dayNumber: number
  readonly count: number
  readonly raw: bigint
  /** What came back, out of collecting reserves. */
  readonly backRaw: bigint
  /** One of the plans that were paid for: it names the token. */
  readonly plan: Subscription
}

/** For `totalsOf`: by month and token. */
export function ofMonth({ at, plan }: PastPayment): string {
  return `${at.toISOString().slice(0, 7)} ${plan.token.address}`
}

/**
 * The totals in the order of the payments: newest first.
 * @param keyIn what the payments of one total share, their token included
 */
export function totalsOf(payments: readonly PastPayment[], keyIn: (payment: PastPayment) => string): Total[] {
  const totals = new Map<string, Total>()
  for (const payment of payments) {
    const { at, plan, amountRaw, reserve } = payment
    const backRaw = reserve?.toSubscriber.amountRaw ?? 0n
    if (amountRaw === undefined && backRaw === 0n) continue
    const key = keyIn(payment)
    const dayNumber = dayNumberAt(at.getTime() / 1000)
    const before = totals.get(key) ?? { dayNumber, count: 0, raw: 0n, backRaw: 0n }
    totals.set(key, {
      ...before,
      key,
      plan,
      count: before.count + (amountRaw === undefined ? 0 : 1),
      raw: before.raw + (amountRaw ?? 0n),
      backRaw: before.backRaw + backRaw,
    })
  }
  return [...totals.values()]
}

/** The button that saves the file. The receipt of each payment is read only then: lists do not have all that the file has. */
function SaveFile({ payments, name }: { readonly payments: readonly PastPayment[]; readonly name: string }) {
  const read = useSignal<number | undefined>(undefined)
  const error = useSignal<unknown>(undefined)
  const save = async () => {
    read.value = 0
    error.value = undefined
    try {
      const rows = await withReceipts(payments, (count) => {
        read.value = count
      })
      saveCsv(csvOf(COLUMNS, rows), name)
    } catch (thrown) {
      error.value = thrown
    }
    read.value = undefined
  }
  return (
    <>
      <Button isSmall isOff={read.value !== undefined} onClick={() => void save()}>
        {read.value === undefined ? 'Payments as CSV' : `Reading ${read.value} of ${payments.length} …`}
      </Button>
      {error.value === undefined ? null : <Failed error={error.value} />}
    </>
  )
}

const COLUMNS: readonly CsvColumn<PaymentWithReceipt>[] = [
  // Spreadsheets read this as a date, and the time below as a text.
  ['date', ({ at }) => at.toISOString().slice(0, 10)],
  ['time', ({ at }) => at.toISOString()],
  ['due day', ({ receipt }) => dueDate(receipt)],
  ['what', ({ kind }) => paymentWords(kind, isMine.value)],
  ['plan', ({ plan }) => planName(plan, planTexts(plan))],
  ['plan id', ({ plan }) => plan.id],
  ['provider', ({ plan }) => plan.provider],
  ['provider name', ({ plan }) => strangersText(planTexts(plan).company ?? '')],
  ['currency', ({ plan }) => plan.token.symbol ?? ''],
  ['paid', ({ receipt }) => receipt.charged.amount],
  ['to provider', ({ receipt }) => receipt.toProvider.amount],
  ['into reserve', ({ receipt }) => receipt.toFeeBalance.amount],
  ['came back', ({ receipt }) => receipt.toSubscriber.amount],
  ['fee out of reserve', ({ receipt, plan }) => formatHuman(feeOf(receipt), plan.tokenDecimals)],
  ['token', ({ plan }) => plan.token.address],
  ['transaction', ({ transactionHash }) => transactionHash],
  // The receipt's own, as the provider's file has it.
  ['log', ({ receipt }) => receipt.logIndex],
  ['final', ({ receipt }) => finalWord(receipt)],
  ['receipt', ({ receipt }) => receiptAddress(receipt)],
]
