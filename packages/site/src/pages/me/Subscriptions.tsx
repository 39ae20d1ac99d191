import type { GetAccountOutlookAnswer } from '@remit/client'
import { openDeed } from '../../deed/DeedDialog.tsx'
import { Address } from '../../design/Address.tsx'
import { Button } from '../../design/Button.tsx'
import { Badge, Facts } from '../../design/Card.tsx'
import { Money } from '../../design/Money.tsx'
import { Said } from '../../design/Said.tsx'
import { Term } from '../../design/Term.tsx'
import { DueDay } from '../../design/When.tsx'
import { linkTo } from '../../page/api.ts'
import { answerNow, chainNow } from '../../page/live.ts'
import { isMine } from '../../subject/subject.ts'
import { scheduleWords } from '../../words/schedule.ts'
import { leaveDeed } from './deeds.tsx'
import { type Membership, planNames } from './memberships.ts'
import { failWords, verdictOf } from './verdicts.ts'

/** What runs: one card each, with the one thing that can be done about it. */
export function Subscriptions({ rows }: { readonly rows: readonly Membership[] }) {
  const outlook = answerNow('outlook', 'getAccountOutlook')
  const soonest = [...rows].sort((one, other) => dayOf(one) - dayOf(other))
  return (
    <ul class="me__list" aria-label="Running subscriptions">
      {soonest.map((row) => (
        <li key={row.subscription.id}>
          <Running row={row} outlook={outlook} />
        </li>
      ))}
    </ul>
  )
}

interface RunningProps {
  readonly row: Membership
  readonly outlook: GetAccountOutlookAnswer | undefined
}

function Running({ row, outlook }: RunningProps) {
  const { subscription } = row
  const { id, provider, token, amount, nextDue, overdue } = subscription
  const { company, description } = planNames(subscription)
  const today = chainNow.value?.today
  const verdict = verdictOf(row, outlook)
  return (
    <article class="card stack">
      <div class="row row-apart me__head">
        <h2 class="me__name">
          <a href={linkTo(`/plans/${id}`)}>
            {company === undefined ? 'A plan' : <Said text={company} most={60} />}
          </a>
        </h2>
        <Badge kind={verdict.kind}>{verdict.words}</Badge>
      </div>
      <p>
        <Money amount={amount} token={token} isLarge /> {scheduleWords(subscription)}
      </p>
      {description === undefined ? null : (
        <p class="said">
          <Said text={description} most={160} />
        </p>
      )}
      <Facts
        rows={[
          overdue.length === 0
            ? undefined
            : [
                'Late',
                <>
                  {subscription.overdueCount === 1 ? 'One payment' : `${subscription.overdueCount} payments`}{' '}
                  from <DueDay day={overdue[0] ?? { dayNumber: 0, date: '' }} />, taken as soon as somebody
                  collects
                </>,
              ],
          ['Next payment', nextDue === null ? 'none' : <DueDay day={nextDue} today={today} />],
          [
            <Term
              key="covered"
              means="The last payment that your money and your permission do for, if you do nothing. The one after it fails, and that ends the subscription."
            >
              Covered until
            </Term>,
            <Covered key="until" row={row} />,
          ],
          ['Paid to', <Address key="to" address={provider} />],
        ]}
      />
      {verdict.kind === 'bad' ? <p class="me__why">{failWords(row, outlook)}</p> : null}
      {isMine.value ? (
        <div>
          <Button isSmall onClick={() => openDeed(leaveDeed(subscription, company))}>
            Leave …
          </Button>
        </div>
      ) : null}
    </article>
  )
}

function Covered({ row: { tokenPaused, covers } }: { readonly row: Membership }) {
  const today = chainNow.value?.today
  if (tokenPaused) return <>nothing is taken: this token is paused</>
  if (covers === null || covers.periods === null) return <>without end</>
  if (covers.until === null) return <>not even the next payment</>
  return (
    <>
      <DueDay day={covers.until} today={today} />{' '}
      <span class="quiet">
        ({covers.periods} {covers.periods === 1 ? 'payment' : 'payments'})
      </span>
    </>
  )
}

function dayOf({ subscription: { nextDue, overdue } }: Membership): number {
  return overdue[0]?.dayNumber ?? nextDue?.dayNumber ?? Number.POSITIVE_INFINITY
}
