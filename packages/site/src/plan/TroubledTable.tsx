import type { GetProviderOutlookAnswer } from '@remit/client'
import { Address } from '../design/values/Address.tsx'
import { Money } from '../design/values/Money.tsx'
import { Table } from '../design/values/Table.tsx'
import { DueDay } from '../design/values/When.tsx'
import { REASON_WORDS } from '../words/reasonWords.ts'

interface TroubledTableProps {
  readonly rows: GetProviderOutlookAnswer['troubled']
  readonly today: number
}

/** Who will not pay as things stand, when, and why. */
export function TroubledTable({ rows, today }: TroubledTableProps) {
  return (
    <Table
      caption="Who will not pay as things stand"
      rows={rows}
      keyOf={({ subscriptionId, subscriber, date }) => `${subscriptionId}${subscriber}${date}`}
      columns={[
        { title: 'Day', cell: (row) => <DueDay day={row} today={today} /> },
        { title: 'Member', cell: ({ subscriber }) => <Address address={subscriber} /> },
        {
          title: 'Price',
          isNumber: true,
          cell: ({ amount, token }) => <Money amount={amount} token={token} />,
        },
        // Without a reason, the payment succeeds by now.
        { title: 'Why', cell: ({ reason }) => REASON_WORDS[reason ?? ''] ?? 'pays after all' },
      ]}
    />
  )
}
