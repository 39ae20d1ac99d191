import { useSignal } from '@preact/signals'
import type { AccountSubscription } from '@remit/client'
import { openDeed } from '../../deed/DeedDialog.tsx'
import { Button, LinkButton } from '../../design/Button.tsx'
import { Badge } from '../../design/Card.tsx'
import { Money } from '../../design/Money.tsx'
import { Said, SaidLink } from '../../design/Said.tsx'
import { Shown } from '../../design/State.tsx'
import { DueDay } from '../../design/When.tsx'
import { api, linkTo } from '../../page/api.ts'
import { answerNow, chainNow, live } from '../../page/live.ts'
import { wholeOf } from '../../page/wholeOf.ts'
import { isMine } from '../../subject/subject.ts'
import { scheduleWords } from '../../words/schedule.ts'
import { cancelDeed } from './deeds.tsx'
import { EditDetails } from './EditDetails.tsx'
import { Share } from './Share.tsx'
import { Subscribers } from './Subscribers.tsx'

/** How many rows a request brings, which is the most. */
const PAGE = 500

/** All plans, mostly for one request more than the document's. */
const plans = wholeOf(live('plans', 'getAccountSubscriptions'), {
  isWhole: ({ subscriptions, subscriptionsCount }) => subscriptions.length === subscriptionsCount,
  async readWhole(answer) {
    const subscriptions: AccountSubscription[] = []
    const input = { address: answer.account, first: PAGE, minBlock: answer.asOf.blockNumber }
    for await (const row of api.each.getAccountSubscriptions(input)) subscriptions.push(row)
    return { ...answer, subscriptions }
  },
})

/** The provider's plans: the live ones first, newest first, and the ended ones out of the way. */
export function Plans() {
  return (
    <section class="stack" aria-labelledby="plans">
      <h2 id="plans">Plans</h2>
      <Shown of={plans} lines={8}>
        {({ subscriptions }) => <NewestFirst rows={subscriptions} />}
      </Shown>
    </section>
  )
}

function NewestFirst({ rows }: { readonly rows: readonly AccountSubscription[] }) {
  const newest = [...rows].reverse()
  const ended = newest.filter(({ subscription }) => subscription.cancelled)
  return (
    <>
      {newest
        .filter(({ subscription }) => !subscription.cancelled)
        .map((row) => (
          <Plan key={row.subscription.id} row={row} />
        ))}
      {ended.length === 0 ? null : (
        <details class="card">
          <summary>{ended.length === 1 ? 'One plan has ended' : `${ended.length} plans have ended`}</summary>
          <ul class="stack">
            {ended.map(({ subscription }) => (
              <li key={subscription.id}>
                <a href={linkTo(`/plans/${subscription.id}`)}>
                  <Money amount={subscription.amount} token={subscription.token} />{' '}
                  {scheduleWords(subscription)}
                </a>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

type Open = 'share' | 'subscribers' | 'edit'

function Plan({ row: { subscription, totalSubscribers } }: { readonly row: AccountSubscription }) {
  const { id, amount, token, nextDue } = subscription
  const open = useSignal<Open | undefined>(undefined)
  const hasEdited = useSignal(false)
  const toggle = (part: Open) => () => {
    open.value = open.value === part ? undefined : part
    if (part === 'edit') hasEdited.value = true
  }
  const { details } = answerNow(`details:${id}`, 'getSubscriptionDetails') ?? {}
  return (
    <article class="card stack">
      <div class="row row-apart">
        <h3>
          <a href={linkTo(`/plans/${id}`)}>
            <Money amount={amount} token={token} /> {scheduleWords(subscription)}
          </a>
        </h3>
        <Badge kind={totalSubscribers > 0 ? 'good' : 'mind'}>
          {totalSubscribers === 1 ? '1 subscriber' : `${totalSubscribers} subscribers`}
        </Badge>
      </div>
      {details ? (
        <p class="said">
          <Said text={details.description} most={200} /> <SaidLink url={details.url} />
        </p>
      ) : null}
      {nextDue === null ? null : (
        <p class="quiet">
          Next due <DueDay day={nextDue} today={chainNow.value?.today} />
        </p>
      )}
      <div class="row">
        <Part name="Share" isOpen={open.value === 'share'} onClick={toggle('share')} />
        <Part name="Subscribers" isOpen={open.value === 'subscribers'} onClick={toggle('subscribers')} />
        {isMine.value ? (
          <>
            <Part name="Edit" isOpen={open.value === 'edit'} onClick={toggle('edit')} />
            <Button
              isSmall
              kind="danger"
              onClick={() => openDeed(cancelDeed(subscription, totalSubscribers))}
            >
              End …
            </Button>
          </>
        ) : (
          <LinkButton isSmall href={linkTo(`/subscribe/${id}`)}>
            Subscribe
          </LinkButton>
        )}
      </div>
      {open.value === 'share' ? <Share id={id} /> : null}
      {open.value === 'subscribers' ? <Subscribers plan={subscription} /> : null}
      {hasEdited.value ? (
        // Only hidden while something else is open: what was typed stays.
        <div hidden={open.value !== 'edit'}>
          <EditDetails id={id} details={details ?? undefined} />
        </div>
      ) : null}
    </article>
  )
}

interface PartProps {
  readonly name: string
  readonly isOpen: boolean
  onClick(): void
}

function Part({ name, isOpen, onClick }: PartProps) {
  return (
    <Button isSmall isPressed={isOpen} onClick={onClick}>
      {name}
    </Button>
  )
}
