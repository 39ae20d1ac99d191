import type { CheckSubscribeReadinessByIdAnswer, SubscribeReadiness, Subscription } from '@remit/client'
import { short } from '../../../design/Address.tsx'
import { Button } from '../../../design/Button.tsx'
import { Facts, Note } from '../../../design/Card.tsx'
import { Field } from '../../../design/Field.tsx'
import { Money } from '../../../design/Money.tsx'
import { Term } from '../../../design/Term.tsx'
import { DueDay } from '../../../design/When.tsx'
import { linkTo } from '../../../page/api.ts'
import { periodWord } from '../../../words/schedule.ts'
import { type Day, dayWords } from '../../../words/time.ts'
import type { SubscribeFlow } from '../flow/flow.ts'
import { Warnings } from './Warnings.tsx'

/** How many payments the permission may be asked to last for. */
const CHOICES = [3, 6, 12, 24]

interface WalletTermsProps {
  readonly flow: SubscribeFlow
  readonly plan: Subscription
  readonly answer: CheckSubscribeReadinessByIdAnswer
  readonly isStale: boolean
}

/** What subscribing means for the wallet that is connected, before anything is prepared. */
export function WalletTerms({ flow, plan, answer, isStale }: WalletTermsProps) {
  const { details, warnings } = answer
  const { needsApproval, balance, proposedAllowance } = details
  const periods = flow.answeredPeriods.value
  return (
    <div class="stack" aria-busy={isStale}>
      <Facts
        rows={[
          ['You hold', <Money key="hold" amount={balance.amount} token={plan.token} />],
          [
            <Term
              key="word"
              means="Your wallet lets the contract take payments up to this sum, without asking you each time. It is more than today’s amount because it is for the payments to come. The contract takes only what is due: nobody can take the whole sum at once."
            >
              Your permission
            </Term>,
            needsApproval ? (
              <>
                up to <Money amount={proposedAllowance.amount} token={plan.token} />
                <span class="timeline__note">
                  today’s part and {periods} payments
                  {sharesWords(details, periods)}. It is not taken at once.
                </span>
              </>
            ) : (
              'What you have given already is enough.'
            ),
          ],
          ['It lasts', <Lasting key="lasts" details={details} />],
        ]}
      />
      {needsApproval ? (
        <Field label="Let the permission last for" hint="Later you can extend it, or take it back.">
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
      ) : null}
      <OtherSubscriptions flow={flow} details={details} />
      <Warnings warnings={warnings} plan={plan} />
      <Button kind="primary" isWide isOff={isStale} onClick={() => void flow.review()}>
        Review
      </Button>
      <p class="quiet">You see exactly what you would sign before you sign it.</p>
    </div>
  )
}

/** What the permission is for beside this subscription, where it is for more. */
function sharesWords(details: SubscribeReadiness, periods: number): string {
  const { firstCharge, requiredAmount, proposedAllowance } = details
  const own =
    firstCharge.toFeeBalance.amountRaw +
    firstCharge.toProvider.amountRaw +
    requiredAmount.amountRaw * BigInt(periods)
  return proposedAllowance.amountRaw > own ? ', and what your other subscriptions take meanwhile' : ''
}

/** How long it is paid for by what the wallet holds and allows. */
function Lasting({ details: { covers } }: { readonly details: SubscribeReadiness }) {
  if (covers === null) return <>not at all</>
  const { periods, until, limitedBy, failsOn } = covers
  if (periods === null) return <>as long as your wallet holds enough</>
  if (periods === 0 || until === null) return <>for today’s part only: the first whole payment would fail</>
  return (
    <>
      for {periods === 1 ? 'one payment' : `${periods} payments`}, the last on <DueDay day={until} />
      {failsOn === null ? null : (
        <span class="timeline__note">
          Then {limitedBy === 'balance' ? 'your wallet is empty' : 'the permission is used up'}: without more,
          you are unsubscribed on <DueDay day={failsOn} />.
        </span>
      )}
    </>
  )
}

/** What it does to the wallet's other subscriptions in the same token. */
function OtherSubscriptions({
  flow,
  details,
}: {
  readonly flow: SubscribeFlow
  readonly details: SubscribeReadiness
}) {
  const { alsoAffects } = details
  const { keepCoverage } = flow.wish.value
  if (alsoAffects.length === 0 && !keepCoverage) return null
  return (
    <Note kind={alsoAffects.length === 0 ? 'good' : 'mind'}>
      {alsoAffects.length === 0 ? (
        <p>Your other subscriptions last as long as before.</p>
      ) : (
        <>
          <p>
            It draws on the same balance and permission as your other subscriptions. So these are paid for
            until another day:
          </p>
          <ul class="stack-small">
            {alsoAffects.map(({ id, before, after }) => (
              <li key={id}>
                <a href={linkTo(`/plans/${id}`)}>
                  <code>{short(id)}</code>
                </a>
                : {untilWords(before)}, with this one {untilWords(after)}
              </li>
            ))}
          </ul>
        </>
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={keepCoverage}
          onChange={({ currentTarget }) => flow.wishFor({ keepCoverage: currentTarget.checked })}
        />
        Ask for a larger permission, so that the others keep theirs
      </label>
    </Note>
  )
}

function untilWords({ periods, until }: { periods: number | null; until: Day | null }): string {
  if (periods === null) return 'without end'
  return until === null ? 'not even the next payment' : `until ${dayWords(until)}`
}
