import type { Subscription } from '@remit/client'
import { Money } from '../design/values/Money.tsx'
import { scheduleWords } from '../words/schedule.ts'
import { PlanName } from './PlanName.tsx'
import type { PlanTexts } from './planTexts.ts'

interface PlanTitleProps {
  readonly subscription: Subscription
  /** Where the page did not come with them, or it was called otherwise. */
  readonly texts?: PlanTexts | undefined
}

/** A plan in a table: what it is called as a link, and under it its price. */
export function PlanTitle({ subscription, texts }: PlanTitleProps) {
  const { amount, token } = subscription
  return (
    <>
      <PlanName plan={subscription} texts={texts} />
      <span class="plan-name__price quiet">
        <Money amount={amount} token={token} /> {scheduleWords(subscription)}
      </span>
    </>
  )
}
