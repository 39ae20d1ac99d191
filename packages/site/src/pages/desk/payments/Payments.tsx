import type { ListProviderPaymentsAnswer } from '@remit/client'
import { dateOf } from '@remit/protocol/calendar'
import type { ComponentChildren } from 'preact'
import { Card } from '../../../design/Card.tsx'
import { Empty, Failed, Shown } from '../../../design/State.tsx'
import { Copy, short } from '../../../design/values/Address.tsx'
import { UntrustedText } from '../../../design/values/Untrusted.tsx'
import { api, linkTo } from '../../../page/api.ts'
import { answerNow, live, readFailure } from '../../../page/live.ts'
import { monthNow } from '../../../page/month.ts'
import { subject } from '../../../subject/subject.ts'
import { useTitle } from '../../../subject/useTitle.ts'
import { REASON_WORDS } from '../../../words/reasonWords.ts'
import { monthWords } from '../../../words/time.ts'
import { CsvFile } from '../CsvFile.tsx'
import { ByPlan } from './ByPlan.tsx'
import { Months } from './Months.tsx'
import { PaymentRows } from './PaymentRows.tsx'
import { PlanLink } from './PlanLink.tsx'
import { PAYMENT_COLUMNS } from './paymentColumns.ts'

const payments = live('payments', 'listProviderPayments')
const left = live('left', 'listProviderPayments')

/** The desk's section for books: sums by month, and the payments one by one; or those of the month in the query. */
export function Payments() {
  const month = monthNow.value
  const period = month === undefined ? '' : ` of ${monthWords({ dayNumber: month.fromDay })}`
  const title = `Payments${period} · ${whose()}`
  // A browser names the file after the title where a month is printed as a PDF.
  useTitle(month && title)
  return (
    <div class="desk__books stack">
      <h1 class="subject__paper">
        <UntrustedText text={title} most={80} />
      </h1>
      <Months />
      {month === undefined ? null : <ByPlan month={month} />}
      <List />
    </div>
  )
}

/** The provider as it calls itself, else its address. */
function whose(): string {
  const { profile } = answerNow('profile', 'getProviderProfile') ?? {}
  return profile?.company.trim() || short(subject.value ?? '')
}

function List() {
  const month = monthNow.value
  const days = month && { from: dateOf(month.fromDay), to: dateOf(month.toDay) }
  return (
    <Card
      title="Payments"
      beside={
        <CsvFile
          what="Payments"
          of={month?.written}
          columns={PAYMENT_COLUMNS}
          rowsOf={(address) => api.each.listProviderPayments({ address, ...days, first: 1_000 })}
        />
      }
    >
      <div class="stack">
        {readFailure.value === undefined || payments.value.state === 'failed' ? null : (
          <Failed error={readFailure.value} retry={() => void payments.refresh()} />
        )}
        <Shown of={payments} lines={12}>
          {(answer) => <Rows answer={answer} />}
        </Shown>
      </div>
    </Card>
  )
}

function Rows({ answer }: { readonly answer: ListProviderPaymentsAnswer }) {
  const isEmpty = answer.payments.length === 0
  if (isEmpty && monthNow.value !== undefined) {
    return <p class="quiet">None in this month.</p>
  }
  if (isEmpty) {
    return (
      <Empty title="Nobody has paid yet.">
        <p>Send a plan’s link to somebody. Their payments are listed here, each with its receipt.</p>
      </Empty>
    )
  }
  return (
    <>
      <PaymentRows answer={answer} />
      <p class="quiet">
        A part of a payment may go into the member’s reserve, which pays for collecting. What is left of it
        comes to you when the member leaves, less one fee when the member cannot pay, and goes back when you
        remove the member.
      </p>
    </>
  )
}

/**
 * Whose subscription ended, when and how: who left, was removed, could not pay, or had a plan that was cancelled. It is the same table,
 * without what nobody pays then; it stands among the members.
 */
export function Left({ children }: { readonly children: ComponentChildren }) {
  return (
    <Card
      title="Members"
      beside={
        <CsvFile
          what="Who left"
          columns={[...PAYMENT_COLUMNS, ['why', ({ dropReason }) => REASON_WORDS[dropReason ?? ''] ?? '']]}
          rowsOf={(address) => api.each.listProviderPayments({ address, ended: true, first: 1_000 })}
        />
      }
    >
      <div class="stack">
        {children}
        {readFailure.value === undefined || left.value.state === 'failed' ? null : (
          <Failed error={readFailure.value} retry={() => void left.refresh()} />
        )}
        <Shown of={left} lines={12}>
          {(answer) =>
            answer.payments.length === 0 ? (
              <Empty title="Nobody’s subscription has ended." />
            ) : (
              <>
                <PaymentRows answer={answer} isOfEnds />
                <ComeBack rows={answer.payments} />
              </>
            )
          }
        </Shown>
        <p class="quiet">
          Members of a cancelled plan come into this list when their reserves are given back, for which no day
          is fixed.
        </p>
      </div>
    </Card>
  )
}

/** The links by which who left can come back: of the plans that are not cancelled. */
function ComeBack({ rows }: { readonly rows: ListProviderPaymentsAnswer['payments'] }) {
  const plans = answerNow('plans', 'getAccountSubscriptions')?.subscriptions ?? []
  const open = plans.flatMap(({ subscription: { id, cancelled } }) =>
    cancelled ? [] : rows.filter(({ subscriptionId }) => subscriptionId === id).slice(0, 1),
  )
  if (open.length === 0) return null
  return (
    <p>
      Whoever left can subscribe again, by the plan’s link:
      {open.map((row) => (
        <span key={row.subscriptionId}>
          {' '}
          <PlanLink row={row} />{' '}
          <Copy text={`${location.origin}${linkTo(`/subscribe/${row.subscriptionId}`)}`} what="link" />
        </span>
      ))}
    </p>
  )
}
