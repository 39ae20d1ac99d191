import type { GetAccountOutlookAnswer } from '@remit/client'
import { Badge, Card } from '../../design/Card.tsx'
import { Money } from '../../design/Money.tsx'
import { DueDay } from '../../design/When.tsx'
import { PlanName } from '../../plan/PlanName.tsx'
import { dayWords } from '../../words/time.ts'
import type { Membership } from './memberships.ts'
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
      : `All payments through ${dayWords(outlook.through)}`
  return (
    <Card title="What comes next" beside={<span class="quiet">{caption}</span>}>
      <ul class="me__payments">
        {charges.map((charge) => {
          const { subscriptionId, day, verdict, taken, amount } = charge
          const token = tokenOf(subscriptionId, rows) ?? { symbol: null, address: charge.token }
          const { kind, words } = chargeVerdict(charge, outlook)
          return (
            <li key={`${subscriptionId}${day.dayNumber}`}>
              <span class="me__charge">
                <Name id={subscriptionId} rows={rows} />
                <span class="quiet">
                  <DueDay day={day} />
                </span>
              </span>
              <span class="row">
                {kind === 'good' ? null : <Badge kind={kind}>{words}</Badge>}
                <Money amount={verdict === 'pays' ? taken.amount : amount} token={token} />
              </span>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

function Name({ id, rows }: { readonly id: string; readonly rows: readonly Membership[] }) {
  const row = rows.find(({ subscription }) => subscription.id === id)
  return row === undefined ? null : <PlanName plan={row.subscription} />
}

function tokenOf(id: string, rows: readonly Membership[]) {
  return rows.find(({ subscription }) => subscription.id === id)?.subscription.token
}
