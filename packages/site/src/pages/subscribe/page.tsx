import './page.css'
import type { GetProtocolStateAnswer, Subscription } from '@remit/client'
import type { PaymentSplit } from '@remit/protocol/fees'
import { meetOpener, openerOrigin, wantsPass } from '../../button/opener.ts'
import { Card } from '../../design/Card.tsx'
import { Failed } from '../../design/State.tsx'
import { Money } from '../../design/values/Money.tsx'
import { UntrustedLink, UntrustedText } from '../../design/values/Untrusted.tsx'
import { answerNow } from '../../page/live.ts'
import { pageData } from '../../page/pageData.ts'
import { given, givenSubject } from '../../page/Resource.ts'
import { Provider } from '../../plan/Provider.tsx'
import { planTexts } from '../../plan/planTexts.ts'
import { useTitle } from '../../subject/useTitle.ts'
import { isNotFound } from '../../words/errors.ts'
import { furtherWords, HEADING, planName } from '../../words/planName.ts'
import { scheduleWords } from '../../words/schedule.ts'
import { NoPlan } from '../plan/NoPlan.tsx'
import { SubscribeFlow } from './flow/flow.ts'
import { Action } from './parts/Action.tsx'
import { GoodToKnow } from './parts/GoodToKnow.tsx'
import { Timeline } from './parts/Timeline.tsx'
import { chargedNow, neededToday, takenSoon } from './terms/charges.ts'

const found = givenSubject('plan', 'getSubscription')
const state = given('state', 'getProtocolState')

meetOpener()
const plan = found.value.state === 'there' ? found.value.answer.subscription : undefined
const flow = plan === undefined ? undefined : new SubscribeFlow(plan)

/** The page on which somebody subscribes to a plan: its terms, and beside them the one thing to do next. */
export function Page() {
  const known = found.value
  useTitle(plan && `Subscribe: ${planName(plan, planTexts(plan))}`)
  if (flow === undefined) {
    return (
      <div class="stack">
        {known.state === 'failed' && !isNotFound(known.error) ? <Failed error={known.error} /> : <NoPlan />}
      </div>
    )
  }
  return <Offer flow={flow} />
}

function Offer({ flow }: { readonly flow: SubscribeFlow }) {
  const plan = flow.plan.value
  const domain = answerNow(`profile:${plan.provider}`, 'getProviderProfile')?.profile?.domain
  const parts = takenNow(plan, flow)
  const now = parts && parts.toFeeBalance + parts.toProvider
  const needed = neededToday(plan, now, flow.today.value)
  return (
    <div class="checkout">
      <PlanHead plan={plan} />
      <div class="checkout__panel" id="subscribe">
        <Action flow={flow} domain={domain} now={now} />
        <Opener />
      </div>
      {plan.cancelled ? null : (
        <>
          <div class="checkout__when">
            <Card title="What is taken, and when">
              <Timeline plan={plan} today={flow.today.value} now={now} isMember={flow.isMember} />
            </Card>
          </div>
          <div class="checkout__know">
            <GoodToKnow
              plan={plan}
              needed={flow.isMember ? undefined : needed}
              parts={flow.isMember ? undefined : parts}
              fees={feesNow()}
              isMoreThanTaken={now !== undefined && needed > now + takenSoon(plan, flow.today.value)}
            />
          </div>
        </>
      )}
    </div>
  )
}

/** What it is, what it costs, and who is paid: read before anything else. */
function PlanHead({ plan }: { readonly plan: Subscription }) {
  const texts = planTexts(plan)
  const further = furtherWords(texts.description, HEADING)
  return (
    <header class="checkout__head stack-small">
      <h1>
        <UntrustedText text={planName(plan, texts, HEADING)} most={HEADING + 1} />
      </h1>
      <p class="checkout__price">
        <Money amount={plan.amount} token={plan.token} isLarge /> <span>{scheduleWords(plan)}</span>
      </p>
      <p class="quiet">
        Paid to <Provider address={plan.provider} />
      </p>
      {texts.url === undefined ? null : (
        <p class="quiet">
          More about it: <UntrustedLink url={texts.url} />
        </p>
      )}
      {further === undefined ? null : (
        <blockquote class="quote">
          <UntrustedText text={further} most={500} />
        </blockquote>
      )}
    </header>
  )
}

/** What is taken at once: by the readiness of the wallet, or before there is one, by the protocol's rules. */
function takenNow(plan: Subscription, { readiness }: SubscribeFlow): PaymentSplit | undefined {
  if (readiness.value.state === 'there') {
    const { toFeeBalance, toProvider } = readiness.value.answer.details.firstCharge
    return { toFeeBalance: toFeeBalance.amountRaw, toProvider: toProvider.amountRaw }
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

/** The contract's fees; `undefined` where they are not known. */
function feesNow(): GetProtocolStateAnswer | undefined {
  return state.value.state === 'there' ? state.value.answer : undefined
}

/** Which page opened this window: it is told when somebody has subscribed. */
function Opener() {
  const origin = openerOrigin.value
  if (origin === undefined) return null
  return (
    <p class="checkout__opener quiet">
      Opened by <bdi>{new URL(origin).host}</bdi>. It is told whether one can subscribe, and what becomes of
      the transaction that you send{wantsPass.value ? '; and it gets a pass if you give it one' : ''}.
    </p>
  )
}
