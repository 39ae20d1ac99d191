import type { Subscription } from '@remit/client'
import { Facts, Note } from '../../../design/Card.tsx'
import { Shown } from '../../../design/State.tsx'
import { DueDay } from '../../../design/When.tsx'
import { LaterPass } from './LaterPass.tsx'
import { Leaving } from './Leaving.tsx'
import { NextPayment, Payment, useMembership } from './membership.tsx'

interface MemberProps {
  readonly plan: Subscription
  readonly address: string
  readonly today: number | undefined
  readonly domain: string | undefined
}

/** The wallet is subscribed already: what was paid last, and what comes next. */
export function Member({ plan, address, today, domain }: MemberProps) {
  const membership = useMembership(plan, address)
  return (
    <div class="stack">
      <Note kind="good">
        <p>
          <strong>You are subscribed to this already.</strong>
        </p>
      </Note>
      <Shown of={membership}>
        {({ lastPayment, nextCharge, paidThrough }) => (
          <Facts
            rows={[
              ['Last payment', <Payment key="last" payment={lastPayment} token={plan.token} />],
              paidThrough === null ? undefined : ['Paid through', <DueDay key="through" day={paidThrough} />],
              ['Next payment', <NextPayment key="next" charge={nextCharge} today={today} />],
            ]}
          />
        )}
      </Shown>
      <LaterPass plan={plan} address={address} />
      <Leaving domain={domain} />
    </div>
  )
}
