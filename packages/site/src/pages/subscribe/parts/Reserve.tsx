import type { Subscription } from '@remit/client'
import { formatHuman, PROTOCOL_DECIMALS } from '@remit/protocol/amounts'
import type { PaymentSplit } from '@remit/protocol/fees'
import { Money } from '../../../design/values/Money.tsx'
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
        <Parts of="what you pay at once" plan={plan} parts={parts} />. Whoever collects a payment gets{' '}
        <Money amount={formatHuman(fee, PROTOCOL_DECIMALS)} token={plan.token} /> out of that reserve, so
        nothing is added to the price.{' '}
        {isFilledFirst ? 'Your first whole payment' : 'Once it has run low, one of your payments'}{' '}
        {fill.toProvider === 0n ? (
          'goes into that reserve too, and not to the provider'
        ) : (
          <>
            fills it up with{' '}
            <Money amount={formatHuman(fill.toFeeBalance, plan.tokenDecimals)} token={plan.token} />, and the
            rest goes to the provider
          </>
        )}
        . You pay nothing more for that: it is one of your usual payments.
      </dd>
    </div>
  )
}

interface PartsProps extends Pick<ReserveProps, 'plan' | 'parts'> {
  /** What is divided, as it stands after "All of". */
  readonly of: string
}

/** How an amount is divided, as a sentence without its end. The second part has no number: rounded parts would not add up. */
export function Parts({ of, plan, parts: { toFeeBalance, toProvider } }: PartsProps) {
  if (toProvider === 0n) return <>All of {of} becomes your collecting reserve</>
  if (toFeeBalance === 0n) return <>All of {of} goes to the provider</>
  return (
    <>
      Of {of}, <Money amount={formatHuman(toFeeBalance, plan.tokenDecimals)} token={plan.token} /> becomes
      your collecting reserve, and the rest goes to the provider
    </>
  )
}
