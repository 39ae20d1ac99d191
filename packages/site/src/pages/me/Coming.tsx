import type { GetAccountOutlookAnswer } from '@remit/client'
import { Badge, Card } from '../../design/Card.tsx'
import { Money } from '../../design/Money.tsx'
import { Said } from '../../design/Said.tsx'
import { Table } from '../../design/Table.tsx'
import { DueDay } from '../../design/When.tsx'
import { linkTo } from '../../page/api.ts'
import { dayWords } from '../../words/time.ts'
import { type Membership, planNames } from './memberships.ts'
import { chargeVerdict } from './verdicts.ts'

interface ComingProps {
  readonly outlook: GetAccountOutlookAnswer
  readonly rows: readonly Membership[]
}

/** The next charges of all subscriptions, in the order in which they are taken. */
export function Coming({ outlook, rows }: ComingProps) {
  const { charges, counts } = outlook
  if (charges.length === 0) return null
  const caption =
    charges.length < counts.charges
      ? `The next ${charges.length} of ${counts.charges} payments`
      : `All payments until ${dayWords(outlook.through)}`
  return (
    <Card title="What comes next" beside={<span class="quiet">{caption}</span>}>
      <Table
        caption={caption}
        rows={charges}
        keyOf={({ subscriptionId, day }) => `${subscriptionId}${day.dayNumber}`}
        columns={[
          {
            title: 'Day (UTC)',
            cell: ({ day, subscriptionId }) => (
              <>
                <DueDay day={day} />
                <br />
                <PlanLink id={subscriptionId} rows={rows} />
              </>
            ),
          },
          {
            title: 'Taken',
            isNumber: true,
            cell: ({ verdict, taken, amount, token: address, subscriptionId }) => {
              const token = tokenOf(subscriptionId, rows) ?? { symbol: null, address }
              return <Money amount={verdict === 'pays' ? taken.amount : amount} token={token} />
            },
          },
          {
            title: 'How it stands',
            cell: (charge) => {
              const { kind, words } = chargeVerdict(charge)
              return <Badge kind={kind}>{words}</Badge>
            },
          },
        ]}
      />
    </Card>
  )
}

function PlanLink({ id, rows }: { readonly id: string; readonly rows: readonly Membership[] }) {
  const row = rows.find(({ subscription }) => subscription.id === id)
  const { company } = row === undefined ? { company: undefined } : planNames(row.subscription)
  return (
    <a href={linkTo(`/plans/${id}`)}>
      {company === undefined ? 'A plan' : <Said text={company} most={40} />}
    </a>
  )
}

function tokenOf(id: string, rows: readonly Membership[]) {
  return rows.find(({ subscription }) => subscription.id === id)?.subscription.token
}
