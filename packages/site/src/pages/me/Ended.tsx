import type { GetAccountOutlookAnswer, Token } from '@remit/client'
import { dayNumberAt } from '@remit/protocol/calendar'
import { Button } from '../../design/Button.tsx'
import { Money } from '../../design/Money.tsx'
import { answerNow } from '../../page/live.ts'
import { PlanName } from '../../plan/PlanName.tsx'
import { askToSign } from '../../signing/SigningDialog.tsx'
import { isMine } from '../../subject/subject.ts'
import { ENDINGS, endingWords } from '../../words/endings.ts'
import { symbolOf } from '../../words/money.ts'
import { scheduleWords } from '../../words/schedule.ts'
import { strangersText } from '../../words/strangersText.ts'
import { dateWords } from '../../words/time.ts'
import { type Membership, membershipOf } from './memberships.ts'
import { PastPayments } from './PastPayments.tsx'
import { revokeRequest } from './signingRequests.tsx'

/** What does not run any more, out of the way. */
export function Ended({ rows }: { readonly rows: readonly Membership[] }) {
  return (
    <details class="card">
      <summary>
        {rows.length === 1 ? 'One subscription has ended' : `${rows.length} subscriptions have ended`}
      </summary>
      <ul class="me__ended">
        {rows.map(({ subscription }) => (
          <li key={subscription.id} class="stack-small">
            <p>
              <strong>
                <PlanName plan={subscription} />
              </strong>
            </p>
            <p class="quiet">
              <Money amount={subscription.amount} token={subscription.token} /> {scheduleWords(subscription)}.{' '}
              <HowEnded subscription={subscription} />
            </p>
            <PastPayments plan={subscription} />
          </li>
        ))}
      </ul>
      {isMine.value ? <Leftovers rows={rows} /> : null}
    </details>
  )
}

/** Who ended it, why and when; of those behind the first ten, "Past payments" says so. */
function HowEnded({ subscription }: Pick<Membership, 'subscription'>) {
  const membership = membershipOf(subscription)
  if (membership === undefined) return subscription.cancelled ? <>{ENDINGS.cancelled}.</> : null
  const { state, since } = membership
  // An active member of a plan that was cancelled is one until it is cleaned up.
  return state === 'active' ? (
    <>{ENDINGS.cancelled}.</>
  ) : (
    <>
      {endingWords(state)}, {dateWords(dayNumberAt(since.timestamp))}.
    </>
  )
}

/** A permission outlives what it was given for. How much is left is read when somebody looks. */
function Leftovers({ rows }: { readonly rows: readonly Membership[] }) {
  const outlook = answerNow('outlook', 'getAccountOutlook')
  const tokens = outlook === undefined ? [] : unusedTokens(rows, outlook)
  return (
    <>
      {tokens.map((token) => (
        <p key={token.address} class="row me__leftover">
          A permission that you gave for <bdi>{strangersText(symbolOf(token), 12)}</bdi> may be left.
          <Button isSmall onClick={() => askToSign(revokeRequest(token, 0))}>
            Take back what is left …
          </Button>
        </p>
      ))}
    </>
  )
}

/** Those that nothing draws on any more. The others stand on the page with what is left of them. */
function unusedTokens(rows: readonly Membership[], { wallet }: GetAccountOutlookAnswer): Token[] {
  const used = new Set<string>(wallet.tokens.map(({ token }) => token.address))
  const unused = rows
    .map(({ subscription }) => subscription.token)
    .filter(({ address }) => !used.has(address))
  return [...new Map(unused.map((token) => [token.address, token])).values()]
}
