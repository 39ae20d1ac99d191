import type { Member } from '@remit/client'
import { Badge } from '../../../design/Card.tsx'
import { Money } from '../../../design/values/Money.tsx'
import { chainNow } from '../../../page/live.ts'
import { type Day, dateWords, daysAwayWords } from '../../../words/time.ts'
import { isSoon } from './isSoon.ts'

/** Whether a member's next payment will succeed, and if a later one will not, which and why. */
export function Verdict({
  member: { nextCharge, trouble, subscription, paidThrough },
}: {
  readonly member: Member
}) {
  if (nextCharge === null) {
    return subscription.nextDue === null ? (
      <>none</>
    ) : (
      <>
        <Dated day={subscription.nextDue} /> <Badge>not looked at yet</Badge>
      </>
    )
  }
  const isLater = trouble !== null && trouble.dayNumber !== nextCharge.dayNumber
  const isUrgent = isSoon({ trouble, nextCharge }, chainNow.value?.today ?? 0)
  const { kind, words } =
    isLater && isUrgent && nextCharge.outcome === 'pays'
      ? { kind: 'mind' as const, words: 'Pays this one' }
      : (OUTCOMES[nextCharge.outcome] ?? { kind: undefined, words: nextCharge.outcome })
  return (
    <span class="desk__verdict">
      <span>
        <Dated day={nextCharge} /> <Badge {...(kind === undefined ? {} : { kind })}>{words}</Badge>
      </span>
      {/* Whoever joins while a day is late pays for it too, and has paid through a later day at once. */}
      {paidThrough !== null && nextCharge.dayNumber < paidThrough.dayNumber ? (
        <span class="quiet">was due before they joined, and is taken all the same</span>
      ) : null}
      {trouble === null ? null : (
        <span class="quiet">
          {isLater ? (
            <>
              {isUrgent ? 'Will fail' : 'Not enough for'}: <Dated day={trouble} />.{' '}
            </>
          ) : null}
          {trouble.reason === 'blocked' ? (
            'The token refuses it.'
          ) : (
            <Missing missing={trouble.missing} token={subscription.token} />
          )}
        </span>
      )}
    </span>
  )
}

/** A date with how far away it is: "26 Nov 2026, today". Of a payment that is late it says that. */
function Dated({ day }: { readonly day: Day }) {
  const { today } = chainNow.value ?? {}
  const away =
    today === null || today === undefined
      ? undefined
      : day.dayNumber < today
        ? 'late'
        : daysAwayWords(day, today)
  return (
    <time dateTime={day.date} title="A day in UTC.">
      {dateWords(day.dayNumber)}
      {away === undefined ? null : `, ${away}`}
    </time>
  )
}

/** By the API's outcome of the next payment. */
const OUTCOMES: Readonly<
  Record<string, { readonly kind: 'good' | 'bad' | 'mind' | undefined; readonly words: string }>
> = {
  pays: { kind: 'good', words: 'Pays' },
  fails: { kind: 'bad', words: 'Will fail' },
  waits: { kind: 'mind', words: 'Waits' },
  skipped: { kind: undefined, words: 'Passed over' },
}

interface MissingProps {
  readonly missing: NonNullable<Member['trouble']>['missing']
  readonly token: Member['subscription']['token']
}

/** What is missing: money, the permission to take it, or both. They are mended in different places. */
export function Missing({ missing: { balance, allowance }, token }: MissingProps) {
  return (
    <>
      {balance.amountRaw === 0n ? null : (
        <span class="desk__missing">
          Too little money: <Money amount={balance.amount} token={token} rounding="up" /> missing
        </span>
      )}
      {allowance.amountRaw === 0n ? null : (
        <span class="desk__missing">
          Permission too small: <Money amount={allowance.amount} token={token} rounding="up" /> missing
        </span>
      )}
    </>
  )
}
