import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Address } from 'viem'
import { later } from '../../design/later.tsx'
import { monthNow } from '../../page/month.ts'
import { monthWords } from '../../words/time.ts'
import type { Membership } from './memberships.ts'

/** It is for bookkeepers, who open it. */
const Paid = later(async () => (await import('./Paid.tsx')).Paid)

interface PaymentsProps {
  readonly account: Address
  /** Those that run and those that have ended. */
  readonly rows: readonly Membership[]
}

/** All that the wallet has paid, by month and as a file. It is read when somebody looks. */
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
