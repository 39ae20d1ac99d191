import { useSignal } from '@preact/signals'
import type { SignedPermit } from '@remit/client'
import { Button } from '../../../design/Button.tsx'
import { Note } from '../../../design/Card.tsx'
import { UntrustedText } from '../../../design/values/Untrusted.tsx'
import { promptApi } from '../../../page/api.ts'
import { permitInput } from '../../../permit/permitInput.ts'
import { planTexts } from '../../../plan/planTexts.ts'
import { errorWords } from '../../../words/errors.ts'
import { type Membership, wholeAccount } from '../memberships.ts'

/** The plans that the permission is for, one of each provider. */
function plansOfProviders({ token }: SignedPermit): Membership['subscription'][] {
  const known = wholeAccount.value
  const rows = known.state === 'there' ? known.answer.subscribedTo : []
  const running = rows.filter(({ status, subscription }) => status === 0 && !subscription.cancelled)
  const plans = running.map(({ subscription }) => subscription)
  const inToken = plans.filter((plan) => plan.token.address.toLowerCase() === token.toLowerCase())
  return [...new Map(inToken.map((plan) => [plan.provider, plan])).values()]
}

/** Buttons that leave a signed permission with the service: each provider that it pays finds it on their desk. */
export function ToDesks({ signed }: { readonly signed: SignedPermit }) {
  const plans = plansOfProviders(signed)
  return (
    <div class="stack-small">
      {plans.map((plan) => (
        <ToDesk key={plan.provider} signed={signed} plan={plan} />
      ))}
    </div>
  )
}

interface ToDeskProps {
  readonly signed: SignedPermit
  readonly plan: Membership['subscription']
}

function ToDesk({ signed, plan }: ToDeskProps) {
  const stage = useSignal<'open' | 'sending' | 'there'>('open')
  const problem = useSignal<unknown>(undefined)
  const company = planTexts(plan).company
  const name = company === undefined ? 'your provider' : <UntrustedText text={company} most={30} />
  const send = async () => {
    stage.value = 'sending'
    problem.value = undefined
    try {
      await promptApi.offerRescue({ ...permitInput(signed), provider: plan.provider })
      stage.value = 'there'
    } catch (error) {
      problem.value = error
      stage.value = 'open'
    }
  }
  return (
    <>
      {stage.value === 'there' ? null : (
        <Button isWide isOff={stage.value === 'sending'} onClick={() => void send()}>
          <span>Send it to {name}’s desk</span>
        </Button>
      )}
      <div role="status">
        {stage.value === 'there' ? (
          <Note kind="good">
            <p>It is on {name}’s desk. Only they see it there, and they can carry it.</p>
          </Note>
        ) : null}
      </div>
      <div role="alert">
        {problem.value === undefined ? null : <Note kind="bad">{errorWords(problem.value)}</Note>}
      </div>
    </>
  )
}
