import { signal, useSignal } from '@preact/signals'
import type { AccountSubscription, Subscription } from '@remit/client'
import { dayNumberAt } from '@remit/protocol/calendar'
import { Button, LinkButton } from '../../../design/Button.tsx'
import { Card } from '../../../design/Card.tsx'
import { Dialog } from '../../../design/frame/Dialog.tsx'
import { Menu } from '../../../design/frame/Menu.tsx'
import { Empty, Shown } from '../../../design/State.tsx'
import { Table } from '../../../design/values/Table.tsx'
import { UntrustedText } from '../../../design/values/Untrusted.tsx'
import { DueDay } from '../../../design/values/When.tsx'
import { api, linkTo } from '../../../page/api.ts'
import { answerNow, chainNow, live } from '../../../page/live.ts'
import { wholeOf } from '../../../page/wholeOf.ts'
import { PlanTitle } from '../../../plan/PlanTitle.tsx'
import { planTexts } from '../../../plan/planTexts.ts'
import { Uncollected } from '../../../plan/Uncollected.tsx'
import { askToSign } from '../../../signing/SigningDialog.tsx'
import { isMine, subject } from '../../../subject/subject.ts'
import { planName } from '../../../words/planName.ts'
import { dateWords } from '../../../words/time.ts'
import { cancelRequest } from '../signingRequests.tsx'
import { EditDetails } from './EditDetails.tsx'
import { Reserves } from './Reserves.tsx'
import { Share } from './Share.tsx'

/** The most rows that a request can bring. */
const PAGE = 500

/** All plans of the provider. Mostly the document has them; else they are read page by page. */
const plans = wholeOf(live('plans', 'getAccountSubscriptions'), {
  isWhole: ({ subscriptions, subscriptionsCount }) => subscriptions.length === subscriptionsCount,
  async readWhole(answer) {
    const subscriptions: AccountSubscription[] = []
    const input = { address: answer.account, first: PAGE, minBlock: answer.asOf.blockNumber }
    for await (const row of api.each.getAccountSubscriptions(input)) subscriptions.push(row)
    return { ...answer, subscriptions }
  },
})

/** The open dialog, and the plan that it is about. */
const open = signal<{ readonly what: 'share' | 'edit'; readonly plan: Subscription } | undefined>(undefined)

/** The provider's plans: those that run, newest first, and then the cancelled ones. */
export function Plans() {
  return (
    <>
      <Shown of={plans} lines={12}>
        {({ subscriptions }) => <Lists rows={[...subscriptions].reverse()} />}
      </Shown>
      <Opened />
    </>
  )
}

/** @param rows newest first */
function Lists({ rows }: { readonly rows: readonly AccountSubscription[] }) {
  const running = rows.filter(({ subscription }) => !subscription.cancelled)
  const ended = rows.filter(({ subscription }) => subscription.cancelled)
  return (
    <>
      <Uncollected of={running.map(({ subscription }) => subscription)} />
      <Card title="Plans">
        {running.length === 0 ? (
          <Empty title={isMine.value ? 'You have no plan.' : 'This wallet has no plan.'}>
            {isMine.value ? (
              <>
                <p>Set a price and a day, look at what they mean, and publish it.</p>
                <LinkButton kind="primary" href={linkTo('/desk/plans/new', { address: subject.value })}>
                  New plan
                </LinkButton>
              </>
            ) : null}
          </Empty>
        ) : (
          <PlanTable caption="Plans" rows={running} />
        )}
      </Card>
      {ended.length === 0 ? null : (
        <Card title="Cancelled">
          <div class="stack">
            <PlanTable caption="Cancelled plans" rows={ended} />
            {ended
              .filter(({ totalSubscribers }) => totalSubscribers > 0)
              .map(({ subscription, totalSubscribers }) => (
                <KeptReserves key={subscription.id} plan={subscription} members={totalSubscribers} />
              ))}
          </div>
        </Card>
      )}
    </>
  )
}

/** The members of a cancelled plan who have not got back their reserves. They are asked for when it is opened. */
function KeptReserves({ plan, members }: { readonly plan: Subscription; readonly members: number }) {
  const isOpen = useSignal(false)
  return (
    <details
      class="desk__more"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open
      }}
    >
      <summary>
        Reserves not paid back yet: <UntrustedText text={planName(plan, planTexts(plan))} most={60} /> (
        {members.toLocaleString('en')})
      </summary>
      {isOpen.value ? <Reserves plan={plan} /> : null}
    </details>
  )
}

