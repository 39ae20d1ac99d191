import type { GetAccountOutlookAnswer, OutlookToken } from '@remit/client'
import { Button } from '../../design/Button.tsx'
import { Badge, Facts } from '../../design/Card.tsx'
import { later } from '../../design/later.tsx'
import { Term } from '../../design/Term.tsx'
import { Address } from '../../design/values/Address.tsx'
import { Money } from '../../design/values/Money.tsx'
import { UntrustedText } from '../../design/values/Untrusted.tsx'
import { DueDay } from '../../design/values/When.tsx'
import { answerNow, chainNow } from '../../page/live.ts'
import { PaidThrough } from '../../plan/PaidThrough.tsx'
import { PlanName } from '../../plan/PlanName.tsx'
import { ProviderMark } from '../../plan/ProviderMark.tsx'
import { planTexts } from '../../plan/planTexts.ts'
import { askToSign } from '../../signing/SigningDialog.tsx'
import { isMine, subject } from '../../subject/subject.ts'
import { RESERVE_MEANS, shortMoneyWords } from '../../words/money.ts'
import { furtherWords } from '../../words/planName.ts'
import { scheduleWords } from '../../words/schedule.ts'
import { type Day, dayWords, shortDayWords } from '../../words/time.ts'
import { askForMoney } from './addMoney.ts'
import { periodsThrough, plansIn } from './extensions.ts'
import { type Membership, membershipOf } from './memberships.ts'
import { PastPayments } from './payments/Payments.tsx'
import { extendRequest, leaveRequest } from './signingRequests.tsx'
import { type Failure, failureOf, failWords, laterWords, otherEndOf, verdictOf } from './verdicts.ts'

// A wallet's subscriptions that run, each with a verdict and a remedy.

/** A chunk of its own: few sign a permission for somebody else to carry. */
const Waiting = later(async () => (await import('./handOver/Waiting.tsx')).Waiting)

/** The running subscriptions, the most urgent first. Each is a card with one verdict, and what to do about it. */
export function Subscriptions({ rows }: { readonly rows: readonly Membership[] }) {
  const outlook = answerNow('outlook', 'getAccountOutlook')
  const today = chainNow.value?.today
  const urgency = (row: Membership) => failureOf(row, outlook)?.day.dayNumber ?? Number.POSITIVE_INFINITY
  const soonest = [...rows].sort(
    (one, other) => compare(urgency(one), urgency(other)) || nextDayOf(one) - nextDayOf(other),
  )
  return (
    <ul class="me__list" aria-label="Running subscriptions">
      {soonest.map((row) => (
        <li key={row.subscription.id}>
          <Running row={row} rows={rows} outlook={outlook} today={today} />
        </li>
      ))}
    </ul>
  )
}

interface RunningProps {
  readonly row: Membership
  /** All that run, because those in one token share a permission. */
  readonly rows: readonly Membership[]
  readonly outlook: GetAccountOutlookAnswer | undefined
  readonly today: number | null | undefined
}

