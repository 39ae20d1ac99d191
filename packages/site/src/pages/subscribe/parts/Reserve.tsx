import type { Subscription } from '@remit/client'
import { formatHuman, PROTOCOL_DECIMALS } from '@remit/protocol/amounts'
import type { PaymentSplit } from '@remit/protocol/fees'
import { ExactMoney, Money } from '../../../design/values/Money.tsx'
import { reserveTerms } from '../terms/charges.ts'

interface ReserveProps {
  readonly plan: Subscription
  /** Where what is taken at once goes, in the token's smallest unit. */
  readonly parts: PaymentSplit
  /** What collectors get of each payment, as a factor over 10000. */
  readonly callerFee: bigint
}

/** How much of today's part becomes the collecting reserve, what that is for, and when a payment fills it again. */
export function Reserve({ plan, parts, callerFee }: ReserveProps) {
  const terms = reserveTerms(plan, parts.toFeeBalance, callerFee)
  if (terms === undefined) return null
  const { fee, fill, isFilledFirst } = terms
  return (
    <div>
      <dt>Where the first part goes</dt>
      <dd>
        Of what is taken today, <Parts plan={plan} parts={parts} />. Whoever collects a payment gets{' '}
        <Money amount={formatHuman(fee, PROTOCOL_DECIMALS)} token={plan.token} /> out of that reserve, so
        nothing is added to the price.{' '}
        {isFilledFirst
          ? 'The first whole payment fills it:'
          : 'Once it has run low, a payment fills it again:'}{' '}
        of that one, <Parts plan={plan} parts={fill} />.
      </dd>
    </div>
  )
}

/** How an amount is divided. The parts add up to it, digit by digit. */
export function Parts({ plan, parts }: { readonly plan: Subscription; readonly parts: PaymentSplit }) {
  const { toFeeBalance, toProvider } = parts
  const exactly = (raw: bigint) => (
    <ExactMoney amount={formatHuman(raw, plan.tokenDecimals)} token={plan.token} />
  )
  if (toProvider === 0n) return <>all becomes your collecting reserve ({exactly(toFeeBalance)})</>
  return (
    <>
      {exactly(toFeeBalance)} becomes your collecting reserve, and {exactly(toProvider)} goes to the provider
    </>
  )
}
