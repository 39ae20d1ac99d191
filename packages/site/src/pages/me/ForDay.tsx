import { dayNumberAt, nextDueDay } from '@remit/protocol/calendar'
import { placeOf, useReceipts } from '../../plan/useReceipts.ts'
import { isMine } from '../../subject/subject.ts'
import { dateWords } from '../../words/time.ts'
import type { PastPayment } from './payments.ts'

/** By the place of a payment, the day number that it was due for, where it was taken on another day. */
export function useDueDays(shown: readonly PastPayment[]): ReadonlyMap<string, number> {
  const receipts = useReceipts(takenLater(shown))
  return new Map([...receipts].map(([place, { day }]) => [place, day.dayNumber]))
}

/**
 * Payments that were taken after their day, or may have been: on a day that is none of the plan's, or several on one. A
 * history does not say for which day a payment was.
 */
export function takenLater(payments: readonly PastPayment[]): PastPayment[] {
  const periods = payments.filter(({ kind }) => kind === 'period')
  return periods.filter((payment) => {
    const { plan } = payment
    const day = dayOf(payment)
    const isDueThen = nextDueDay(plan.frequency, plan.dueDay, day) === day
    return (
      !isDueThen || periods.some((one) => one !== payment && one.plan.id === plan.id && dayOf(one) === day)
    )
  })
}

interface ForDayProps {
  readonly payment: PastPayment
  /** By the places of payments, as `useDueDays` has them. */
  readonly dueDays: ReadonlyMap<string, number>
  /** Those that are known: when the wallet subscribed is among them. */
  readonly among: readonly PastPayment[]
}

/** For which day a payment was, where that is another one, and why it was taken if it was due before the wallet subscribed. */
export function ForDay({ payment, dueDays, among }: ForDayProps) {
  const due = dueDays.get(placeOf(payment))
  if (due === undefined || due === dayOf(payment)) return null
  return (
    <div class="quiet">
      for {dateWords(due)}
      {isBacklog(payment, due, among)
        ? `, which was due and not collected yet when ${isMine.value ? 'you' : 'the wallet'} subscribed: the plan’s contract takes it then`
        : null}
    </div>
  )
}

/** Whether the wallet had not subscribed yet on the day that a payment was due. */
function isBacklog(payment: PastPayment, due: number, among: readonly PastPayment[]): boolean {
  const joined = among
    .filter(({ kind, plan, at }) => kind === 'first' && plan.id === payment.plan.id && at <= payment.at)
    .map(dayOf)
  return joined.length > 0 && Math.max(...joined) > due
}

function dayOf({ at }: PastPayment): number {
  return dayNumberAt(at.getTime() / 1000)
}
