import type { Subscription } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { dayNumberAt, nextDueDay } from '@remit/protocol/calendar'
import { useEffect } from 'preact/hooks'
import type { Address } from 'viem'
import { Button } from '../../../design/Button.tsx'
import { Failed, Loading } from '../../../design/State.tsx'
import { Money } from '../../../design/values/Money.tsx'
import { When } from '../../../design/values/When.tsx'
import { receiptLink } from '../../../plan/receiptLink.ts'
import { placeOf, useReceipts } from '../../../plan/useReceipts.ts'
import { isMine } from '../../../subject/subject.ts'
import { dateWords } from '../../../words/time.ts'
import {
  historyOf,
  type KnownHistory,
  type PastPayment,
  paymentsIn,
  paymentWords,
  readHistory,
} from './payments.ts'

interface PastRowsProps {
  readonly plan: Subscription
  readonly account: Address
}

/** The payments for one plan so far, each with its receipt. Read when it is opened. */
export function PastRows({ plan, account }: PastRowsProps) {
  useEffect(() => void readHistory(account), [account])
  const known = historyOf(account)
  if (known.state === 'failed') return <Failed error={known.error} retry={() => void readHistory(account)} />
  if (known.state !== 'there') return <Loading lines={3} />
  return <Known known={known} plan={plan} account={account} />
}

interface KnownProps extends PastRowsProps {
  readonly known: KnownHistory
}

/** The rows of what was read so far, and a button for earlier ones. */
function Known({ known, plan, account }: KnownProps) {
  const { next, isReading } = known
  const rows = paymentsIn(known, { plans: [plan], account })
  const dueDays = useDueDays(rows)
  return (
    <>
      {rows.length === 0 ? (
        <p class="quiet">{next === null ? 'None so far.' : 'None among what was read.'}</p>
      ) : (
        <ul class="me__payments">
          {rows.map((row) => (
            <li key={`${row.transactionHash}${row.logIndex}`}>
              <span>
                {paymentWords(row.kind, isMine.value)}
                <span class="when__utc">
                  {' '}
                  <When at={row.at} />
                </span>
                <ForDay payment={row} dueDays={dueDays} among={rows} />
                <NotFinal payment={row} />
              </span>
              <span>
                <Amount row={row} plan={plan} /> <a href={receiptLink(row)}>Receipt</a>
              </span>
            </li>
          ))}
        </ul>
      )}
      {next === null ? null : (
        <Button isSmall isOff={isReading} onClick={() => void readHistory(account, next)}>
          Earlier ones
        </Button>
      )}
    </>
  )
}

/** What a payment took, or where the reserve went at an ending. Rounded to cents: the receipt has every digit. */
function Amount({
  row: { amountRaw, reserve },
  plan,
}: {
  readonly row: PastPayment
  readonly plan: Subscription
}) {
  const { token, tokenDecimals } = plan
  if (amountRaw !== undefined) return <Money amount={formatHuman(amountRaw, tokenDecimals)} token={token} />
  if (reserve === undefined) return null
  if (reserve.toSubscriber.amountRaw > 0n) {
    return (
      <>
        <Money amount={reserve.toSubscriber.amount} token={token} /> came back
      </>
    )
  }
  if (reserve.toProvider.amountRaw === 0n) return <>nothing came back</>
  return (
    <>
      <Money amount={reserve.toProvider.amount} token={token} /> of the reserve went to the provider
    </>
  )
}

/** The day numbers for which payments were due, by their `placeOf`; `undefined` where the receipt that says it is not read. */
type DueDays = ReadonlyMap<string, number | undefined>

/**
 * For which days late payments were due, or may have been: all those have an entry.
 * @param most how many receipts are read
 */
export function useDueDays(shown: readonly PastPayment[], most?: number): DueDays {
  const later = takenLater(shown)
  // Of a payment that failed the receipt is there already, for its reserve.
  const unknown = later.filter(({ reserve }) => reserve === undefined)
  const receipts = useReceipts(unknown, most)
  return new Map(
    later.map((row) => [placeOf(row), (row.reserve ?? receipts.get(placeOf(row)))?.day.dayNumber]),
  )
}

/**
 * The payments, failed ones too, that were taken after their due day, or may have been: on a day that is no due day of the plan, or
 * several on one day. The history does not say for which day a payment was, so the receipts of these are read.
 */
export function takenLater(payments: readonly PastPayment[]): PastPayment[] {
  const periods = payments.filter(({ kind }) => kind === 'period' || kind === 'fill' || kind === 'dropped')
  return periods.filter((payment) => {
    const { plan } = payment
    const day = dayOf(payment)
    const isDueThen = nextDueDay(plan.frequency, plan.dueDay, day) === day
    return (
      !isDueThen || periods.some((one) => one !== payment && one.plan.id === plan.id && dayOf(one) === day)
    )
  })
}

/** Marks a payment whose block can still be replaced. */
export function NotFinal({ payment: { finalized } }: { readonly payment: PastPayment }) {
  return finalized ? null : <div class="quiet">not final yet</div>
}

interface ForDayProps {
  readonly payment: PastPayment
  /** By the places of payments, as `useDueDays` has them. */
  readonly dueDays: DueDays
  /** The known payments of the wallet: the first one of a plan tells when the wallet subscribed. */
  readonly among: readonly PastPayment[]
}

/** For which day a payment was due, where it was taken on another; and an explanation, if the wallet subscribed after that day. */
export function ForDay({ payment, dueDays, among }: ForDayProps) {
  const place = placeOf(payment)
  if (!dueDays.has(place)) return null
  const due = dueDays.get(place)
  if (due === undefined) return <div class="quiet">for which day, its receipt says</div>
  if (due === dayOf(payment)) return null
  return (
    <div class="quiet">
      for {dateWords(due)}
      {isBacklog(payment, due, among)
        ? `, which was due and not collected yet when ${isMine.value ? 'you' : 'the wallet'} subscribed: such a day is taken from new members, too`
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
