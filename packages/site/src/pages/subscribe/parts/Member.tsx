import type { Subscription } from '@remit/client'
import { useEffect } from 'preact/hooks'
import { Facts, Note } from '../../../design/Card.tsx'
import { later } from '../../../design/later.tsx'
import { Shown } from '../../../design/State.tsx'
import { DueDay } from '../../../design/When.tsx'
import { pageData } from '../../../page/pageData.ts'
import { PaidThrough } from '../../../plan/PaidThrough.tsx'
import { NextPayment, Payment, useMembership } from './membership.tsx'

/** Its code is for members. */
const Afterwards = later(async () => (await import('./Afterwards.tsx')).Afterwards)

interface MemberProps {
  readonly plan: Subscription
  readonly address: string
  readonly today: number | undefined
  readonly domain: string | undefined
}

/** The wallet is subscribed already: what was paid last, and what comes next. */
export function Member({ plan, address, today, domain }: MemberProps) {
  const membership = useMembership(plan, address)
  useEffect(() => void keepLinksOffer(plan.id), [plan.id])
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
              paidThrough === null
                ? undefined
                : [
                    'Paid through',
                    <PaidThrough key="through" last={paidThrough} due={nextCharge?.day}>
                      <DueDay day={paidThrough} />
                    </PaidThrough>,
                  ],
              ['Next payment', <NextPayment key="next" charge={nextCharge} today={today} />],
            ]}
          />
        )}
      </Shown>
      <Afterwards plan={plan} address={address} domain={domain} />
    </div>
  )
}

/** For leaving from a browser other than that of the subscribing. */
async function keepLinksOffer(plan: string): Promise<void> {
  if (pageData.query.paymaster === undefined) return
  const { keepOffer } = await import('../../../signing/sponsor.ts')
  keepOffer(plan)
}
