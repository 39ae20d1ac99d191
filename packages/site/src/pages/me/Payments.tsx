import { useSignal } from '@preact/signals'
import type { Subscription } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { dayNumberAt } from '@remit/protocol/calendar'
import type { Address } from 'viem'
import { Button } from '../../design/Button.tsx'
import { Money } from '../../design/Money.tsx'
import { Failed, Loading } from '../../design/State.tsx'
import { Table } from '../../design/Table.tsx'
import { linkTo } from '../../page/api.ts'
import { planTexts } from '../../plan/planTexts.ts'
import { type CsvColumn, csvOf, saveCsv } from '../../spreadsheet/csv.ts'
import { planName } from '../../words/planName.ts'
import { monthWords } from '../../words/time.ts'
import type { Membership } from './memberships.ts'
import { historyOf, PAYMENT_WORDS, type PastPayment, paymentsIn, readWholeHistory } from './payments.ts'

interface PaymentsProps {
  readonly account: Address
  /** Those that run and those that have ended. */
  readonly rows: readonly Membership[]
}

/** All that the wallet has paid, by month and as a file. It is read when somebody looks. */
export function Payments({ account, rows }: PaymentsProps) {
  const isOpen = useSignal(false)
  return (
    <details
      class="card"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open
        if (currentTarget.open) void readWholeHistory(account)
      }}
    >
      <summary>All payments: totals by month, and a file for a spreadsheet (CSV)</summary>
      {isOpen.value ? <Paid account={account} plans={rows.map(({ subscription }) => subscription)} /> : null}
    </details>
  )
}

function Paid({ account, plans }: { readonly account: Address; readonly plans: readonly Subscription[] }) {
  const known = historyOf(account)
  const read = () => void readWholeHistory(account)
  if (known.state === 'failed') return <Failed error={known.error} retry={read} />
  if (known.state !== 'there') return <Loading lines={4} />
  if (known.next !== null) return <Button onClick={read}>Read all of them</Button>
  const payments = paymentsIn(known, { plans, account })
  if (payments.length === 0) return <p class="quiet">None so far.</p>
  const totals = totalsOf(payments)
  const inMoney = (raw: bigint, { token, tokenDecimals }: Subscription) => (
    <Money amount={formatHuman(raw, tokenDecimals)} token={token} />
  )
  return (
    <div class="stack">
      <Table
        caption="Paid by month"
        rows={totals}
        keyOf={({ key }) => key}
        columns={[
          { title: 'Month (UTC)', isName: true, cell: ({ month }) => month },
          { title: 'Payments', isNumber: true, cell: ({ count }) => count },
          { title: 'Paid', isNumber: true, cell: ({ raw, plan }) => inMoney(raw, plan) },
          ...(totals.some(({ backRaw }) => backRaw > 0n)
            ? [
                {
                  title: 'Came back',
                  isNumber: true,
                  cell: ({ backRaw, plan }: MonthTotal) => inMoney(backRaw, plan),
                },
              ]
            : []),
        ]}
      />
      <p class="row">
        <Button isSmall onClick={() => saveCsv(csvOf(COLUMNS, payments), `paid-by-${account}.csv`)}>
          Payments as CSV
        </Button>
        <span class="quiet">
          Every payment to its last digit, with its receipt, and what came back out of a collecting reserve.
        </span>
      </p>
    </div>
  )
}

interface MonthTotal {
  readonly key: string
  readonly month: string
  readonly count: number
  readonly raw: bigint
  /** Out of collecting reserves. */
  readonly backRaw: bigint
  /** One of those that were paid for: it names the token. */
  readonly plan: Subscription
}

/** By month and token, newest first. */
export function totalsOf(payments: readonly PastPayment[]): MonthTotal[] {
  const totals = new Map<string, MonthTotal>()
  for (const { at, plan, amountRaw, reserve } of payments) {
    const back = reserve?.toSubscriber.amountRaw ?? 0n
    if (amountRaw === undefined && back === 0n) continue
    const key = `${at.toISOString().slice(0, 7)} ${plan.token.address}`
    const month = monthWords({ dayNumber: dayNumberAt(at.getTime() / 1000) })
    const { count, raw, backRaw } = totals.get(key) ?? { count: 0, raw: 0n, backRaw: 0n }
    totals.set(key, {
      key,
      month,
      plan,
      count: amountRaw === undefined ? count : count + 1,
      raw: raw + (amountRaw ?? 0n),
      backRaw: backRaw + back,
    })
  }
  return [...totals.values()]
}

const COLUMNS: readonly CsvColumn<PastPayment>[] = [
  ['time', ({ at }) => at.toISOString()],
  ['what', ({ kind }) => PAYMENT_WORDS[kind]],
  ['plan', ({ plan }) => planName(plan, planTexts(plan))],
  ['plan id', ({ plan }) => plan.id],
  ['provider', ({ plan }) => plan.provider],
  ['currency', ({ plan }) => plan.token.symbol ?? ''],
  [
    'paid',
    ({ amountRaw, plan }) => (amountRaw === undefined ? '' : formatHuman(amountRaw, plan.tokenDecimals)),
  ],
  ['came back', ({ reserve }) => reserve?.toSubscriber.amount ?? ''],
  ['token', ({ plan }) => plan.token.address],
  ['transaction', ({ transactionHash }) => transactionHash],
  ['log', ({ logIndex }) => logIndex],
  [
    'receipt',
    ({ transactionHash, logIndex }) =>
      `${location.origin}${linkTo(`/receipts/${transactionHash}/${logIndex}`)}`,
  ],
]
