import type { Subscription } from '@remit/client'
import { Money } from '../design/Money.tsx'
import { scheduleWords } from '../words/schedule.ts'
import { PlanName } from './PlanName.tsx'

interface PlanTitleProps {
  readonly subscription: Subscription
  /** What its provider says of it, where the page did not come with that. */
  readonly description?: string | null
}

/** A plan in a table: what it is called as a link, and under it its price. */
export function PlanTitle({ subscription, description }: PlanTitleProps) {
  const { amount, token } = subscription
  return (
    <>
      <PlanName
        plan={subscription}
        texts={
          description === undefined
            ? undefined
            : { description: description ?? undefined, company: undefined, url: undefined }
        }
      />
      <span class="plan-name__price quiet">
        <Money amount={amount} token={token} /> {scheduleWords(subscription)}
      </span>
    </>
  )
}
