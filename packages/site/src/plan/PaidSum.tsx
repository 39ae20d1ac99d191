import type { GetProviderOutlookAnswer, TokenRevenue } from '@remit/client'
import { Facts } from '../design/Card.tsx'
import { Term } from '../design/Term.tsx'
import { ExactMoney } from '../design/values/Money.tsx'
import { RESERVE_MEANS } from '../words/money.ts'

/** Said of what is expected to come in. */
export const WITHOUT_FILLS = 'Not counted: what goes into members’ reserves.'

interface PaidSumProps {
  readonly row: Pick<TokenRevenue, 'token' | 'total'>
  /** Who was paid: "you". */
  readonly to: string
}

/**
 * What members paid for in one token, and what came to the provider: what was paid, less what filled collecting reserves,
 * and what was left of reserves that ended.
 */
export function PaidSum({ row: { token, total }, to }: PaidSumProps) {
  const { arrived, charged, intoFeeBalances, feeBalancesReceived, payments, failures } = total
  return (
    <Facts
      rows={[
        [
          'Members paid',
          <>
            <ExactMoney amount={charged.amount} token={token} /> by {paymentsWords(payments)}
            {payments < 2 ? null : <span class="quiet">; first ones are often smaller</span>}
          </>,
        ],
        intoFeeBalances.amountRaw === 0n
          ? undefined
          : [
              <>
                Less what filled <Term means={RESERVE_MEANS}>reserves</Term>
              </>,
              <ExactMoney key="into" amount={intoFeeBalances.amount} token={token} />,
            ],
        feeBalancesReceived.amountRaw === 0n
          ? undefined
          : [
              'Plus reserves of those who left or failed',
              <ExactMoney key="left" amount={feeBalancesReceived.amount} token={token} />,
            ],
        [`Came to ${to}`, <ExactMoney key="came" amount={arrived.amount} token={token} />],
        failures === 0 ? undefined : ['Failed', paymentsWords(failures)],
      ]}
    />
  )
}

/** Says that a forecast leaves out members whose balances are unknown. Nothing where it has all of them. */
export function Unread({
  of: { unread, memberships },
}: {
  readonly of: GetProviderOutlookAnswer['verdicts']
}) {
  if (unread === 0) return null
  return (
    <p class="quiet">
      {unread} of {memberships} members have not been looked at yet: what they will pay is in no sum.
    </p>
  )
}

/** "1 payment", "1,250 payments". */
export function paymentsWords(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'payment' : 'payments'}`
}
