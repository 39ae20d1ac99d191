import type { Token } from '@remit/client'
import { Note } from '../../design/Card.tsx'
import type { PreparedOf } from '../../pending/sendAndWatch.ts'
import { Permission } from './Permission.tsx'

interface RevokeReviewProps {
  readonly prepared: PreparedOf<'revokeAllowance'>
  readonly token: Token
  /** How many subscriptions draw on the permission, where the answer does not say it. */
  readonly count: number
}

/** What taking a permission back would do. */
export function RevokeReview({ prepared: { preflight }, token, count }: RevokeReviewProps) {
  const draws = preflight?.sharedWithCount ?? count
  return (
    <>
      <p>
        The contract of the subscriptions may then take nothing more of this token from your wallet
        {preflight?.allowance ? (
          <>
            , instead of <Permission raw={preflight.allowance.amountRaw} token={token} />
          </>
        ) : null}
        .
      </p>
      {draws === 0 ? null : (
        <Note kind="bad">
          <p>
            {draws === 1
              ? 'One running subscription needs it. Its next payment will fail, and that ends the subscription. Its collecting reserve is not paid back. “Leave” ends it at once instead.'
              : `${draws} running subscriptions need it. The next payment of each will fail, and that ends it. Its collecting reserve is not paid back. To end only one, leave it instead.`}
          </p>
          <p>
            To make the permission smaller only, allow fewer payments right after this: “Allow payments again”
            stands beside the permission then.
          </p>
        </Note>
      )}
    </>
  )
}

/** The receipt, and for whoever wanted a smaller permission only, what to do next. */
export function Revoked({ count }: Pick<RevokeReviewProps, 'count'>) {
  return (
    <Note kind="good">
      <p>
        <strong>The permission is taken back.</strong> The contract may take nothing of this token from your
        wallet.
      </p>
      {count === 0 ? null : (
        <p>
          What is paid in it ends at its next payment, unless you allow payments again before: on this page,
          under the token’s name.
        </p>
      )}
    </Note>
  )
}
