import type { GetMembershipAnswer, Subscription } from '@remit/client'
import { useCallback, useMemo } from 'preact/hooks'
import { Money } from '../../../design/Money.tsx'
import { DueDay, When } from '../../../design/When.tsx'
import { linkTo } from '../../../page/api.ts'
import { asked, type Resource } from '../../../page/Resource.ts'
import { useFollowing } from '../../../page/useFollowing.ts'

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
      {charge.day.dayNumber === today ? <>: not collected yet, perhaps within minutes</> : null}
      <span class="timeline__note">{OUTCOMES[charge.outcome] ?? charge.outcome}</span>
    </>
  )
}

const OUTCOMES: Readonly<Record<string, string>> = {
  pays: 'Your wallet has enough for it.',
  fails:
    'Your wallet has too little for it, or the permission is used up. Mend that before, or you are unsubscribed.',
  paused: 'Payments in this token are paused.',
}
