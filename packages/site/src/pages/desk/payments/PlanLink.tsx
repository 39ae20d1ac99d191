import type { ListProviderPaymentsAnswer } from '@remit/client'
import { UntrustedText } from '../../../design/values/Untrusted.tsx'
import { linkTo } from '../../../page/api.ts'
import { firstWords } from '../../../words/planName.ts'

interface PlanLinkProps {
  readonly row: Pick<ListProviderPaymentsAnswer['payments'][number], 'subscriptionId' | 'description'>
}

/** A plan by the first words of its description, or by its id where it has none. */
export function PlanLink({ row: { subscriptionId, description } }: PlanLinkProps) {
  return (
    <a href={linkTo(`/plans/${subscriptionId}`)}>
      <UntrustedText text={firstWords(description ?? '') ?? `${subscriptionId.slice(0, 10)}…`} />
    </a>
  )
}
