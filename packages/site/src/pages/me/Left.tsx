import type { Token } from '@remit/client'
import { Note } from '../../design/Card.tsx'
import { Money } from '../../design/Money.tsx'
import type { OutcomeOf } from '../../pending/sendAndWatch.ts'
import { Leftover } from './Leftover.tsx'

interface LeftProps {
  readonly left: OutcomeOf<'unsubscribe'>
  readonly token: Token
  /** Whether no other subscription of the wallet draws on the permission. */
  readonly isLast: boolean
}

/** What leaving has come to, and the permission that stays. */
export function Left({ left: { refunded }, token, isLast }: LeftProps) {
  return (
    <>
      <Note kind="good">
        <p>
          <strong>You have left.</strong> Nothing more is taken for this plan.{' '}
          <Money amount={refunded.amount} token={token} /> of your collecting reserve went to the provider.
        </p>
      </Note>
      {isLast ? <Leftover token={token} /> : null}
    </>
  )
}
