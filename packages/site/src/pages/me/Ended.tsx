import { useSignal } from '@preact/signals'
import type { GetAccountOutlookAnswer, Token } from '@remit/client'
import { INFINITE_ALLOWANCE } from '@remit/protocol/allowance'
import { formatHuman } from '@remit/protocol/amounts'
import { dayNumberAt } from '@remit/protocol/calendar'
import { useEffect } from 'preact/hooks'
import { Button } from '../../design/Button.tsx'
import { Money } from '../../design/Money.tsx'
import { answerNow } from '../../page/live.ts'
import { PlanName } from '../../plan/PlanName.tsx'
import { askToSign } from '../../signing/SigningDialog.tsx'
import { signer } from '../../signing/startSigning.ts'
import { isMine } from '../../subject/subject.ts'
import { readAllowance } from '../../wallet/readAllowance.ts'
import { ENDINGS } from '../../words/endings.ts'
import { symbolOf } from '../../words/money.ts'
import { scheduleWords } from '../../words/schedule.ts'
import { dateWords } from '../../words/time.ts'
import { endingWords } from './endingWords.ts'
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
      {endingWords(state, isMine.value)}, {dateWords(dayNumberAt(since.timestamp))}.
    </>
  )
}

/** A permission outlives what it was given for. */
function Leftovers({ rows }: { readonly rows: readonly Membership[] }) {
  const outlook = answerNow('outlook', 'getAccountOutlook')
  const tokens = outlook === undefined ? [] : unusedTokens(rows, outlook)
  return (
    <>
      {tokens.map((token) => (
        <Leftover key={token.address} token={token} />
      ))}
    </>
  )
}

/** How much is left is read from the wallet's own node. Where that says nothing, the review does. */
function Leftover({ token }: { readonly token: Token }) {
  const left = useSignal<bigint | 'unknown' | undefined>(undefined)
  const read = () => {
    const now = signer.peek()
    if (now === undefined) return
    readAllowance(now, token.address).then(
      (amount) => {
        left.value = amount
      },
      () => {
        left.value = 'unknown'
      },
    )
  }
  useEffect(read, [signer.value, token.address])
  const { value } = left
  if (value === undefined || value === 0n) return null
  return (
    <p class="row me__leftover">
      <span>
        {value === 'unknown' ? (
          <>
            The contract may still be allowed to take <bdi>{symbolOf(token)}</bdi> from your wallet.
          </>
        ) : (
          <>
            The contract may still take{' '}
            {value >= INFINITE_ALLOWANCE ? (
              <>
                any amount of <bdi>{symbolOf(token)}</bdi>
              </>
            ) : (
              <Money amount={formatHuman(value, token.decimals)} token={token} />
            )}{' '}
            from your wallet.
          </>
        )}{' '}
        No subscription of yours needs this permission any more.
      </span>
      <Button isSmall onClick={() => askToSign({ ...revokeRequest(token, 0), onDone: read })}>
        Take it back …
      </Button>
    </p>
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
