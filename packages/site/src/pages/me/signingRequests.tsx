import type { Subscription, Token } from '@remit/client'
import { Facts, Note } from '../../design/Card.tsx'
import { later } from '../../design/later.tsx'
import { Term } from '../../design/Term.tsx'
import { Money } from '../../design/values/Money.tsx'
import { PlanName } from '../../plan/PlanName.tsx'
import { etherLack } from '../../signing/etherLack.ts'
import type { SigningRequest } from '../../signing/startSigning.ts'
import { RESERVE_MEANS } from '../../words/money.ts'
import { scheduleWords } from '../../words/schedule.ts'
import { handedOver } from './handOver/handOver.ts'
import { counted, Permission } from './Permission.tsx'

// Chunks of their own, needed once somebody extends, has left, or lacks ether.
const ExtendReview = later(async () => (await import('./ExtendReview.tsx')).ExtendReview)
const Left = later(async () => (await import('./Leftover.tsx')).Left)
const LeaveWithoutEther = later(async () => (await import('./Leftover.tsx')).LeaveWithoutEther)

/**
 * Leaving a plan. What is left of the collecting reserve goes to the provider, by the contract's rule.
 * @param isLast whether no other subscription of the wallet draws on the permission
 */
export function leaveRequest(plan: Subscription, isLast: boolean): SigningRequest<'unsubscribe'> {
  const { id, token } = plan
  return {
    title: 'Leave this plan',
    verb: 'Leave',
    act: 'Leave the plan',
    isGrave: true,
    done: 'You have left.',
    asked: { flow: 'unsubscribe', request: { id } },
    review: ({ preflight, warnings }) => (
      <>
        {isLast && etherLack(warnings, undefined) !== undefined ? <LeaveWithoutEther token={token} /> : null}
        <p>
          <strong>
            <PlanName plan={plan} isLinked={false} />
          </strong>
          : <Money amount={plan.amount} token={token} /> {scheduleWords(plan)}. Once you have left, nothing
          more is taken for it. What you have paid is not given back; whether you still get what it pays for
          is up to the provider. Only this subscription ends.
        </p>
        {preflight === undefined ? null : (
          <Facts
            rows={[
              [
                'Goes to the provider',
                preflight.feeBalance.amountRaw === 0n ? (
                  <>
                    nothing: your <Term means={RESERVE_MEANS}>collecting reserve</Term> is empty
                  </>
                ) : (
                  <>
                    <Money amount={preflight.feeBalance.amount} token={token} />{' '}
                    <span class="quiet">
                      of what you paid: what is left of your{' '}
                      <Term means={RESERVE_MEANS}>collecting reserve</Term>
                    </span>
                  </>
                ),
              ],
              preflight.allowance.amountRaw === 0n
                ? undefined
                : [
                    'Your permission stays',
                    <>
                      <Permission raw={preflight.allowance.amountRaw} token={token} />{' '}
                      <span class="quiet">
                        {preflight.sharedWithCount === 0
                          ? 'Nothing uses it any more. You can take it back afterwards.'
                          : `${counted(preflight.sharedWithCount, 'other subscription uses', 'other subscriptions use')} it.`}
                      </span>
                    </>,
                  ],
            ]}
          />
        )}
      </>
    ),
    receipt: (outcome) => <Left left={outcome} token={token} isLast={isLast} />,
  }
}

/**
 * Extending the permission of a token to so many payments of each subscription that draws on it.
 * @param isAgain whether the wallet allows nothing now
 */
export function extendRequest(
  token: Token,
  approvalPeriods: number,
  isAgain: boolean,
): SigningRequest<'extendCoverage'> {
  return {
    title: isAgain ? 'Allow payments again' : 'Extend your permission',
    verb: isAgain ? 'Allow' : 'Extend',
    act: 'Set the new permission',
    done: 'Your permission is extended.',
    asked: { flow: 'extendCoverage', request: { token: token.address, approvalPeriods } },
    review: (prepared) => (
      <ExtendReview prepared={prepared} token={token} approvalPeriods={approvalPeriods} />
    ),
    // For a wallet that cannot send: another dialog has it sign the permission alone, and gives a link by which somebody else sends it.
    signAlone: ({ preflight, warnings }) => {
      const { allowance } = preflight ?? {}
      if (!allowance) return undefined
      const most = allowance.proposed.amountRaw
      return () => {
        handedOver.value = { token, approvalPeriods, most, lack: etherLack(warnings, undefined) }
      }
    },
    receipt: ({ allowanceRaw }) => (
      <Note kind="good">
        <p>
          <strong>{isAgain ? 'Payments are allowed again.' : 'Your permission is extended.'}</strong>{' '}
          {allowanceRaw === null ? null : (
            <>
              It is <Permission raw={allowanceRaw} token={token} /> now.
            </>
          )}
        </p>
      </Note>
    ),
  }
}
