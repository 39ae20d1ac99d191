import { UntrustedText } from '../design/values/Untrusted.tsx'
import { linkTo } from '../page/api.ts'
import { type NamedPlan, planName } from '../words/planName.ts'
import { type PlanTexts, planTexts } from './planTexts.ts'

interface PlanNameProps {
  readonly plan: NamedPlan & { readonly id: string; readonly provider: string }
  /** Its description and its provider's name. By default those that came with the page. */
  readonly texts?: PlanTexts | undefined
  readonly isLinked?: boolean
}

/** What a plan is called, and the provider whose plan it is: the same words wherever it is named. */
export function PlanName({ plan, texts = planTexts(plan), isLinked = true }: PlanNameProps) {
  const name = planName(plan, texts)
  const shown = <UntrustedText text={name} most={60} />
  const { company } = texts
  return (
    <span class="plan-name">
      {isLinked ? <a href={linkTo(`/plans/${plan.id}`)}>{shown}</a> : shown}
      {company === undefined || company === name ? null : (
        <span class="plan-name__by">
          {' '}
          by <UntrustedText text={company} most={40} />
        </span>
      )}
    </span>
  )
}
