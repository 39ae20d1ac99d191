import type { SearchSubscriptionsAnswer } from '@remit/client'
import { Badge } from '../design/Card.tsx'
import { Money } from '../design/values/Money.tsx'
import { UntrustedLink, UntrustedText } from '../design/values/Untrusted.tsx'
import { DueDay } from '../design/values/When.tsx'
import { linkTo } from '../page/api.ts'
import { pageData } from '../page/pageData.ts'
import { moneyWords } from '../words/money.ts'
import { scheduleWords } from '../words/schedule.ts'
import { memberWords } from './memberWords.ts'
import { ProviderLine } from './Provider.tsx'

type Row = SearchSubscriptionsAnswer['subscriptions'][number]

/** A plan in a list: its price, its schedule, its provider's description, and who gets the money. */
export function PlanCard({ plan }: { readonly plan: Row }) {
  const { id, amount, token, details, cancelled, nextDue, provider, subscribers } = plan
  const { providerName, providerIdentity } = plan
  const name = `${moneyWords(amount, token)} ${scheduleWords(plan)}`
  return (
    <article class="card plan-card" aria-label={name}>
      <h3 class="plan-card__price">
        <a href={linkTo(`/plans/${id}`)}>
          <Money amount={amount} token={token} isLarge />{' '}
          <span class="plan-card__schedule">{scheduleWords(plan)}</span>
        </a>
      </h3>
      {details?.description.trim() ? (
        <p class="plan-card__said">
          <UntrustedText text={details.description} most={140} />
        </p>
      ) : (
        <p class="plan-card__said quiet">Its provider has not described it.</p>
      )}
      <p class="plan-card__foot plan-card__provider">
        <ProviderLine address={provider} name={providerName} identity={providerIdentity} />
        {details?.url ? (
          <span>
            More: <UntrustedLink url={details.url} />
          </span>
        ) : null}
      </p>
      <p class="plan-card__foot quiet">
        {cancelled ? <Badge kind="bad">Cancelled</Badge> : null}
        {cancelled ? null : <span>{memberWords(subscribers)}</span>}
        {nextDue === null ? null : (
          <span>
            next due <DueDay day={nextDue} today={pageData.chain?.today} />
          </span>
        )}
      </p>
    </article>
  )
}
