import { Address } from '../../../design/Address.tsx'
import { Button, LinkButton } from '../../../design/Button.tsx'
import { Card } from '../../../design/Card.tsx'
import { Failed, Loading } from '../../../design/State.tsx'
import { Steps } from '../../../design/Steps.tsx'
import { useKeptFocus } from '../../../design/useKeptFocus.ts'
import { linkTo } from '../../../page/api.ts'
import { pageData } from '../../../page/pageData.ts'
import { WalletChoice, WrongChain } from '../../../wallet/WalletButton.tsx'
import { connected } from '../../../wallet/wallet.ts'
import type { SubscribeFlow } from '../flow/flow.ts'
import { issueTrouble } from '../flow/trouble.ts'
import { Member } from './Member.tsx'
import { Receipt } from './Receipt.tsx'
import { Review } from './Review.tsx'
import { Stopped, TroubleNote } from './Stopped.tsx'
import { WalletTerms } from './WalletTerms.tsx'

interface ActionProps {
  readonly flow: SubscribeFlow
  /** What the provider's profile says. */
  readonly domain: string | undefined
}

/** The one thing that can be done now: connect, review, subscribe; then the receipt. */
export function Action(props: ActionProps) {
  const place = useKeptFocus()
  return <div ref={place}>{stage(props)}</div>
}

/** A signed subscription comes first: its outcome is shown even if plan or wallet have changed. */
function stage({ flow, domain }: ActionProps) {
  const plan = flow.plan.value
  const phase = flow.phase.value
  if (phase.kind === 'done') {
    const { outcome, address } = phase
    return (
      <Receipt plan={plan} outcome={outcome} address={address} today={flow.today.value} domain={domain} />
    )
  }
  if (phase.kind === 'sending') {
    return (
      <Card title="Subscribing">
        <Steps steps={phase.steps} />
        <p class="quiet">You can leave once it is sent.</p>
      </Card>
    )
  }
  if (phase.kind === 'stopped') {
    return (
      <Card title="Subscribe">
        <Stopped flow={flow} plan={plan} phase={phase} />
      </Card>
    )
  }
  if (plan.cancelled) {
    return (
      <Card title="Subscribe">
        <TroubleNote
          trouble={issueTrouble(
            { code: 'SUBSCRIPTION_CANCELLED', message: '' },
            { token: plan.token, details: undefined },
          )}
        />
        <LinkButton href={linkTo('/plans', { provider: plan.provider })} isWide>
          See the provider’s other plans
        </LinkButton>
      </Card>
    )
  }
  const now = connected.value
  if (now === undefined) {
    return (
      <Card title="Subscribe">
        <WalletChoice />
      </Card>
    )
  }
  return (
    <Card title="Subscribe" beside={<Address address={now.address} />}>
      <div class="stack">{body()}</div>
    </Card>
  )

  function body() {
    if (now === undefined) return null
    if (now.chainId !== pageData.chain?.chainId) return <WrongChain />
    if (phase.kind === 'review') {
      return <Review flow={flow} plan={plan} address={now.address} prepared={phase.prepared} />
    }
    if (phase.kind === 'preparing') {
      return (
        <div aria-live="polite">
          <Loading lines={6} />
          <p class="quiet">{phase.note || 'Preparing it, and trying it out on the network …'}</p>
        </div>
      )
    }
    const readiness = flow.readiness.value
    if (readiness.state === 'loading') return <Loading lines={8} />
    if (readiness.state === 'failed') return <Failed error={readiness.error} retry={() => void flow.look()} />
    const { answer, isStale } = readiness
    if (answer.ready) return <WalletTerms flow={flow} plan={plan} answer={answer} isStale={isStale} />
    if (answer.issues.some(({ code }) => code === 'ALREADY_SUBSCRIBED')) {
      return <Member plan={plan} address={now.address} today={flow.today.value} domain={domain} />
    }
    return (
      <>
        {answer.issues.map((issue) => (
          <TroubleNote
            key={issue.code ?? issue.message}
            trouble={issueTrouble(issue, { token: plan.token, details: answer.details })}
          />
        ))}
        <Button isWide isOff={isStale} onClick={() => void flow.look()}>
          Look again
        </Button>
      </>
    )
  }
}
