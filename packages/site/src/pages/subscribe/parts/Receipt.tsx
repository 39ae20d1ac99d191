import type { Subscription } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { dateOf } from '@remit/protocol/calendar'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { openerOrigin } from '../../../button/opener.ts'
import { Card, Facts } from '../../../design/Card.tsx'
import { later } from '../../../design/later.tsx'
import { Address, Hash } from '../../../design/values/Address.tsx'
import { Money } from '../../../design/values/Money.tsx'
import { DueDay } from '../../../design/values/When.tsx'
import { linkTo } from '../../../page/api.ts'
import type { Done } from '../flow/flow.ts'
import { comingCharges } from '../terms/charges.ts'
import { NextPayment, Payment, ReceiptLink, useMembership } from './Member.tsx'

/** A chunk of its own, for members. */
const Afterwards = later(async () => (await import('./Afterwards.tsx')).Afterwards)

interface ReceiptProps {
  readonly plan: Subscription
  readonly outcome: Done
  /** The wallet that has subscribed. */
  readonly address: string
  readonly today: number | undefined
  readonly domain: string | undefined
}

/** The panel after subscribing: what was paid and signed, and what is collected while the page stays open. */
export function Receipt({ plan, outcome, address, today, domain }: ReceiptProps) {
  const title = useRef<HTMLHeadingElement>(null)
  // The button that had the focus is gone. The title gets it before the browser draws, so that no key is lost.
  useLayoutEffect(() => title.current?.focus(), [])
  const { toFeeBalance, toProvider } = outcome.firstCharge
  const taken = formatHuman(toFeeBalance.amountRaw + toProvider.amountRaw, plan.tokenDecimals)
  const [next] = comingCharges(plan, 1, today)
  const known = useMembership(plan, address, outcome.transactions.at(-1)?.blockNumber).value
  const membership = known.state === 'there' ? known.answer : undefined
  const last = membership?.lastPayment
  const isFirst = outcome.transactions.some(({ hash }) => hash === last?.transactionHash)
  const isCollected = last !== undefined && !isFirst
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
            [
              'Paid now',
              <span key="paid">
                <Money amount={taken} token={plan.token} />{' '}
                {last === undefined || isCollected ? null : <ReceiptLink payment={last} />}
              </span>,
            ],
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
                  {next.isSoon ? ', ' : ' on '}
                  {next.isSoon ? (
                    'as soon as it is collected, perhaps within minutes'
                  ) : (
                    <DueDay day={{ dayNumber: next.dayNumber, date: dateOf(next.dayNumber) }} today={today} />
                  )}
                </>
              ),
            ],
            ['Wallet', <Address key="wallet" address={address} isLinked={opener === undefined} />],
            ...outcome.transactions.map(
              ({ hash, functions, blockNumber }) =>
                [
                  functions.length === 1 && functions[0] === 'approve' ? 'Permission given' : 'Subscribed',
                  <span key={hash}>
                    <Hash hash={hash} what="transaction" /> <span class="quiet">in block {blockNumber}</span>
                  </span>,
                ] as const,
            ),
          ]}
        />
        <p class="quiet">
          Leave, extend, or see each payment under “My subscriptions”, on any day.{' '}
          <a href={linkTo(`/subscriptions/${plan.id}/calendar.ics`)}>Put the payment days in my calendar</a>
        </p>
        <Afterwards
          plan={plan}
          address={address}
          minBlock={outcome.transactions.at(-1)?.blockNumber}
          domain={domain}
        />
      </div>
    </Card>
  )
}
