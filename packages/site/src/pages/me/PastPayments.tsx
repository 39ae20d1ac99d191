import { useSignal } from '@preact/signals'
import type { Subscription } from '@remit/client'
import { later } from '../../design/later.tsx'
import { subject } from '../../subject/subject.ts'

/** Few look so far back at once. */
const PastRows = later(async () => (await import('./PastRows.tsx')).PastRows)

/** What was paid for a plan so far. It is read when somebody looks. */
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
