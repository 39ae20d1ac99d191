import type { Subscription } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { dateOf } from '@remit/protocol/calendar'
import { Money } from '../../../design/values/Money.tsx'
import { DueDay } from '../../../design/values/When.tsx'
import { periodWord } from '../../../words/schedule.ts'
import { firstLater, takenSoon } from '../terms/charges.ts'
import { soonWords } from '../terms/soonWords.ts'

interface DueNowProps {
  readonly plan: Subscription
  /** What is taken at once, in the token's smallest unit; `undefined` where it is not known. */
  readonly now: bigint | undefined
  /** The day of the chain's clock. */
  readonly today: number | undefined
}

/** The two sums that matter most: what is paid today, and what each period from then on. */
export function DueNow({ plan, now, today }: DueNowProps) {
  const next = firstLater(plan, today)
  const soon = takenSoon(plan, today)
  const money = (raw: bigint, isLarge = false) => (
    <Money amount={formatHuman(raw, plan.tokenDecimals)} token={plan.token} isLarge={isLarge} />
  )
  return (
    <dl class="due-now">
      <div class="due-now__today">
        <dt>
          Today
          {now === undefined || soon === 0n ? null : (
            <span class="due-now__from">
              {money(now)} at once, and {money(soon)} for {soonWords(plan, today)}, as soon as somebody
              collects
            </span>
          )}
        </dt>
        <dd>{now === undefined ? 'told before you sign' : money(now + soon, true)}</dd>
      </div>
      <div>
        <dt>
          Then every {periodWord(plan)}
          {next === undefined ? null : (
            <span class="due-now__from">
              from <DueDay day={{ dayNumber: next.dayNumber, date: dateOf(next.dayNumber) }} today={today} />
            </span>
          )}
        </dt>
        <dd>
          <Money amount={plan.amount} token={plan.token} />
        </dd>
      </div>
    </dl>
  )
}
