import type { GetMembershipAnswer, Subscription } from '@remit/client'
import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks'
import { Facts, Note } from '../../../design/Card.tsx'
import { later } from '../../../design/later.tsx'
import { Shown } from '../../../design/State.tsx'
import { Money } from '../../../design/values/Money.tsx'
import { DueDay, When } from '../../../design/values/When.tsx'
import { linkTo } from '../../../page/api.ts'
import { pageData } from '../../../page/pageData.ts'
import { asked, type Resource } from '../../../page/Resource.ts'
import { useFollowing } from '../../../page/useFollowing.ts'
import { PaidThrough } from '../../../plan/PaidThrough.tsx'

/** A chunk of its own, for members. */
const Afterwards = later(async () => (await import('./Afterwards.tsx')).Afterwards)

interface MemberProps {
  readonly plan: Subscription
  readonly address: string
  readonly today: number | undefined
  readonly domain: string | undefined
  /** The block at which the wallet was found to be subscribed: the service may not have seen it yet. */
  readonly block: number
}

/** The panel for a wallet that is subscribed already: what was paid last, and what comes next. */
export function Member({ plan, address, today, domain, block }: MemberProps) {
  // The first one: with each later block the membership is read again anyhow.
  const { current: since } = useRef(block)
  const membership = useMembership(plan, address, since)
  useEffect(() => void keepLinksOffer(plan.id), [plan.id])
  return (
    <div class="stack">
      <Note kind="good">
        <p>
          <strong>You are subscribed to this already.</strong>
        </p>
      </Note>
      <Shown of={membership}>
        {({ lastPayment, nextCharge, paidThrough }) => (
          <Facts
            rows={[
              ['Last payment', <Payment key="last" payment={lastPayment} token={plan.token} />],
              paidThrough === null
                ? undefined
                : [
                    'Paid through',
                    <PaidThrough key="through" last={paidThrough} due={nextCharge?.day}>
                      <DueDay day={paidThrough} />
                    </PaidThrough>,
                  ],
              ['Next payment', <NextPayment key="next" charge={nextCharge} today={today} />],
            ]}
          />
        )}
      </Shown>
      <Afterwards plan={plan} address={address} domain={domain} />
    </div>
  )
}

/**
 * Remembers the paymaster of the link (`?paymaster=`) for this plan: a member may leave from this browser who has subscribed
 * in another.
 */
async function keepLinksOffer(plan: string): Promise<void> {
  if (pageData.query.paymaster === undefined) return
  const { keepOffer } = await import('../../../signing/sponsor.ts')
  keepOffer(plan)
}

/** How a wallet's subscription stands, which follows the payments that are collected meanwhile. */
export function useMembership(
  { id }: Pick<Subscription, 'id'>,
  address: string,
  minBlock?: number,
): Resource<GetMembershipAnswer> {
  const membership = useMemo(() => {
    const found = asked('getMembership', { id, address })
    void found.refresh(minBlock)
    return found
  }, [id, address, minBlock])
  useFollowing(useCallback(() => void membership.refresh(minBlock), [membership, minBlock]))
  return membership
}

interface PaymentProps {
  readonly payment: GetMembershipAnswer['lastPayment']
  readonly token: Subscription['token']
}

/** What was taken, when, and its receipt. */
export function Payment({ payment, token }: PaymentProps) {
  return (
    <>
      <Money amount={payment.charged.amount} token={token} /> <ReceiptLink payment={payment} />
      <span class="timeline__note">
        <When at={payment.formattedTimestamp} />
      </span>
    </>
  )
}

/** A link to the receipt of a payment. */
export function ReceiptLink({ payment: { transactionHash, logIndex } }: Pick<PaymentProps, 'payment'>) {
  return <a href={linkTo(`/receipts/${transactionHash}/${logIndex}`)}>Receipt</a>
}

interface NextProps {
  readonly charge: GetMembershipAnswer['nextCharge']
  readonly today: number | undefined
}

/** When the next payment is due, and whether it will be paid. */
export function NextPayment({ charge, today }: NextProps) {
  if (charge === null) return <>none</>
  return (
    <>
      <DueDay day={charge.day} today={today} />
      {charge.day.dayNumber === today && charge.outcome !== 'fails' ? (
        <>: not collected yet; it may be taken within minutes</>
      ) : null}
      <span class="timeline__note">{OUTCOMES[charge.outcome] ?? charge.outcome}</span>
    </>
  )
}

const OUTCOMES: Readonly<Record<string, string>> = {
  pays: 'Your wallet has enough for it.',
  fails:
    'Not covered: your wallet holds too little for it, or the permission is too small. “My subscriptions” tells which. Unless it is mended before, the payment fails, and you are unsubscribed.',
  paused: 'Payments in this token are paused.',
}