/** The next due day, and since when members’ payments are late. */
function NextDue({ row: { subscription, totalSubscribers } }: { readonly row: AccountSubscription }) {
  const { nextDue, overdue } = subscription
  const [late] = overdue
  return (
    <>
      {nextDue === null ? '–' : <DueDay day={nextDue} today={chainNow.value?.today} />}
      {late === undefined || totalSubscribers === 0 ? null : (
        <div class="quiet">late since {dateWords(late.dayNumber)}</div>
      )}
    </>
  )
}

function PlanTable({
  caption,
  rows,
}: {
  readonly caption: string
  readonly rows: readonly AccountSubscription[]
}) {
  const isLive = rows.some(({ subscription }) => !subscription.cancelled)
  return (
    <Table
      caption={caption}
      rows={rows}
      keyOf={({ subscription }) => subscription.id}
      columns={[
        {
          title: 'Plan',
          isName: true,
          cell: ({ subscription }) => <PlanTitle subscription={subscription} />,
        },
        ...(isLive
          ? [
              {
                title: 'Members',
                isNumber: true,
                cell: ({ subscription, totalSubscribers }: AccountSubscription) =>
                  totalSubscribers === 0 ? (
                    <span class="quiet">none now</span>
                  ) : (
                    <a
                      href={linkTo('/desk/members', {
                        address: subject.value,
                        subscriptionId: subscription.id,
                      })}
                    >
                      {totalSubscribers.toLocaleString('en')}
                      <span class="unseen"> {totalSubscribers === 1 ? 'member' : 'members'}</span>
                    </a>
                  ),
              },
              {
                title: 'Since',
                cell: ({ subscription }: AccountSubscription) => publishedWords(subscription),
              },
              {
                title: 'Next due',
                cell: (row: AccountSubscription) => <NextDue row={row} />,
              },
              {
                title: 'Its link',
                cell: ({ subscription }: AccountSubscription) => (
                  <Button
                    isSmall
                    label={`Share ${planName(subscription, planTexts(subscription))}`}
                    onClick={() => show('share', subscription)}
                  >
                    Share
                  </Button>
                ),
              },
            ]
          : []),
        {
          title: <span class="unseen">What can be done</span>,
          isMenu: true,
          cell: (row) => (
            <Menu label={planName(row.subscription, planTexts(row.subscription))} items={actsOn(row)} />
          ),
        },
      ]}
    />
  )
}

/** The date on which a plan was published. The page came with that of the newest ones only. */
function publishedWords({ id }: Subscription) {
  const { subscriptions = [] } = answerNow('published', 'searchSubscriptions') ?? {}
  const found = subscriptions.find((one) => one.id === id)
  return found === undefined ? '–' : dateWords(dayNumberAt(found.createdAt))
}

function show(what: 'share' | 'edit', plan: Subscription): void {
  open.value = { what, plan }
}

/** What can be done with a plan: for its provider to edit and cancel it, for others to subscribe. */
function actsOn({ subscription, totalSubscribers }: AccountSubscription) {
  const look = { name: 'Show its page', href: linkTo(`/plans/${subscription.id}`) }
  if (subscription.cancelled) return [look]
  return [
    ...(isMine.value ? [{ name: 'Edit description …', onChoose: () => show('edit', subscription) }] : []),
    look,
    ...(isMine.value
      ? [
          {
            name: 'Cancel plan …',
            isGrave: true,
            onChoose: () => askToSign(cancelRequest(subscription, totalSubscribers)),
          },
        ]
      : [{ name: 'Subscribe', href: linkTo(`/subscribe/${subscription.id}`) }]),
  ]
}

/** The dialog that shares a plan or edits its description. */
function Opened() {
  const { what, plan } = open.value ?? {}
  const close = () => {
    open.value = undefined
  }
  return (
    <Dialog
      title={what === 'edit' ? 'Edit description' : 'Share this plan'}
      isOpen={plan !== undefined}
      onClose={close}
    >
      {plan === undefined ? null : what === 'edit' ? (
        <EditDetails id={plan.id} details={wordsOf(plan)} onDone={close} />
      ) : (
        <Share id={plan.id} />
      )}
    </Dialog>
  )
}

/** A plan's description and link; `undefined` where it has none, or the page came without them. */
function wordsOf({ id }: Pick<Subscription, 'id'>) {
  return answerNow(`details:${id}`, 'getSubscriptionDetails')?.details ?? undefined
}
