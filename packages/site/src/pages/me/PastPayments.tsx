import { useSignal } from '@preact/signals'
import type { Subscription } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import type { Address } from 'viem'
import { Button } from '../../design/Button.tsx'
import { Money } from '../../design/Money.tsx'
import { Failed, Loading } from '../../design/State.tsx'
import { When } from '../../design/When.tsx'
import { linkTo } from '../../page/api.ts'
import { isMine, subject } from '../../subject/subject.ts'
import { ForDay, useDueDays } from './ForDay.tsx'
import {
  historyOf,
  type KnownHistory,
  type PastPayment,
  paymentsIn,
  paymentWords,
  readHistory,
} from './payments.ts'

/** What was paid for a plan so far, each with its receipt. It is read when somebody looks. */
export function PastPayments({ plan }: { readonly plan: Subscription }) {
  const isOpen = useSignal(false)
  const account = subject.value
  if (account === undefined) return null
  return (
    <details
      class="me__past"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open
        if (currentTarget.open) void readHistory(account)
      }}
    >
      <summary>Past payments</summary>
      {isOpen.value ? <Rows plan={plan} account={account} /> : null}
    </details>
  )
}

function Rows({ plan, account }: { readonly plan: Subscription; readonly account: Address }) {
  const known = historyOf(account)
  if (known.state === 'failed') return <Failed error={known.error} retry={() => void readHistory(account)} />
  if (known.state !== 'there') return <Loading lines={3} />
  return <Known known={known} plan={plan} account={account} />
}

interface KnownProps {
  readonly known: KnownHistory
  readonly plan: Subscription
  readonly account: Address
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
                <Amount row={row} plan={plan} />{' '}
                <a href={linkTo(`/receipts/${row.transactionHash}/${row.logIndex}`)}>Receipt</a>
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
  return reserve.toSubscriber.amountRaw > 0n ? (
    <>
      <Money amount={reserve.toSubscriber.amount} token={token} /> came back
    </>
  ) : (
    <>nothing came back</>
  )
}
