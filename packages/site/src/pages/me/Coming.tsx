import type { GetAccountOutlookAnswer } from '@remit/client'
import { Badge, Card } from '../../design/Card.tsx'
import { Money } from '../../design/Money.tsx'
import { Pages } from '../../design/Pages.tsx'
import { Term } from '../../design/Term.tsx'
import { DueDay } from '../../design/When.tsx'
import { promptApi } from '../../page/api.ts'
import { PlanName } from '../../plan/PlanName.tsx'
import { dayWords } from '../../words/time.ts'
import type { Membership } from './memberships.ts'
import { chargeVerdict } from './verdicts.ts'

interface ComingProps {
  readonly outlook: GetAccountOutlookAnswer
  readonly rows: readonly Membership[]
}

/** The next charges of all subscriptions, in the order in which they are taken: the first ones, and the others when asked for. */
export function Coming({ outlook, rows }: ComingProps) {
  const { account, charges, counts, today, through } = outlook
  if (charges.length === 0) return null
  const days = through.dayNumber - today.dayNumber
  return (
    <Card
      title="What comes next"
      beside={
        <span class="quiet">
          {counts.charges === 1 ? 'One payment' : `${counts.charges} payments`}, looking ahead to{' '}
          <Term
            means={`This page looks ${days} days ahead. A payment that fails ends its subscription: what would follow it is not listed, and “Still to add” and “Still to allow” count it.`}
          >
            {dayWords(through)}
          </Term>
        </span>
      }
    >
      <Pages
        first={outlook}
        more="Show the others"
        read={(after) => promptApi.getAccountOutlook({ address: account, days, after })}
      >
        {(pages) => (
          <Charges outlook={{ ...outlook, charges: pages.flatMap((page) => page.charges) }} rows={rows} />
        )}
      </Pages>
    </Card>
  )
}

function Charges({ outlook, rows }: ComingProps) {
  return (
    <ul class="me__payments">
      {outlook.charges.map((charge) => {
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
  )
}

function Name({ id, rows }: { readonly id: string; readonly rows: readonly Membership[] }) {
  const row = rows.find(({ subscription }) => subscription.id === id)
  return row === undefined ? null : <PlanName plan={row.subscription} />
}

function tokenOf(id: string, rows: readonly Membership[]) {
  return rows.find(({ subscription }) => subscription.id === id)?.subscription.token
}
