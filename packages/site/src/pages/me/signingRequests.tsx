import type { Subscription, Token } from '@remit/client'
import { INFINITE_ALLOWANCE } from '@remit/protocol/allowance'
import { formatHuman } from '@remit/protocol/amounts'
import { Facts, Note } from '../../design/Card.tsx'
import { Money } from '../../design/Money.tsx'
import { Term } from '../../design/Term.tsx'
import { DueDay } from '../../design/When.tsx'
import { PlanName } from '../../plan/PlanName.tsx'
import { etherLack } from '../../signing/etherLack.ts'
import type { SigningRequest } from '../../signing/startSigning.ts'
import { RESERVE_MEANS } from '../../words/money.ts'
import { scheduleWords } from '../../words/schedule.ts'
import { handedOver } from './handOver/handOver.ts'

/** Leaving a plan. What is left of the fee balance goes to the provider: the contract has it so. */
export function leaveRequest(plan: Subscription): SigningRequest<'unsubscribe'> {
  const { id, token } = plan
  return {
    title: 'Leave this plan',
    verb: 'Leave',
    act: 'Leave the plan',
    isGrave: true,
    done: 'You have left.',
    asked: { flow: 'unsubscribe', request: { id } },
    review: ({ preflight }) => (
      <>
        <p>
          <strong>
            <PlanName plan={plan} isLinked={false} />
          </strong>
          : <Money amount={plan.amount} token={token} /> {scheduleWords(plan)}. Once you have left, nothing
          more is taken for it. What you have paid is not given back.
        </p>
        {preflight === undefined ? null : (
          <Facts
            rows={[
              [
                'Goes to the provider',
                <>
                  <Money amount={preflight.feeBalance.amount} token={token} />{' '}
                  <span class="quiet">
                    of what you paid: what is left of your{' '}
                    <Term means={RESERVE_MEANS}>collecting reserve</Term>
                  </span>
                </>,
              ],
              [
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
    receipt: ({ refunded }) => (
      <Note kind="good">
        <p>
          <strong>You have left.</strong> Nothing more is taken for this plan.{' '}
          <Money amount={refunded.amount} token={token} /> of your collecting reserve went to the provider.
        </p>
      </Note>
    ),
  }
}

/** Extending the permission of a token, for all that draws on it. */
export function extendRequest(token: Token, approvalPeriods: number): SigningRequest<'extendCoverage'> {
  return {
    title: 'Extend your permission',
    verb: 'Extend',
    act: 'Set the new permission',
    done: 'Your permission is extended.',
    asked: { flow: 'extendCoverage', request: { token: token.address, approvalPeriods } },
    review: ({ preflight }) => {
      const { allowance, subscriptions = [] } = preflight ?? {}
      const short = subscriptions.filter(({ covers }) => covers.limitedBy === 'balance')
      return (
        <>
          <p>
            Nothing is paid now. You let the protocol take more in all, so that each running subscription
            lasts for {approvalPeriods} payments. Only what you subscribe to can use it.
          </p>
          {allowance ? (
            <Facts
              rows={[
                ['Permission now', <Permission key="now" raw={allowance.current.amountRaw} token={token} />],
                [
                  'Permission then',
                  <Permission key="then" raw={allowance.proposed.amountRaw} token={token} />,
                ],
                allowance.coversUntil === null
                  ? undefined
                  : ['It does until', <DueDay key="until" day={allowance.coversUntil} />],
              ]}
            />
          ) : null}
          {short.map(({ id, covers }) => (
            <Note key={id} kind="mind">
              <p>
                By what your wallet holds today the money ends sooner:{' '}
                {covers.until === null ? (
                  'it does not do for the next payment.'
                ) : (
                  <>
                    the last payment that it does for is on <DueDay day={covers.until} />.
                  </>
                )}
              </p>
            </Note>
          ))}
        </>
      )
    },
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
          <strong>Your permission is extended.</strong>{' '}
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

/** Taking the permission of a token back, which ends what draws on it. */
export function revokeRequest(token: Token, count: number): SigningRequest<'revokeAllowance'> {
  return {
    title: 'Take the permission back',
    verb: 'Take it back',
    act: 'Set the permission to nothing',
    isGrave: count > 0,
    done: 'The permission is taken back.',
    asked: { flow: 'revokeAllowance', request: { token: token.address } },
    review: ({ preflight }) => {
      const draws = preflight?.sharedWithCount ?? count
      return (
        <>
          <p>
            The protocol may then take nothing more of this token from your wallet
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
                {counted(draws, 'running subscription needs', 'running subscriptions need')} it. The next
                payment of each will fail, and that ends it. Its collecting reserve is not paid back. To end
                only one, leave it instead.
              </p>
            </Note>
          )}
        </>
      )
    },
    receipt: () => (
      <Note kind="good">
        <p>
          <strong>The permission is taken back.</strong> The protocol may take nothing of this token from your
          wallet.
        </p>
      </Note>
    ),
  }
}

function Permission({ raw, token }: { readonly raw: bigint; readonly token: Token }) {
  if (raw >= INFINITE_ALLOWANCE) return <>no limit</>
  return <Money amount={formatHuman(raw, token.decimals)} token={token} />
}

function counted(count: number, one: string, many: string): string {
  return `${count === 1 ? 'One' : count} ${count === 1 ? one : many}`
}
