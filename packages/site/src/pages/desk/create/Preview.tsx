import type { ApprovedToken } from '@remit/client'
import { dateOf } from '@remit/protocol/calendar'
import { feePercent } from '@remit/protocol/fees'
import { Facts, Note } from '../../../design/Card.tsx'
import { Money } from '../../../design/Money.tsx'
import { Term } from '../../../design/Term.tsx'
import { DueDay } from '../../../design/When.tsx'
import { scheduleWords } from '../../../words/schedule.ts'
import { type Draft, type DraftState, firstDueDay, type Ground, inToken } from './preview.ts'
import { YearOfDays } from './YearOfDays.tsx'

interface PreviewProps {
  readonly known: DraftState
  readonly draft: Draft
  readonly token: ApprovedToken
  readonly today: number
  readonly ground: Ground
}

/** What the plan means for a subscriber and for its provider, as it is typed. */
export function Preview({ known, draft, token, today, ground }: PreviewProps) {
  if (!known.ok) {
    return (
      <div class="desk__preview">
        <h3>What it means</h3>
        <p class="quiet">{known.message}</p>
      </div>
    )
  }
  const { amountRaw, today: now, days, fee, year } = known.preview
  const money = (raw: bigint) => <Money amount={inToken(raw, token)} token={token} />
  // Of a yearly plan it may be the day after the twelve months.
  const next = firstDueDay(draft, Math.max(today, ground.nextUncheckedDay))
  return (
    <div class="desk__preview stack">
      <h3>What it means</h3>
      <p>
        {money(amountRaw)} {scheduleWords(draft)}
      </p>
      <Facts
        rows={[
          [
            'Who subscribes today pays',
            <>
              {money(now.total)} now
              <div class="quiet">
                {now.toProvider === 0n ? (
                  'all of it is put aside for those who collect'
                ) : (
                  <>
                    {money(now.toProvider)} reach you, {money(now.toFeeBalance)} are put aside
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
              means="Payments are collected by whoever makes the call, and earns this for it. It comes out of a part of the price that each subscriber puts aside at the start, and again when that has run out."
            >
              Collecting costs
            </Term>,
            <>
              {money(fee)} for each payment <span class="quiet">({feePercent(ground.callerFee)} %)</span>
            </>,
          ],
          [
            'In twelve months',
            <>
              one subscriber pays {money(year.paid)}; about {money(year.reachesYou)} of it reach you
              <div class="quiet">
                {money(year.collectors)} go to those who collect, {money(year.putAside)} are left put aside
              </div>
            </>,
          ],
        ]}
      />
      {ground.nextUncheckedDay < today ? (
        <Note kind="mind">
          <p>
            Collecting is behind: whoever subscribes before it has caught up can be charged for a due day that
            is late as well.
          </p>
        </Note>
      ) : null}
      <YearOfDays today={today} days={days} />
    </div>
  )
}