/** The card of one subscription that runs. */
function Running({ row, rows, outlook, today }: RunningProps) {
  const { subscription, feeBalance } = row
  const { provider, token, amount, nextDue, overdue } = subscription
  const texts = planTexts(subscription)
  const further = furtherWords(texts.description)
  const verdict = verdictOf(row, outlook, today)
  const isAlarming = verdict.kind === 'bad'
  const membership = membershipOf(subscription)
  const failure = failureOf(row, outlook)
  const permission = drawsOn(token.address, outlook)
  const otherEnd = failure === undefined && verdict.kind === 'good' ? otherEndOf(row, outlook) : undefined
  return (
    <article class="card stack">
      <div class="me__head">
        <h2 class="me__name">
          <PlanName plan={subscription} texts={texts} />
        </h2>
        <Badge kind={verdict.kind}>
          {otherEnd === undefined ? verdict.words : 'Covered as things stand'}
        </Badge>
      </div>
      <p>
        <ProviderMark identity={answerNow(`profile:${provider}`, 'getProviderProfile')?.identity} />
      </p>
      <p>
        <Money amount={amount} token={token} isLarge /> {scheduleWords(subscription)}
      </p>
      {failure === undefined ? (
        otherEnd === undefined ? null : (
          <p class="quiet">
            {verdict.words}, but only if <OtherPlan id={otherEnd.subscriptionId} rows={rows} /> ends on{' '}
            {dayWords(otherEnd.day)}, as it does as things stand. If you keep that one going, this one is
            covered for less long.
          </p>
        )
      ) : (
        <p class={isAlarming ? 'me__why' : 'quiet'}>
          <Why row={row} rows={rows} failure={failure} outlook={outlook} />{' '}
          {feeBalance.amountRaw === 0n ? null : (
            <>If this payment fails, the subscription ends, and its collecting reserve does not come back.</>
          )}
        </p>
      )}
      {permission === undefined || !isMine.value || failure?.lacksPermission !== true ? null : (
        <Waiting row={permission} />
      )}
      {further === undefined ? null : (
        <p class="quote">
          <UntrustedText text={further} most={160} />
        </p>
      )}
      <Facts
        rows={[
          overdue.length === 0
            ? undefined
            : [
                'Late',
                <>
                  {subscription.overdueCount === 1 ? (
                    'One payment'
                  ) : (
                    <>
                      {subscription.overdueCount} payments of <Money amount={amount} token={token} /> each,
                    </>
                  )}{' '}
                  from <DueDay day={overdue[0] ?? { dayNumber: 0, date: '' }} />
                  {isLateFailing(failure, row) ? ', tried' : ', taken'} as soon as somebody collects
                </>,
              ],
          membership?.paidThrough
            ? [
                PAID_THROUGH,
                <PaidThrough key="paid" last={membership.paidThrough} due={membership.nextCharge?.day}>
                  <DueDay day={membership.paidThrough} />
                </PaidThrough>,
              ]
            : undefined,
          [
            'Next payment',
            nextDue === null ? (
              'none'
            ) : (
              <NextPayment key="next" day={nextDue} today={today} lacks={lackOf(failure, row)} />
            ),
          ],
          feeBalance.amountRaw === 0n
            ? undefined
            : [
                <Term key="term" means={RESERVE_MEANS}>
                  Collecting reserve
                </Term>,
                <Money key="reserve" amount={feeBalance.amount} token={token} />,
              ],
          texts.company === undefined ? ['Paid to', <Address key="to" address={provider} />] : undefined,
        ]}
      />
      <div class="row">
        <Remedy row={row} rows={rows} outlook={outlook} today={today} isAlarming={isAlarming} />
        {isMine.value ? (
          <Button
            isSmall
            onClick={() => askToSign(leaveRequest(subscription, plansIn(token.address, rows).length === 1))}
          >
            Leave …
          </Button>
        ) : null}
      </div>
      <PastPayments plan={subscription} />
    </article>
  )
}

interface WhyProps extends Pick<RunningProps, 'row' | 'rows' | 'outlook'> {
  readonly failure: Failure
}

/** What its payment lacks; where other plans fail before it, that comes first: what those need stands at their own cards. */
function Why({ row, rows, failure, outlook }: WhyProps) {
  const { before } = failure
  const [first] = before
  if (first === undefined) return <>{failWords(row, failure, outlook)}</>
  return (
    <>
      {before.length > 1 ? `${before.length} other plans fail first, the first of them ` : null}
      <OtherPlan id={first.subscriptionId} rows={rows} />
      {before.length > 1 ? ', on' : ' fails first, on'} {dayWords(first.day)}: mend that first. Even once{' '}
      {before.length > 1 ? 'they have' : 'it has'} ended, this plan lacks {laterWords(row, failure)}.
    </>
  )
}

