import './page.css'
import type { Subscription } from '@remit/client'
import { meetOpener, openerOrigin, wantsPass } from '../../button/opener.ts'
import { Address } from '../../design/Address.tsx'
import { LinkButton } from '../../design/Button.tsx'
import { Card } from '../../design/Card.tsx'
import { Money } from '../../design/Money.tsx'
import { Said, SaidLink } from '../../design/Said.tsx'
import { Failed } from '../../design/State.tsx'
import { linkTo } from '../../page/api.ts'
import { pageData } from '../../page/pageData.ts'
import { given, isGiven } from '../../page/Resource.ts'
import { scheduleWords } from '../../words/schedule.ts'
import { SubscribeFlow } from './flow/flow.ts'
import { Action } from './parts/Action.tsx'
import { GoodToKnow } from './parts/GoodToKnow.tsx'
import { Timeline } from './parts/Timeline.tsx'
import { chargedNow } from './terms/charges.ts'

const found = given('plan', 'getSubscription')
const said = given('said', 'getSubscriptionDetails')
const state = given('state', 'getProtocolState')
const profile = isGiven('profile') ? given('profile', 'getProviderProfile') : undefined

meetOpener()
const plan = found.value.state === 'there' ? found.value.answer.subscription : undefined
const flow = plan === undefined ? undefined : new SubscribeFlow(plan)

export function Page() {
  const known = found.value
  if (flow === undefined) {
    return (
      <div class="stack subscribe">
        <h1>This plan cannot be shown</h1>
        {known.state === 'failed' ? <Failed error={known.error} /> : null}
        <p>
          <a href={linkTo('/plans')}>See the plans that there are</a>
        </p>
      </div>
    )
  }
  return <Offer flow={flow} />
}

function Offer({ flow }: { readonly flow: SubscribeFlow }) {
  const plan = flow.plan.value
  const who = profile?.value.state === 'there' ? profile.value.answer.profile : undefined
  const words = said.value.state === 'there' ? said.value.answer.details : undefined
  return (
    <div class="subscribe">
      <Opener />
      <div class="aside">
        <div class="stack">
          <header class="stack-small">
            <p class="quiet">Subscribe to</p>
            <h1>
              <Said text={who?.company.trim() || 'A plan'} most={60} />
            </h1>
            <p class="price">
              <Money amount={plan.amount} token={plan.token} isLarge /> <span>{scheduleWords(plan)}</span>
            </p>
            {words ? (
              <blockquote class="said">
                <Said text={words.description} most={500} />
              </blockquote>
            ) : null}
            <p class={`subscribe__jump${flow.isMember ? ' subscribe__jump--over' : ''}`}>
              <LinkButton href="#subscribe" kind="primary">
                Subscribe ↓
              </LinkButton>
            </p>
            <p class="row quiet">
              <span>Paid to</span>
              <Address address={plan.provider} />
              {words ? <SaidLink url={words.url} /> : null}
            </p>
          </header>
          {plan.cancelled ? null : (
            <Card title="What is taken, and when">
              <Timeline
                plan={plan}
                today={flow.today.value}
                now={takenNow(plan, flow)}
                isMember={flow.isMember}
              />
            </Card>
          )}
        </div>
        {plan.cancelled ? null : <GoodToKnow plan={plan} />}
        <div class="subscribe__action" id="subscribe">
          <Action flow={flow} domain={who?.domain} />
        </div>
      </div>
    </div>
  )
}

/** By the readiness of the wallet, or before there is one by the page's own data and the protocol's rules. */
function takenNow(plan: Subscription, { readiness }: SubscribeFlow): bigint | undefined {
  if (readiness.value.state === 'there') {
    const { toFeeBalance, toProvider } = readiness.value.answer.details.firstCharge
    return toFeeBalance.amountRaw + toProvider.amountRaw
  }
  const { block } = pageData.chain ?? {}
  if (state.value.state !== 'there' || !block) return undefined
  const { callerFee, nextUncheckedDay } = state.value.answer
  return chargedNow(plan, {
    timestamp: block.timestamp,
    callerFee,
    nextUncheckedDay: nextUncheckedDay.dayNumber,
  })
}

/** Which page opened this window: it is told when somebody has subscribed. */
function Opener() {
  const origin = openerOrigin.value
  if (origin === undefined) return null
  return (
    <p class="subscribe__opener quiet">
      Opened by <bdi>{new URL(origin).host}</bdi>. It is told when you have subscribed
      {wantsPass.value ? ', and gets a pass if you give it one' : ', and nothing else'}.
    </p>
  )
}
