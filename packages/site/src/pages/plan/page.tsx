import './page.css'
import type { Subscription } from '@remit/client'
import { Copy, Hash } from '../../design/Address.tsx'
import { LinkButton } from '../../design/Button.tsx'
import { Badge, Card, Facts, Note } from '../../design/Card.tsx'
import { Money } from '../../design/Money.tsx'
import { Qr } from '../../design/Qr.tsx'
import { Said, SaidLink } from '../../design/Said.tsx'
import { Empty, Failed } from '../../design/State.tsx'
import { Term } from '../../design/Term.tsx'
import { DueDay, When } from '../../design/When.tsx'
import { linkTo } from '../../page/api.ts'
import { pageData } from '../../page/pageData.ts'
import { given } from '../../page/Resource.ts'
import { Provider } from '../../plan/Provider.tsx'
import { nextDueDays } from '../../words/dueDays.ts'
import { isNotFound } from '../../words/errors.ts'
import { scheduleWords } from '../../words/schedule.ts'
import { History } from './History.tsx'
import { Payments } from './Payments.tsx'

const plan = given('plan', 'getSubscription')
const details = given('details', 'getSubscriptionDetails')
const today = pageData.chain?.today

/** One plan: what it takes and when, who gets it, and what has happened so far. */
export function Page() {
  const known = plan.value
  if (known.state === 'loading') return null
  if (known.state === 'failed') {
    return isNotFound(known.error) ? (
      <NoPlan />
    ) : (
      <Failed error={known.error} retry={() => location.reload()} />
    )
  }
  const { subscription } = known.answer
  return (
    <div class="stack">
      <header class="plan__head">
        <p class="quiet">
          Plan <Hash hash={subscription.id} what="plan id" />{' '}
          {subscription.cancelled ? <Badge kind="bad">Cancelled</Badge> : null}
        </p>
        <h1 class="plan__price">
          <Money amount={subscription.amount} token={subscription.token} isLarge />{' '}
          <span class="plan__schedule">{scheduleWords(subscription)}</span>
        </h1>
        <Description />
        {subscription.cancelled ? null : (
          <p class="row">
            <LinkButton href={linkTo(`/subscribe/${subscription.id}`)} kind="primary">
              Subscribe
            </LinkButton>
            <span class="quiet">You see what is taken and when before you sign anything.</span>
          </p>
        )}
      </header>
      <div class="aside">
        <div class="stack">
          <Terms subscription={subscription} />
          <Payments subscription={subscription} />
          <History id={subscription.id} />
        </div>
        <Ways subscription={subscription} />
      </div>
    </div>
  )
}

function Description() {
  const known = details.value
  if (known.state !== 'there') {
    return known.state === 'failed' ? (
      <p class="quiet">The provider’s description cannot be read now.</p>
    ) : null
  }
  const said = known.answer.details
  if (said === null) return <p class="quiet">Its provider has not described it.</p>
  return (
    <figure class="said plan__said">
      <blockquote>
        <Said text={said.description} most={600} />
      </blockquote>
      <figcaption class="quiet">
        Written by the provider <When at={said.formattedUpdatedAt} />. Nobody has checked it.{' '}
        <SaidLink url={said.url} />
      </figcaption>
    </figure>
  )
}

function Terms({ subscription }: { readonly subscription: Subscription }) {
  const { provider, token, nextDue, overdue, overdueCount, cancelled } = subscription
  const days = nextDue === null ? [] : nextDueDays(subscription, nextDue.dayNumber, 4)
  return (
    <Card title="Terms">
      <div class="stack">
        {cancelled ? (
          <Note kind="bad">Its provider has cancelled this plan for good. Nothing is taken any more.</Note>
        ) : null}
        {overdueCount > 0 && overdue[0] !== undefined ? (
          <Note kind="mind">
            The payment of <DueDay day={overdue[0]} /> has not been collected yet. Whoever subscribes now pays
            it in full with the next collection.
          </Note>
        ) : null}
        <Facts
          rows={[
            ['Price', <Money key="price" amount={subscription.amount} token={token} />],
            ['Taken', scheduleWords(subscription)],
            days.length === 0
              ? undefined
              : [
                  'Next due',
                  <ol key="days" class="plan__days">
                    {days.map((day, index) => (
                      <li key={day.date}>
                        <DueDay day={day} today={index === 0 ? today : undefined} />
                      </li>
                    ))}
                  </ol>,
                ],
            ['Paid to', <Provider key="provider" address={provider} />],
            [
              <Term
                key="token"
                means="The money that the plan is priced in. Check its address: anybody can give a token any name."
              >
                Token
              </Term>,
              <span key="name">
                {token.name === null ? 'Unnamed' : <Said text={token.name} most={40} />}{' '}
                <Hash hash={token.address} what="token’s address" />
              </span>,
            ],
            [
              'Leaving',
              'At any time, with one signature. What has been paid stays paid; nothing more is taken.',
            ],
          ]}
        />
        <p class="quiet">
          Days are days in{' '}
          <Term means="Universal time, the same everywhere. The protocol counts its days in it, wherever you are.">
            UTC
          </Term>
          . Price, day, token and receiver are fixed on the chain: not even the provider can change them.
        </p>
      </div>
    </Card>
  )
}

function Ways({ subscription: { id, cancelled } }: { readonly subscription: Subscription }) {
  const address = `${location.origin}${linkTo(`/subscribe/${id}`)}`
  const calendar = linkTo(`/subscriptions/${id}/calendar.ics`)
  return (
    <div class="stack">
      {cancelled ? null : (
        <Card title="Send it on">
          <div class="stack">
            <Qr text={address} label="QR code of the link to subscribe" />
            <p class="row">
              <a href={address}>Link to subscribe</a> <Copy text={address} what="link" />
            </p>
          </div>
        </Card>
      )}
      <Card title="Take it along">
        <ul class="stack-small">
          <li>
            <a href={calendar}>Due days for your calendar</a>
          </li>
          <li>
            <a href={linkTo(`/subscriptions/${id}/history`, { format: 'csv', first: '100' })}>
              History as CSV
            </a>
          </li>
          <li>
            <a href={linkTo(`/subscriptions/${id}`)}>The plan as JSON</a>
          </li>
        </ul>
      </Card>
    </div>
  )
}

function NoPlan() {
  return (
    <Empty title="There is no plan with this id on this chain." isPage>
      <p>Look at the link again, or choose another chain above.</p>
      <LinkButton href={linkTo('/plans')}>All plans</LinkButton>
    </Empty>
  )
}