/** Another plan of the wallet by its name. */
function OtherPlan({ id, rows }: { readonly id: string; readonly rows: readonly Membership[] }) {
  const plan = rows.find(({ subscription }) => subscription.id === id)?.subscription
  return plan === undefined ? <>Another plan</> : <PlanName plan={plan} isLinked={false} />
}

/** The term, with an explanation of how it differs from "Covered through". */
const PAID_THROUGH = (
  <Term
    key="paid-through"
    means="The last day that is paid for already. “Covered” is about the payments after it: how long money and permission do for them, as they stand now."
  >
    Paid through
  </Term>
)

interface NextPaymentProps {
  readonly day: Day
  readonly today: number | null | undefined
  /** What is said of it where it is not covered. */
  readonly lacks: string | undefined
}

/** When the next payment is due; on that day itself it may be taken at any moment, if there is enough for it. */
function NextPayment({ day, today, lacks }: NextPaymentProps) {
  const isToday = day.dayNumber === today
  return (
    <>
      <DueDay day={day} today={today} />
      {lacks ?? (isToday ? ': not collected yet; it may be taken within minutes' : null)}
    </>
  )
}

/** Of a plan's next payment, where it would not succeed; where a late one fails, it never comes. */
function lackOf(failure: Failure | undefined, row: Membership) {
  const { nextDue } = row.subscription
  if (failure === undefined || nextDue === null || failure.day.dayNumber > nextDue.dayNumber) return undefined
  return isLateFailing(failure, row) ? ', if what is late can be taken' : ': not covered'
}

/** Whether what would end the subscription is a late payment. */
function isLateFailing(failure: Failure | undefined, { subscription: { overdue } }: Membership): boolean {
  return overdue.some(({ dayNumber }) => dayNumber === failure?.day.dayNumber)
}

/** The buttons that save a subscription which would end: one for money, one for the permission. */
function Remedy({ row, rows, outlook, today, isAlarming }: RunningProps & { readonly isAlarming: boolean }) {
  const failure = failureOf(row, outlook)
  const address = subject.value
  if (failure === undefined || address === undefined) return null
  const { subscription: plan } = row
  const { token } = plan
  const { day, before, money, lacksPermission } = failure
  // What fails first is mended first: money for this one would be taken by it.
  if (before.length > 0) return null
  const isDue = today !== null && today !== undefined && day.dayNumber <= today
  const byWords = isDue ? 'now' : `before ${shortDayWords(day, today)}`
  const look = isAlarming ? { kind: 'primary' as const } : { isSmall: true }
  const periods =
    isMine.value && lacksPermission && outlook
      ? periodsThrough(plan, day.dayNumber, { token, rows, outlook })
      : undefined
  const isAgain = drawsOn(token.address, outlook)?.allowance.amountRaw === 0n
  return (
    <>
      {money === undefined ? null : (
        <Button {...look} onClick={() => askForMoney({ plan, money, day, lacksPermission, address })}>
          Add {shortMoneyWords(money.amount, token, 'up')} {byWords}
        </Button>
      )}
      {periods === undefined ? null : (
        <Button {...look} onClick={() => askToSign(extendRequest(token, periods, isAgain))}>
          {isAgain ? 'Allow payments again' : 'Extend the permission'} {byWords} …
        </Button>
      )}
    </>
  )
}

/** What the wallet holds and allows in a token. */
function drawsOn(address: string, outlook: GetAccountOutlookAnswer | undefined): OutlookToken | undefined {
  return outlook?.wallet.tokens.find(({ token }) => token.address === address)
}

/** For `sort`. Both can be infinite, whose difference would be NaN. */
function compare(one: number, other: number): number {
  return one === other ? 0 : one - other
}

/** The day number of the next charge, late ones included; Infinity where there is none. */
function nextDayOf({ subscription: { nextDue, overdue } }: Membership): number {
  return overdue[0]?.dayNumber ?? nextDue?.dayNumber ?? Number.POSITIVE_INFINITY
}
