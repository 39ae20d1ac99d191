import type { CheckSubscribeReadinessByIdAnswer, SubscribeReadiness, Subscription } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { Button } from '../../../design/Button.tsx'
import { Facts, Note } from '../../../design/Card.tsx'
import { Field } from '../../../design/Field.tsx'
import { Term } from '../../../design/Term.tsx'
import { Money } from '../../../design/values/Money.tsx'
import { DueDay } from '../../../design/values/When.tsx'
import { isEndless } from '../../../words/money.ts'
import { coveredThrough, FAR_DAYS } from '../../../words/outlook.ts'
import { periodWord } from '../../../words/schedule.ts'
import type { SubscribeFlow } from '../flow/flow.ts'
import { takenSoon } from '../terms/charges.ts'
import { EndsSooner } from '../terms/EndsSooner.tsx'
import { worsened } from '../terms/worsened.ts'
import { MainAct } from './MainAct.tsx'
import { Warnings } from './Warnings.tsx'

/** How many payments the permission may be asked to last for. */
const CHOICES = [3, 6, 12, 24]

interface WalletTermsProps {
  readonly flow: SubscribeFlow
  readonly plan: Subscription
  readonly answer: CheckSubscribeReadinessByIdAnswer
  /** The readiness is being read again, so the button to the review is off. */
  readonly isStale: boolean
}

/** The panel before the review: what subscribing means for the connected wallet, and for how long it allows payments. */
export function WalletTerms({ flow, plan, answer, isStale }: WalletTermsProps) {
  const { details, warnings } = answer
  const { needsApproval, allowance, balance, proposedAllowance } = details
  const alone = allowedAlone(details, flow.answeredPeriods.value)
  return (
    <div class="stack" aria-busy={isStale}>
      {isEndless(allowance) ? null : (
        <Allowing
          flow={flow}
          plan={plan}
          most={needsApproval ? proposedAllowance.amount : undefined}
          alone={alone}
          beyond={
            proposedAllowance.amountRaw <= alone ? 'nothing' : flow.keepsOthers.value ? 'kept' : 'meanwhile'
          }
        />
      )}
      <Facts
        rows={[
          ['You hold', <Money key="hold" amount={balance.amount} token={plan.token} rounding="down" />],
          isEndless(allowance) ? ['Permission', 'without limit: you have given it already'] : undefined,
          [
            'Covered through',
            <Lasting
              key="lasts"
              details={details}
              asked={flow.answeredPeriods.value}
              today={flow.today.value}
            />,
          ],
        ]}
      />
      <Others flow={flow} details={details} />
      <Warnings warnings={warnings} plan={plan} today={flow.today.value} />
      <MainAct>
        <Button kind="primary" isWide isOff={isStale} onClick={() => void flow.review()}>
          Review
        </Button>
      </MainAct>
      <p class="quiet">You see exactly what you would sign before you sign it.</p>
    </div>
  )
}

interface AllowingProps extends Pick<WalletTermsProps, 'flow' | 'plan'> {
  /** The permission that is asked for, in the token; `undefined` where the one that is there does. */
  readonly most: string | undefined
  /** What this plan alone takes, in the token's smallest unit. */
  readonly alone: bigint
  /** What more it is for: what the wallet's other plans take meanwhile, or what they need to last as long as before (`kept`). */
  readonly beyond: 'nothing' | 'meanwhile' | 'kept'
}

