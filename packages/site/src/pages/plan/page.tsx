import './page.css'
import type { Subscription } from '@remit/client'
import { LinkButton } from '../../design/Button.tsx'
import { Badge, Card, Facts, Note } from '../../design/Card.tsx'
import { Failed } from '../../design/State.tsx'
import { Term } from '../../design/Term.tsx'
import { Copy, Hash } from '../../design/values/Address.tsx'
import { Money } from '../../design/values/Money.tsx'
import { Qr } from '../../design/values/Qr.tsx'
import { UntrustedLink, UntrustedText } from '../../design/values/Untrusted.tsx'
import { DueDay, When } from '../../design/values/When.tsx'
import { linkTo } from '../../page/api.ts'
import { pageData } from '../../page/pageData.ts'
import { given, givenSubject } from '../../page/Resource.ts'
import { Provider } from '../../plan/Provider.tsx'
import { planTexts } from '../../plan/planTexts.ts'
import { Uncollected } from '../../plan/Uncollected.tsx'
import { PaperBlock } from '../../subject/PaperBlock.tsx'
import { useTitle } from '../../subject/useTitle.ts'
import { nextDueDays } from '../../words/dueDays.ts'
import { isNotFound } from '../../words/errors.ts'
import { movingDatesWords } from '../../words/movingDates.ts'
import { furtherWords, HEADING, planName } from '../../words/planName.ts'
import { scheduleWords } from '../../words/schedule.ts'
import { FirstPart } from './FirstPart.tsx'
import { History } from './History.tsx'
import { NoPlan } from './NoPlan.tsx'
import { Payments } from './Payments.tsx'

const plan = givenSubject('plan', 'getSubscription')
const details = given(`details:${pageData.path.id?.toLowerCase()}`, 'getSubscriptionDetails')
const today = pageData.chain?.today

/** One plan: what it takes and when, who gets it, and what has happened so far. */
export function Page() {
  const known = plan.value
  const shown = known.state === 'there' ? known.answer.subscription : undefined
  useTitle(shown && planName(shown, planTexts(shown)))
  if (known.state === 'loading') return null
  if (known.state === 'failed') {
    return isNotFound(known.error) ? (
      <NoPlan />
    ) : (
      <Failed error={known.error} retry={() => location.reload()} />
    )
  }
  const { subscription } = known.answer
  const texts = planTexts(subscription)
  return (
    <div class="stack">
      <header class="plan__head">
        {subscription.cancelled ? (
          <p>
            <Badge kind="bad">Cancelled</Badge>
          </p>
        ) : null}
        <h1>
          <UntrustedText text={planName(subscription, texts, HEADING)} most={HEADING + 1} />
        </h1>
        <p class="plan__price">
          <Money amount={subscription.amount} token={subscription.token} isLarge />{' '}
          <span class="plan__schedule">{scheduleWords(subscription)}</span>
        </p>
        <p class="quiet">
          Paid to <Provider address={subscription.provider} />
        </p>
        <PaperBlock />
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
          <History subscription={subscription} />
        </div>
        <Ways subscription={subscription} />
      </div>
    </div>
  )
}

/** What the provider has written about the plan, without the part that is the heading already. */
function Description() {
  const known = details.value
  if (known.state !== 'there') {
    return known.state === 'failed' ? (
      <p class="quiet">The provider’s description cannot be read now.</p>
    ) : null
  }
  const said = known.answer.details
  if (said === null) return <p class="quiet">Its provider has not described it.</p>
  // The heading has said the rest.
  const further = furtherWords(said.description, HEADING)
  return (
    <figure class="quote plan__said">
      {further === undefined ? null : (
        <blockquote>
          <UntrustedText text={further} most={600} />
        </blockquote>
      )}
      <figcaption class="quiet">
        Written by the provider <When at={said.formattedUpdatedAt} />. Nobody has checked it.{' '}
        {said.url === '' ? null : (
          <>
            More about it: <UntrustedLink url={said.url} />
          </>
        )}
      </figcaption>
    </figure>
  )
}

/** What is fixed on the chain: price, days, token; what joining takes, and what leaving means. */
function Terms({ subscription }: { readonly subscription: Subscription }) {
  const { id, token, nextDue, cancelled } = subscription
  const days = nextDue === null ? [] : nextDueDays(subscription, nextDue.dayNumber, 4)
  const moving = movingDatesWords(subscription)
  return (
    <Card title="Terms">
      <div class="stack">
        {cancelled ? (
          <Note kind="bad">
            Its provider has cancelled this plan for good. Nothing is taken any more. What is left of its
            members’ collecting reserves goes back to them, on no fixed day; whoever leaves before that gives
            it to the provider.
          </Note>
        ) : null}
        <Uncollected of={[subscription]} />
        <Facts
          rows={[
            ['Price', <Money key="price" amount={subscription.amount} token={token} />],
            [
              'Taken',
              <>
                {scheduleWords(subscription)}
                {moving === undefined ? null : <div class="quiet">{moving}</div>}
              </>,
            ],
            days.length === 0
              ? undefined
              : [
                  'Next due',
                  <div key="days" class="stack-small">
                    <ol class="plan__days">
                      {days.map((day, index) => (
                        <li key={day.date}>
                          <DueDay day={day} today={index === 0 ? today : undefined} />
                        </li>
                      ))}
                    </ol>
                    <a href={linkTo(`/subscriptions/${id}/calendar.ics`)}>Put these days in my calendar</a>
                  </div>,
                ],
            [
              <Term
                key="token"
                means="The money that the plan is priced in. Check its address: anybody can give a token any name."
              >
                Token
              </Term>,
              <span key="name">
                {token.name === null ? 'Unnamed' : <UntrustedText text={token.name} most={40} />}{' '}
                <Hash hash={token.address} what="token’s address" />
              </span>,
            ],
            cancelled ? undefined : ['When you join', <FirstPart key="first" plan={subscription} />],
            cancelled
              ? undefined
              : [
                  'If you leave',
                  'At any time, with one signature. Nothing more is taken, and what you have paid is not paid back. What is left of your collecting reserve goes to the provider.',
                ],
            ['Plan id', <Hash key="id" hash={id} what="plan id" />],
          ]}
        />
        <p class="quiet">
          Days are days in{' '}
          <Term means="Universal time, the same everywhere. The contract counts its days in it, wherever you are.">
            UTC
          </Term>
          . Price, day, token and receiver are fixed on the chain: not even the provider can change them.
        </p>
      </div>
    </Card>
  )
}

/** The ways to give the plan to others: a QR code, a link, and JSON. */
function Ways({ subscription: { id, cancelled } }: { readonly subscription: Subscription }) {
  const address = `${location.origin}${linkTo(`/subscribe/${id}`)}`
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
      <p class="quiet">
        <a href={linkTo(`/subscriptions/${id}`)}>The plan as JSON</a>, for programs
      </p>
    </div>
  )
}
