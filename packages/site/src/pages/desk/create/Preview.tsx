import type { ApprovedToken } from '@remit/client'
import { dateOf } from '@remit/protocol/calendar'
import { feePercent } from '@remit/protocol/fees'
import { Facts } from '../../../design/Card.tsx'
import { Term } from '../../../design/Term.tsx'
import { ExactMoney } from '../../../design/values/Money.tsx'
import { DueDay } from '../../../design/values/When.tsx'
import { linkTo } from '../../../page/api.ts'
import { paymentsWords } from '../../../plan/PaidSum.tsx'
import { RESERVE_MEANS } from '../../../words/money.ts'
import { scheduleWords } from '../../../words/schedule.ts'
import { shortDayWords } from '../../../words/time.ts'
import { Behind } from './Behind.tsx'
import {
  type Draft,
  type DraftState,
  firstDueDay,
  type Ground,
  inToken,
  type Preview as Meaning,
} from './preview.ts'
import { YearOfDays } from './YearOfDays.tsx'

interface PreviewProps {
  /** What the draft means in figures (`preview.ts`), or which of its fields are wrong. */
  readonly known: DraftState
  readonly draft: Draft
  readonly token: ApprovedToken
  readonly today: number
  readonly ground: Ground
}

/** What the typed plan would mean for a subscriber and for its provider. */
export function Preview({ known, draft, token, today, ground }: PreviewProps) {
  if (!known.ok) {
    return (
      <div class="desk__preview">
        <h2>What it means</h2>
        <p class="quiet">
          Correct the{' '}
          {known.problems.amount === undefined
            ? 'day'
            : `price${known.problems.dueDay === undefined ? '' : ' and the day'}`}{' '}
          first.
        </p>
      </div>
    )
  }
  const { amountRaw, today: now, days, fee, refill, year } = known.preview
  const money = (raw: bigint) => <ExactMoney amount={inToken(raw, token)} token={token} />
  // Not the first of `days`: a yearly plan may be due next on the day after these twelve months.
  const next = firstDueDay(draft, Math.max(today, ground.nextUncheckedDay))
  return (
    <div class="desk__preview stack">
      <h2>What it means</h2>
      <p>
        {money(amountRaw)} {scheduleWords(draft)}
      </p>
      <Facts
        rows={[
          [
            'Who subscribes today pays',
            <>
              {money(now.total)} now{whatFor(known.preview, firstDueDay(draft, today))}
              <div class="quiet">
                {now.toProvider === 0n ? (
                  'all of it goes into the collecting reserve'
                ) : (
                  <>
                    {money(now.toProvider)} reach you, {money(now.toFeeBalance)} go into the collecting
                    reserve
                  </>
                )}
              </div>
            </>,
          ],
          next === undefined
            ? undefined
            : [
                'And then',
                <>
                  {money(amountRaw)} on <DueDay day={{ dayNumber: next, date: dateOf(next) }} today={today} />
                  , and so on
                </>,
              ],
          [
            <Term
              key="fee"
              means={`Anybody may collect the payments of a day, and earns this for each, out of a reserve. ${RESERVE_MEANS}`}
            >
              Collecting costs
            </Term>,
            <>
              {money(fee)} for each payment ({feePercent(ground.callerFee)} %), out of the member’s reserve
              <div class="quiet">
                {fee === 0n ? null : (
                  <>
                    about one payment in {(refill.toFeeBalance / fee).toLocaleString('en')} fills the reserve
                    again, beginning{' '}
                    {now.toFeeBalance > fee
                      ? `after about ${paymentsWords(Number((now.toFeeBalance - 1n) / fee))}`
                      : 'with the first whole one'}
                    :{' '}
                    {refill.toProvider === 0n ? (
                      'none of it reaches you'
                    ) : (
                      <>
                        {money(refill.toFeeBalance)} of it go there, and {money(refill.toProvider)} reach you
                      </>
                    )}
                    .{' '}
                  </>
                )}
                All other payments reach you whole.
              </div>
            </>,
          ],
          [
            'In twelve months',
            <>
              one member pays {money(year.paid)}; {money(year.reachesYou)} of it reach you
              <div class="quiet">
                {money(year.collectors)} go to those who collect, {money(year.putAside)} are left in the
                collecting reserve
              </div>
            </>,
          ],
        ]}
      />
      {/* A warning, where collecting is so late that members would pay for days before they came. */}
      <Behind draft={draft} ground={ground} today={today} />
      <PaymentRules />
      <YearOfDays today={today} days={days} />
    </div>
  )
}

/**
 * What the first charge is for, by the protocol's proration: a whole payment, the days until the first due day, or where that would be
 * less than the fee for collecting one payment, that fee.
 * @param due the first due day; `undefined` where there is none
 */
function whatFor({ today, amountRaw, fee }: Meaning, due: number | undefined): string {
  if (today.total === amountRaw) return ', a whole payment'
  if (today.total === fee || due === undefined) return ', what collecting one payment costs'
  return `, for the days until ${shortDayWords({ dayNumber: due, date: dateOf(due) }, due)}`
}

/** Two rules of the protocol that every provider must know. Whoever does not loses money. */
export function PaymentRules() {
  return (
    <ul class="stack-small">
      <li>
        If a payment cannot be taken, the member is dropped. It is not tried again; they can subscribe again.
      </li>
      <li>
        Payments arrive once somebody collects them. Anybody may, you too: see{' '}
        <a href={linkTo('/keeper')} target="_blank" rel="noopener">
          Collect payments
          <span class="unseen"> (opens in a new tab)</span>
        </a>
        .
      </li>
    </ul>
  )
}