/** For how many payments the permission is to last, and how much that is. */
export function Allowing({ flow, plan, most, alone, beyond }: AllowingProps) {
  const isFirstDue = takenSoon(plan, flow.today.value) > 0n
  const payments = `${flow.answeredPeriods.value} payments`
  return (
    <Field
      label="Allow payments for"
      hint={
        <>
          {most === undefined ? (
            'The permission that you have given already is enough for that: nothing more is asked for. '
          ) : (
            <>
              Up to <Money amount={most} token={plan.token} rounding="up" /> in all
              {beyond === 'kept' ? (
                <>
                  . For {payments} of this plan alone{' '}
                  <Money amount={formatHuman(alone, plan.tokenDecimals)} token={plan.token} rounding="up" />{' '}
                  would do; but your others are to last as long as now, and until then this plan is paid out
                  of the same permission
                </>
              ) : (
                <>
                  : today’s part and {payments}
                  {isFirstDue ? ', the first of which is due already' : null}
                  {beyond === 'meanwhile' ? (
                    <>
                      , and what your other subscriptions take up to the last of these. For this plan alone{' '}
                      <Money
                        amount={formatHuman(alone, plan.tokenDecimals)}
                        token={plan.token}
                        rounding="up"
                      />{' '}
                      would do
                    </>
                  ) : null}
                </>
              )}
              .{' '}
            </>
          )}
          <Term means="Your wallet lets the contract take payments up to this sum, without asking you each time. The contract takes only what is due, when it is due: nobody can take the whole sum at once.">
            Nothing of it is taken early.
          </Term>{' '}
          You can extend it or take it back.
        </>
      }
    >
      {(control) => (
        <select
          {...control}
          value={String(flow.wish.value.periods)}
          onChange={({ currentTarget }) => flow.wishFor({ periods: Number(currentTarget.value) })}
        >
          {CHOICES.map((periods) => (
            <option key={periods} value={String(periods)}>
              {periods} payments ({periods} {periodWord(plan)}s)
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** How large a permission this subscription alone needs for so many payments, in the token's smallest unit. */
export function allowedAlone(
  { firstCharge, requiredAmount }: Pick<SubscribeReadiness, 'firstCharge' | 'requiredAmount'>,
  periods: number,
): bigint {
  const { toFeeBalance, toProvider } = firstCharge
  return toFeeBalance.amountRaw + toProvider.amountRaw + requiredAmount.amountRaw * BigInt(periods)
}

interface LastingProps {
  readonly details: SubscribeReadiness
  /** For how many payments the permission is to last. It lasts longer where it was larger already, or is kept so for others. */
  readonly asked: number
  /** The day of the chain's clock. */
  readonly today: number | undefined
}

/** How long the wallet's money and permission last for this subscription. */
function Lasting({ details: { covers, alsoAffects }, asked, today }: LastingProps) {
  if (covers === null) return <>nothing yet</>
  const { periods, limitedBy, failsOn } = covers
  if (periods === null || failsOn === null) return <>as long as your wallet holds enough</>
  if (today !== undefined && failsOn.dayNumber - today > FAR_DAYS) return <>more than 10 years from now</>
  const through = coveredThrough(covers)
  if (through === undefined) return <>today’s part only: the first whole payment would fail</>
  return (
    <>
      <DueDay day={through} />
      <span class="timeline__note">
        {periods === 1 ? 'One payment' : `${periods} payments`}
        {periods > asked
          ? ': what you hold and allow in this token is shared by all your subscriptions'
          : null}
        . Then {limitedBy === 'balance' ? 'your money' : 'the permission'} is used up, and without more it
        ends on <DueDay day={failsOn} />.
        {alsoAffects.length === 0
          ? null
          : ' Your other subscriptions in this token use it too, and may end earlier: “My subscriptions” tells when.'}
      </span>
    </>
  )
}

interface OthersProps {
  readonly flow: SubscribeFlow
  readonly details: SubscribeReadiness
}

/** The wallet's other subscriptions that would end sooner: which, what runs out, and what can be done about it. */
function Others({ flow, details }: OthersProps) {
  const worse = worsened(details, flow.today.value ?? 0)
  const canKeep = flow.canKeep.value
  if (worse.length === 0 && !canKeep) return null
  return (
    <Note kind={worse.length === 0 ? 'good' : 'mind'}>
      {worse.length === 0 ? <p>Your other subscriptions last as long as before.</p> : null}
      <EndsSooner rows={worse} answers={flow.others.value} />
      {canKeep ? (
        <label class="check">
          <input
            type="checkbox"
            checked={flow.wish.value.keepCoverage ?? true}
            onChange={({ currentTarget }) => flow.wishFor({ keepCoverage: currentTarget.checked })}
          />
          Allow more, so that the others last as long as before
        </label>
      ) : null}
    </Note>
  )
}
