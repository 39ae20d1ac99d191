import type { TokenRevenue } from '@remit/client'
import { ExactMoney } from '../design/Money.tsx'
import { Term } from '../design/Term.tsx'

interface PaidSumProps {
  readonly row: Pick<TokenRevenue, 'token' | 'total'>
  /** What a collecting reserve is to the reader. */
  readonly reserveMeans: string
}

/** What a provider was paid and how much of it came by which way, as the end of a sentence, and whether payments failed. */
export function PaidSum({ row: { token, total }, reserveMeans }: PaidSumProps) {
  const { arrived, received, charged, intoFeeBalances, feeBalancesReceived, payments, failures } = total
  const by = (
    <>
      {' '}
      by {paymentsWords(payments)}
      {intoFeeBalances.amountRaw === 0n ? null : (
        <>
          {' '}
          (members paid <ExactMoney amount={charged.amount} token={token} /> together, and the rest filled
          their reserves)
        </>
      )}
    </>
  )
  return (
    <>
      <ExactMoney amount={arrived.amount} token={token} />
      {feeBalancesReceived.amountRaw === 0n ? (
        <>{by}.</>
      ) : (
        <>
          : <ExactMoney amount={received.amount} token={token} />
          {by}, and <ExactMoney amount={feeBalancesReceived.amount} token={token} /> that was left in{' '}
          <Term means={reserveMeans}>collecting reserves</Term> when members left or could not pay.
        </>
      )}{' '}
      {failures === 0 ? 'No payment failed.' : `${paymentsWords(failures)} failed.`}
    </>
  )
}

/** "1 payment", "1,250 payments". */
export function paymentsWords(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'payment' : 'payments'}`
}
