import type { GetPaymentAnswer } from '@remit/client'
import { Address, Hash } from '../../design/Address.tsx'
import { LinkButton } from '../../design/Button.tsx'
import { Badge, Card, Facts, Note } from '../../design/Card.tsx'
import { Money } from '../../design/Money.tsx'
import { Said } from '../../design/Said.tsx'
import { Empty, Failed } from '../../design/State.tsx'
import { Term } from '../../design/Term.tsx'
import { DueDay, When } from '../../design/When.tsx'
import { linkTo } from '../../page/api.ts'
import { given, isGiven } from '../../page/Resource.ts'
import { Provider } from '../../plan/Provider.tsx'
import { isNotFound } from '../../words/errors.ts'
import { scheduleWords } from '../../words/schedule.ts'
import { kindWords } from './kindWords.ts'

const payment = given('payment', 'getPayment')

/** One payment: who paid whom, for which day, and where it stands on the chain. */
export function Page() {
  const known = payment.value
  if (known.state === 'loading') return null
  if (known.state === 'there') return <Receipt {...known.answer} />
  if (!isNotFound(known.error)) return <Failed error={known.error} retry={() => location.reload()} />
  return (
    <Empty title="There is no payment here." isPage>
      <p>The transaction has no such entry on this chain, or it has not been seen yet.</p>
      <LinkButton href={linkTo('/plans')}>All plans</LinkButton>
    </Empty>
  )
}

const FEE_BALANCE = 'A small balance that each subscriber fills, and that pays whoever collects the payments.'

function Receipt({ payment, subscription, confirmations, warnings = [] }: GetPaymentAnswer) {
  const { token, charged, toProvider, toFeeBalance, toSubscriber, kind, day } = payment
  const isZero = ({ amountRaw }: { readonly amountRaw: bigint }) => amountRaw === 0n
  const row = (title: string, quantity: { readonly amount: string; readonly amountRaw: bigint }) =>
    isZero(quantity)
      ? undefined
      : ([
          title,
          <span key={title}>
            <Money amount={quantity.amount} token={token} />
            {/* Where nothing is taken, whatever goes to somebody was in the fee balance. */}
            {isZero(charged) ? (
              <span class="quiet">
                {' '}
                out of the <Term means={FEE_BALANCE}>fee balance</Term>
              </span>
            ) : null}
          </span>,
        ] as const)
  const { title, means, isFailure } = kindWords(kind)
  return (
    <div class="stack">
      <header class="stack-small">
        <p class="quiet">Receipt</p>
        <h1>
          {title}
          {isZero(charged) ? null : (
            <>
              : <Money amount={charged.amount} token={token} />
            </>
          )}
        </h1>
        <p>
          {payment.finalized ? <Badge kind="good">Final</Badge> : <Badge kind="mind">Not final yet</Badge>}
        </p>
      </header>
      {isFailure ? (
        <Note kind="bad">{failureWords(payment.dropReason)}</Note>
      ) : payment.finalized ? null : (
        <Note>
          The chain could still replace the block that it is in. That is rare, and over within minutes.
        </Note>
      )}
      {warnings.some(({ code }) => code === 'TRANSFER_LOGS_DIFFER') ? (
        <Note>
          This token does not always move what it was told to move. The amounts here are what it wrote down,
          and not surely what arrived.
        </Note>
      ) : null}
      <Card>
        <Facts
          rows={[
            ['What', means],
            ['For the day', <DueDay key="day" day={day} />],
            ['Collected', <When key="when" at={payment.formattedTimestamp} />],
            ['From', <Address key="from" address={payment.subscriber} />],
            ['To', <Provider key="to" address={payment.provider} />],
            ['Plan', <Plan key="plan" subscription={subscription} />],
            row('Taken from the subscriber', charged),
            row('To the provider', toProvider),
            isZero(toFeeBalance)
              ? undefined
              : [
                  <Term key="fee" means={FEE_BALANCE}>
                    Into the fee balance
                  </Term>,
                  <Money key="amount" amount={toFeeBalance.amount} token={token} />,
                ],
            row('Back to the subscriber', toSubscriber),
            isZero(payment.callerFee)
              ? undefined
              : [
                  'To whoever collected it',
                  <span key="collector">
                    <Money amount={payment.callerFee.amount} token={token} />{' '}
                    <span class="quiet">out of what was set aside before</span>
                  </span>,
                ],
            ['Transaction', <Hash key="hash" hash={payment.transactionHash} what="transaction hash" />],
            [
              'Block',
              `${payment.blockNumber}, ${confirmations} confirmation${confirmations === 1 ? '' : 's'}`,
            ],
          ]}
        />
      </Card>
      <p class="quiet">
        <a href={linkTo(`/payments/${payment.transactionHash}/${payment.logIndex}`)}>The receipt as JSON</a>
      </p>
    </div>
  )
}

function Plan({ subscription }: Pick<GetPaymentAnswer, 'subscription'>) {
  const { id, amount, token } = subscription
  return (
    <span>
      <a href={linkTo(`/plans/${id}`)}>
        <Money amount={amount} token={token} /> {scheduleWords(subscription)}
      </a>
      <Description id={id} />
    </span>
  )
}

function Description({ id }: { readonly id: string }) {
  const key = `details:${id}`
  const known = isGiven(key) ? given(key, 'getSubscriptionDetails').value : undefined
  const text = known?.state === 'there' ? known.answer.details?.description : undefined
  if (!text?.trim()) return null
  return (
    <small>
      {' '}
      “<Said text={text} most={80} />”
    </small>
  )
}

function failureWords(reason: GetPaymentAnswer['payment']['dropReason']): string {
  const why = {
    allowance: 'The wallet did not allow the protocol to take as much.',
    balance: 'The wallet did not hold as much.',
    both: 'The wallet neither held as much nor allowed the protocol to take it.',
    unknown: 'Whether balance or allowance was short is not known.',
  }
  const told = reason === null ? undefined : Object.entries(why).find(([name]) => name === reason)?.[1]
  return `Nothing was taken, and the subscription ended. ${told ?? ''}`.trim()
}
