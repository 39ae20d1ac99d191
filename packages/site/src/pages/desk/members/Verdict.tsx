import type { Member } from '@remit/client'
import { Badge } from '../../../design/Card.tsx'
import { Money } from '../../../design/Money.tsx'
import { dateWords } from '../../../words/time.ts'

/** Whether somebody's next payment comes, and where a later one does not, which and why. */
export function Verdict({ member: { nextCharge, trouble, subscription } }: { readonly member: Member }) {
  if (nextCharge === null) {
    return subscription.nextDue === null ? (
      <>none</>
    ) : (
      <>
        {dateWords(subscription.nextDue.dayNumber)} <Badge>not looked at yet</Badge>
      </>
    )
  }
  const { kind, words } = OUTCOMES[nextCharge.outcome] ?? { kind: undefined, words: nextCharge.outcome }
  return (
    <span class="desk__verdict">
      <span>
        {dateWords(nextCharge.dayNumber)} <Badge {...(kind === undefined ? {} : { kind })}>{words}</Badge>
      </span>
      {trouble === null ? null : (
        <span class="quiet">
          {trouble.dayNumber === nextCharge.dayNumber ? null : `${dateWords(trouble.dayNumber)}: `}
          {trouble.reason === 'blocked' ? (
            'the token refuses it'
          ) : (
            <Missing trouble={trouble} token={subscription.token} />
          )}
        </span>
      )}
    </span>
  )
}

const OUTCOMES: Readonly<
  Record<string, { readonly kind: 'good' | 'bad' | 'mind' | undefined; readonly words: string }>
> = {
  pays: { kind: 'good', words: 'Pays' },
  fails: { kind: 'bad', words: 'Will fail' },
  waits: { kind: 'mind', words: 'Waits' },
  skipped: { kind: undefined, words: 'Passed over' },
}

interface MissingProps {
  readonly trouble: NonNullable<Member['trouble']>
  readonly token: Member['subscription']['token']
}

/** What is short: money, the permission to take it, or both. */
function Missing({ trouble: { missing }, token }: MissingProps) {
  const { balance, allowance } = missing
  return (
    <>
      {balance.amountRaw === 0n ? null : (
        <>
          <Money amount={balance.amount} token={token} /> short
        </>
      )}
      {balance.amountRaw > 0n && allowance.amountRaw > 0n ? ', ' : null}
      {allowance.amountRaw === 0n ? null : (
        <>
          permission for <Money amount={allowance.amount} token={token} /> missing
        </>
      )}
    </>
  )
}
