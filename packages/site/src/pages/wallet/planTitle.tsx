import type { Subscription } from '@remit/client'
import { Money } from '../../design/Money.tsx'
import { Said } from '../../design/Said.tsx'
import { linkTo } from '../../page/api.ts'
import { given, isGiven } from '../../page/Resource.ts'
import { scheduleWords } from '../../words/schedule.ts'

/** A plan in a table: its price as a link, and under it how it is described. */
export function PlanTitle({ subscription }: { readonly subscription: Subscription }) {
  const { id, amount, token } = subscription
  const key = `details:${id}`
  const known = isGiven(key) ? given(key, 'getSubscriptionDetails').value : undefined
  const text = known?.state === 'there' ? known.answer.details?.description : undefined
  return (
    <>
      <a href={linkTo(`/plans/${id}`)}>
        <Money amount={amount} token={token} /> {scheduleWords(subscription)}
      </a>
      {text?.trim() ? (
        <span class="wallet__said">
          <Said text={text} most={70} />
        </span>
      ) : null}
    </>
  )
}
