import type { AccountSubscription } from '@remit/client'
import { Badge, Card } from '../../design/Card.tsx'
import { Table } from '../../design/values/Table.tsx'
import { DueDay } from '../../design/values/When.tsx'
import { linkTo } from '../../page/api.ts'
import { pageData } from '../../page/pageData.ts'
import { PlanTitle } from '../../plan/PlanTitle.tsx'

interface OffersProps {
  readonly rows: readonly AccountSubscription[]
  /** How many plans it has published; the page came with the first ones. */
  readonly total: number
  readonly address: string
}

/** The plans that a wallet has published. */
export function Offers({ rows, total, address }: OffersProps) {
  return (
    <Card title="Plans" beside={<a href={linkTo('/plans', { provider: address })}>As a list</a>}>
      <div class="stack">
        <Table
          caption="Plans of this wallet"
          rows={rows}
          keyOf={({ subscription }) => subscription.id}
          columns={[
            { title: 'Plan', cell: ({ subscription }) => <PlanTitle subscription={subscription} /> },
            {
              title: 'Members',
              isNumber: true,
              // Of a cancelled plan it is whose reserve is not paid back yet: they are members no more.
              cell: ({ subscription, totalSubscribers }) => (subscription.cancelled ? '–' : totalSubscribers),
            },
            {
              title: 'Next due',
              cell: ({ subscription: { nextDue, cancelled } }) =>
                cancelled || nextDue === null ? (
                  <Badge kind="bad">Cancelled</Badge>
                ) : (
                  <DueDay day={nextDue} today={pageData.chain?.today} />
                ),
            },
          ]}
        />
        {total === rows.length ? null : (
          <p class="quiet">
            {rows.length} of {total}. <a href={linkTo('/plans', { provider: address })}>All of them</a>
          </p>
        )}
      </div>
    </Card>
  )
}
