import type { CoverageExtension, Token } from '@remit/client'
import { Facts, Note } from '../../design/Card.tsx'
import { DueDay } from '../../design/values/When.tsx'
import type { PreparedOf } from '../../pending/sendAndWatch.ts'
import { counted, Permission } from './revokeRequest.tsx'

interface ExtendReviewProps {
  readonly prepared: PreparedOf<'extendCoverage'>
  readonly token: Token
  readonly approvalPeriods: number
}

/** What a longer permission would do. */
export function ExtendReview({ prepared: { preflight }, token, approvalPeriods }: ExtendReviewProps) {
  const { allowance, subscriptions = [] } = preflight ?? {}
  const short = subscriptions.filter(({ covers }) => covers.limitedBy === 'balance')
  return (
    <>
      <p>
        Nothing is paid now. You let the contract take more in all, so that each running subscription lasts
        for at least {approvalPeriods} payments; those that pay more often get more of them, up to the same
        day. Only what you subscribe to can use it.
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
              : ['Enough for all payments up to', <DueDay key="until" day={allowance.coversUntil} />],
          ]}
        />
      ) : null}
      {short.map(({ id, covers }) => (
        <Note key={id} kind="mind">
          <p>
            By what your wallet holds today the money ends sooner:{' '}
            {covers.until === null ? (
              'it is not enough for the next payment.'
            ) : (
              <>
                the last payment that it is enough for is on <DueDay day={covers.until} />.
              </>
            )}
          </p>
        </Note>
      ))}
    </>
  )
}

/** For how many payments a permission does today; of several subscriptions for the one that it does least for. */
function enoughNow(subscriptions: CoverageExtension['subscriptions']): string {
  const counts = subscriptions.flatMap(({ allowanceCovers: { before } }) => before?.periods ?? [])
  if (counts.length === 0) return ''
  const least = Math.min(...counts)
  return `enough for ${least === 0 ? 'no payment' : counted(least, 'payment', 'payments').toLowerCase()}${counts.length === 1 ? '' : ' of the one that ends first'}`
}
