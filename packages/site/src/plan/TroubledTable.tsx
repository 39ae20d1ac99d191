import type { GetProviderOutlookAnswer } from '@remit/client'
import { Address } from '../design/values/Address.tsx'
import { Money } from '../design/values/Money.tsx'
import { Table } from '../design/values/Table.tsx'
import { DueDay } from '../design/values/When.tsx'

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
        { title: 'Why', cell: ({ reason }) => WHY[reason ?? ''] ?? 'pays after all' },
      ]}
    />
  )
}

/** By the API's reason. Without one, the payment succeeds by now. */
const WHY: Readonly<Record<string, string>> = {
  allowance: 'permission too small',
  balance: 'too little money',
  both: 'too little money and permission',
  blocked: 'the token refuses it',
}
