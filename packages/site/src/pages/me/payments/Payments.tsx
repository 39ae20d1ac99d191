import { useSignal } from '@preact/signals'
import type { Subscription } from '@remit/client'
import { useEffect, useRef } from 'preact/hooks'
import type { Address } from 'viem'
import { later } from '../../../design/later.tsx'
import { monthNow } from '../../../page/month.ts'
import { subject } from '../../../subject/subject.ts'
import { monthWords } from '../../../words/time.ts'
import type { Membership } from '../memberships.ts'

/** A chunk of its own: few open it. */
const Paid = later(async () => (await import('./Paid.tsx')).Paid)

interface PaymentsProps {
  readonly account: Address
  /** Those that run and those that have ended. */
  readonly rows: readonly Membership[]
}

/** A closed part of the page: all that the wallet has paid, by month and as a file. It is read once somebody opens it. */
export function Payments({ account, rows }: PaymentsProps) {
  const month = monthNow.value
  const isOpen = useSignal(month !== undefined)
  const place = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    if (month === undefined) return
    place.current?.scrollIntoView()
  }, [month, account])
  return (
    <details
      class={month === undefined ? 'card' : 'card me__month'}
      ref={place}
      open={isOpen.value}
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open
      }}
    >
      <summary>
        {month === undefined
          ? 'All payments: totals by month, and a file for a spreadsheet (CSV)'
          : `Payments of ${monthWords({ dayNumber: month.fromDay })}`}
      </summary>
      {isOpen.value ? <Paid account={account} plans={rows.map(({ subscription }) => subscription)} /> : null}
    </details>
  )
}

/** A chunk of its own: few open it. */
const PastRows = later(async () => (await import('./PastRows.tsx')).PastRows)

/** A closed part of a plan's card: what was paid for this plan, payment by payment. */
export function PastPayments({ plan }: { readonly plan: Subscription }) {
  const isOpen = useSignal(false)
  const account = subject.value
  if (account === undefined) return null
  return (
    <details
      class="me__past"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open
      }}
    >
      <summary>Past payments</summary>
      {isOpen.value ? <PastRows plan={plan} account={account} /> : null}
    </details>
  )
}
