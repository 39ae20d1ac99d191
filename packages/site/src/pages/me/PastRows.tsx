import type { Subscription } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { useEffect } from 'preact/hooks'
import type { Address } from 'viem'
import { Button } from '../../design/Button.tsx'
import { Money } from '../../design/Money.tsx'
import { Failed, Loading } from '../../design/State.tsx'
import { When } from '../../design/When.tsx'
import { receiptLink } from '../../plan/receiptLink.ts'
import { isMine } from '../../subject/subject.ts'
import { ForDay, useDueDays } from './ForDay.tsx'
import {
  historyOf,
  type KnownHistory,
  type PastPayment,
  paymentsIn,
  paymentWords,
  readHistory,
} from './payments.ts'

interface PastRowsProps {
  readonly plan: Subscription
  readonly account: Address
}

/** What was paid for a plan so far, each with its receipt. */
export function PastRows({ plan, account }: PastRowsProps) {
  useEffect(() => void readHistory(account), [account])
  const known = historyOf(account)
  if (known.state === 'failed') return <Failed error={known.error} retry={() => void readHistory(account)} />
  if (known.state !== 'there') return <Loading lines={3} />
  return <Known known={known} plan={plan} account={account} />
}

interface KnownProps extends PastRowsProps {
  readonly known: KnownHistory
}

function Known({ known, plan, account }: KnownProps) {
  const { next, isReading } = known
  const rows = paymentsIn(known, { plans: [plan], account })
  const dueDays = useDueDays(rows)
  return (
    <>
      {rows.length === 0 ? (
        <p class="quiet">{next === null ? 'None so far.' : 'None among what was read.'}</p>
      ) : (
        <ul class="me__payments">
          {rows.map((row) => (
            <li key={`${row.transactionHash}${row.logIndex}`}>
              <span>
                {paymentWords(row.kind, isMine.value)}
                <span class="when__utc">
                  {' '}
                  <When at={row.at} />
                </span>
                <ForDay payment={row} dueDays={dueDays} among={rows} />
              </span>
              <span>
                <Amount row={row} plan={plan} /> <a href={receiptLink(row)}>Receipt</a>
              </span>
            </li>
          ))}
        </ul>
      )}
      {next === null ? null : (
        <Button isSmall isOff={isReading} onClick={() => void readHistory(account, next)}>
          Earlier ones
        </Button>
      )}
    </>
  )
}

/** To cents: the receipt has every digit. */
function Amount({
  row: { amountRaw, reserve },
  plan,
}: {
  readonly row: PastPayment
  readonly plan: Subscription
}) {
  const { token, tokenDecimals } = plan
  if (amountRaw !== undefined) return <Money amount={formatHuman(amountRaw, tokenDecimals)} token={token} />
  if (reserve === undefined) return null
  if (reserve.toSubscriber.amountRaw > 0n) {
    return (
      <>
        <Money amount={reserve.toSubscriber.amount} token={token} /> came back
      </>
    )
  }
  if (reserve.toProvider.amountRaw === 0n) return <>nothing came back</>
  return (
    <>
      <Money amount={reserve.toProvider.amount} token={token} /> of the reserve went to the provider
    </>
  )
}
