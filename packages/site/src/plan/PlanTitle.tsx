import type { Subscription } from '@remit/client'
import { Money } from '../design/values/Money.tsx'
import { scheduleWords } from '../words/schedule.ts'
import { PlanName } from './PlanName.tsx'
import type { PlanTexts } from './planTexts.ts'

interface PlanTitleProps {
  readonly subscription: Subscription
  /** Its description and its provider's name, where they did not come with the page, or others are to be shown. By default the page's. */
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
