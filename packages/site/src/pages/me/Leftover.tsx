import { useSignal } from '@preact/signals'
import type { GetAccountOutlookAnswer, Token } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { useEffect } from 'preact/hooks'
import { Button } from '../../design/Button.tsx'
import { Note } from '../../design/Card.tsx'
import { Money } from '../../design/values/Money.tsx'
import { answerNow } from '../../page/live.ts'
import type { OutcomeOf } from '../../pending/sendAndWatch.ts'
import { askToSign } from '../../signing/SigningDialog.tsx'
import { signer } from '../../signing/startSigning.ts'
import { readAllowance } from '../../wallet/tokenReads.ts'
import { isEndless, symbolOf } from '../../words/money.ts'
import type { Membership } from './memberships.ts'
import { revokeRequest } from './revokeRequest.tsx'

// Permissions (the allowance of a token for the contract) that remain when their subscriptions have ended.

/**
 * A permission that no subscription needs any more, and the way to take it back. How much it still permits is read from the wallet's
 * own node. Where that fails the note stands all the same, and the review tells the amount.
 */
function Leftover({ token }: { readonly token: Token }) {
  /** What the contract may still take, in the token's smallest unit; `undefined` until it was read. */
  const permitted = useSignal<bigint | 'unknown' | undefined>(undefined)
  const read = () => {
    const now = signer.peek()
    if (now === undefined) return
    readAllowance(now, token.address).then(
      (amount) => {
        permitted.value = amount
      },
      () => {
        permitted.value = 'unknown'
      },
    )
  }
  useEffect(read, [signer.value, token.address])
  const { value } = permitted
  if (value === undefined || value === 0n) return null
  return (
    <Note kind="mind">
      <p>
        {value === 'unknown' ? (
          <>
            The contract may still be allowed to take <bdi>{symbolOf(token)}</bdi> from your wallet.
          </>
        ) : (
          <>
            The contract may still take{' '}
            {isEndless({ amountRaw: value }) ? (
              <>
                any amount of <bdi>{symbolOf(token)}</bdi>
              </>
            ) : (
              <Money amount={formatHuman(value, token.decimals)} token={token} rounding="up" />
            )}{' '}
            from your wallet.
          </>
        )}{' '}
        No subscription of yours needs this permission any more.
      </p>
      <Button isSmall onClick={() => askToSign({ ...revokeRequest(token, 0), onDone: read })}>
        Take it back …
      </Button>
    </Note>
  )
}

/** All of them on the page, each until it is taken back. @param rows the subscriptions that have ended */
export function Leftovers({ rows }: { readonly rows: readonly Membership[] }) {
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

/** The tokens that only ended subscriptions were paid in. Those that still pay for something have a card of their own. */
function unusedTokens(rows: readonly Membership[], { wallet }: GetAccountOutlookAnswer): Token[] {
  const used = new Set<string>(wallet.tokens.map(({ token }) => token.address))
  const unused = rows
    .map(({ subscription }) => subscription.token)
    .filter(({ address }) => !used.has(address))
  return [...new Map(unused.map((token) => [token.address, token])).values()]
}

interface LeftProps {
  /** What came of leaving. */
  readonly left: OutcomeOf<'unsubscribe'>
  readonly token: Token
  /** Whether no other subscription of the wallet draws on the permission. */
  readonly isLast: boolean
}

/** The receipt of leaving a plan, and the permission that stays. */
export function Left({ left: { refunded }, token, isLast }: LeftProps) {
  return (
    <>
      <Note kind="good">
        <p>
          <strong>You have left.</strong> Nothing more is taken for this plan.{' '}
          {refunded.amountRaw === 0n ? null : (
            <>
              What was left of your collecting reserve, <Money amount={refunded.amount} token={token} />, went
              to the provider.
            </>
          )}
        </p>
      </Note>
      {isLast ? <Leftover token={token} /> : null}
    </>
  )
}

/** For a wallet without ether, which cannot leave: taking the permission back stops payments too, and somebody else can send that. */
export function LeaveWithoutEther({ token }: { readonly token: Token }) {
  return (
    <Note>
      <p>
        Without ETH you can stop the payments all the same: sign that the permission is taken back, and
        somebody else carries it. The next payment then fails, and that ends the subscription.
      </p>
      <Button isSmall onClick={() => askToSign(revokeRequest(token, 1))}>
        Take the permission back …
      </Button>
    </Note>
  )
}
