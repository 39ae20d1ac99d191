import type { CoverageExtension, Token } from '@remit/client'
import { Facts, Note } from '../../design/Card.tsx'
import { DueDay } from '../../design/values/When.tsx'
import type { PreparedOf } from '../../pending/sendAndWatch.ts'
import { PlanName } from '../../plan/PlanName.tsx'
import { wholeAccount } from './memberships.ts'
import { counted, Permission } from './Permission.tsx'

interface ExtendReviewProps {
  readonly prepared: PreparedOf<'extendCoverage'>
  readonly token: Token
  readonly approvalPeriods: number
}

/** What a longer permission would do. */
export function ExtendReview({ prepared: { preflight }, token, approvalPeriods }: ExtendReviewProps) {
  const { allowance, subscriptions = [] } = preflight ?? {}
  const short = subscriptions.filter(
    ({ covers, allowanceCovers: { after } }) =>
      covers.limitedBy === 'balance' &&
      covers.periods !== null &&
      covers.periods < (after?.periods ?? Infinity),
  )
  return (
    <>
      <p>
        Nothing is paid now. You let the contract take more in all, so that{' '}
        {subscriptions.length === 1 ? 'your subscription' : 'each running subscription'} lasts for at least{' '}
        {approvalPeriods === 1 ? 'one payment' : `${approvalPeriods} payments`}
        {subscriptions.length === 1
          ? null
          : '; those that pay more often get more of them, up to the same day'}
        . Only what you subscribe to can use it.
      </p>
      {allowance ? (
        <Facts
          rows={[
            [
              'Permission now',
              <>
                <Permission raw={allowance.current.amountRaw} token={token} />{' '}
                <span class="quiet">{enoughNow(subscriptions)}</span>
              </>,
            ],
            ['Permission then', <Permission key="then" raw={allowance.proposed.amountRaw} token={token} />],
            allowance.coversUntil === null
              ? undefined
              : [
                  'The last payment that it is enough for',
                  <DueDay key="until" day={allowance.coversUntil} />,
                ],
          ]}
        />
      ) : null}
      {short.length === 0 ? null : (
        <Note kind="mind">
          <p>The money in your wallet ends sooner than this permission. As it stands now:</p>
          <ul>
            {short.map(({ id, covers }) => (
              <li key={id}>
                <Name id={id} />:{' '}
                {covers.until === null ? (
                  'not enough for the next payment'
                ) : (
                  <>
                    enough up to the payment of <DueDay day={covers.until} />
                  </>
                )}
              </li>
            ))}
          </ul>
        </Note>
      )}
    </>
  )
}

/** The plan of a subscription. */
function Name({ id }: { readonly id: string }) {
  const account = wholeAccount.value
  const rows = account.state === 'there' ? account.answer.subscribedTo : []
  const plan = rows.find(({ subscription }) => subscription.id === id)?.subscription
  return plan === undefined ? <>A plan</> : <PlanName plan={plan} isLinked={false} />
}

/** For how many payments a permission does today; of several subscriptions for the one that it does least for. */
function enoughNow(subscriptions: CoverageExtension['subscriptions']): string {
  const counts = subscriptions.flatMap(({ allowanceCovers: { before } }) => before?.periods ?? [])
  if (counts.length === 0) return ''
  const least = Math.min(...counts)
  const isOne = counts.length === 1
  const uncovered = counts.filter((count) => count === 0).length
  if (uncovered > 0)
    return isOne
      ? 'not enough for the next payment'
      : `not enough for the next payment of ${uncovered} of your ${counts.length} plans`
  const payments = counted(least, 'payment', 'payments').toLowerCase()
  return isOne ? `enough for ${payments}` : `enough for at least ${payments} of each plan`
}
