import type { Subscription } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { dateOf } from '@remit/protocol/calendar'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { openerOrigin } from '../../../button/opener.ts'
import { Address, Hash } from '../../../design/Address.tsx'
import { Button } from '../../../design/Button.tsx'
import { Card, Facts } from '../../../design/Card.tsx'
import { Money } from '../../../design/Money.tsx'
import { DueDay } from '../../../design/When.tsx'
import { linkTo } from '../../../page/api.ts'
import type { Done } from '../flow/flow.ts'
import { comingCharges } from '../terms/charges.ts'
import { NextPayment, Payment, useMembership } from './membership.tsx'
import { Pass } from './Pass.tsx'
import { Return } from './Return.tsx'

interface ReceiptProps {
  readonly plan: Subscription
  readonly outcome: Done
  /** The wallet that has subscribed. */
  readonly address: string
  readonly today: number | undefined
  readonly domain: string | undefined
}

/** What has happened, to be kept; and what is collected while the page stays open. */
export function Receipt({ plan, outcome, address, today, domain }: ReceiptProps) {
  const title = useRef<HTMLHeadingElement>(null)
  // With the words that take the place of a button that is gone, so that no key is lost between the two.
  useLayoutEffect(() => title.current?.focus(), [])
  const { toFeeBalance, toProvider } = outcome.firstCharge
  const taken = formatHuman(toFeeBalance.amountRaw + toProvider.amountRaw, plan.tokenDecimals)
  const [next] = comingCharges(plan, 1)
  const known = useMembership(plan, address, outcome.transactions.at(-1)?.blockNumber).value
  const membership = known.state === 'there' ? known.answer : undefined
  const last = membership?.lastPayment
  const isCollected =
    last !== undefined && !outcome.transactions.some(({ hash }) => hash === last.transactionHash)
  const opener = openerOrigin.value
  return (
    <Card>
      <div class="stack">
        <h2 ref={title} tabIndex={-1} class="receipt__title">
          <span class="receipt__mark" aria-hidden="true">
            ✓
          </span>
          You are subscribed
        </h2>
        <Facts
          rows={[
            ['Wallet', <Address key="wallet" address={address} />],
            ['Paid at once', <Money key="paid" amount={taken} token={plan.token} />],
            isCollected
              ? ['Collected', <Payment key="collected" payment={last} token={plan.token} />]
              : undefined,
            [
              'Next payment',
              isCollected && membership !== undefined ? (
                <NextPayment charge={membership.nextCharge} today={today} />
              ) : next === undefined ? (
                'none'
              ) : (
                <>
                  <Money amount={plan.amount} token={plan.token} />
                  {', '}
                  {next.isLate ? (
                    'as soon as it is collected'
                  ) : (
                    <DueDay day={{ dayNumber: next.dayNumber, date: dateOf(next.dayNumber) }} today={today} />
                  )}
                </>
              ),
            ],
            ...outcome.transactions.map(
              ({ hash, functions, blockNumber }) =>
                [
                  functions.length === 1 && functions[0] === 'approve' ? 'Permission' : 'Transaction',
                  <span key={hash}>
                    <Hash hash={hash} what="transaction" /> <span class="quiet">in block {blockNumber}</span>
                  </span>,
                ] as const,
            ),
          ]}
        />
        <p>
          Leave, extend, or see each payment under <a href={linkTo('/me')}>My subscriptions</a>.
        </p>
        <Pass plan={plan} address={address} minBlock={outcome.transactions.at(-1)?.blockNumber} />
        <Return domain={domain} />
        {opener === undefined ? null : (
          <Button isWide onClick={() => window.close()}>
            Close this window
          </Button>
        )}
      </div>
    </Card>
  )
}
