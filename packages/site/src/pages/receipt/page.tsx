import type { GetPaymentAnswer } from '@remit/client'
import { dayNumberAt, nextDueDay } from '@remit/protocol/calendar'
import { isWholePeriod, paidByJoining, paidByPeriod } from '@remit/protocol/entitlement'
import { useEffect, useMemo } from 'preact/hooks'
import { Button, LinkButton } from '../../design/Button.tsx'
import { Badge, Card, Facts, Note } from '../../design/Card.tsx'
import { Empty, Failed } from '../../design/State.tsx'
import { Term } from '../../design/Term.tsx'
import { Address, Copy } from '../../design/values/Address.tsx'
import { UntrustedText } from '../../design/values/Untrusted.tsx'
import { DueDay, When } from '../../design/values/When.tsx'
import { linkTo, root } from '../../page/api.ts'
import { answerNow } from '../../page/live.ts'
import { pageData } from '../../page/pageData.ts'
import { asked, givenSubject } from '../../page/Resource.ts'
import { PlanName } from '../../plan/PlanName.tsx'
import { PlanTitle } from '../../plan/PlanTitle.tsx'
import { Provider } from '../../plan/Provider.tsx'
import { planTexts, textsThen } from '../../plan/planTexts.ts'
import { receiptAddress, receiptLink } from '../../plan/receiptLink.ts'
import { useTitle } from '../../subject/useTitle.ts'
import { dropReasonWords } from '../../words/dropReasons.ts'
import { isNotFound } from '../../words/errors.ts'
import { moneyWords, RESERVE_MEANS } from '../../words/money.ts'
import { planName } from '../../words/planName.ts'
import { dateWords } from '../../words/time.ts'
import { kindWords, reserveWords } from './kindWords.ts'

const payment = givenSubject('payment', 'getPayment')

/** One payment: who paid whom, for which day, and where it stands on the chain. */
export function Page() {
  const known = payment.value
  useTitle(known.state === 'there' ? titleOf(known.answer) : undefined)
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

/** "26 Nov 2026: Payment of 3 DAI". The day is that in UTC on which it was taken, as in books. */
function titleOf({ payment }: GetPaymentAnswer): string {
  const { charged, token, timestamp } = payment
  const { title } = kindWords(payment)
  const amount = charged.amountRaw === 0n ? '' : ` of ${moneyWords(charged.amount, token)}`
  return `${dateWords(dayNumberAt(timestamp))}: ${title}${amount}`
}

function Receipt({ payment, subscription, confirmations, warnings = [] }: GetPaymentAnswer) {
  const { token, charged, toProvider, toFeeBalance, toSubscriber, kind, day } = payment
  const isZero = ({ amountRaw }: { readonly amountRaw: bigint }) => amountRaw === 0n
  /** A row of money that came out of the collecting reserve, not from the wallet; none for 0. */
  const rowOfReserve = (title: string, quantity: { readonly amount: string; readonly amountRaw: bigint }) =>
    isZero(quantity)
      ? undefined
      : ([
          title,
          <span key={title}>
            {moneyWords(quantity.amount, token)}
            <span class="quiet">
              {' '}
              out of the <Term means={RESERVE_MEANS}>collecting reserve</Term>
            </span>
          </span>,
        ] as const)
  const { title, means, isFailure, isEnding } = kindWords(payment)
  const texts = textsThen(subscription)
  // Lists of payments have this name.
  const nameNow = planName(subscription, planTexts(subscription))
  const isPeriod = kind === 'period' || kind === 'feeFill'
  const period = periodOf({ payment, subscription })
  const ownLink = receiptLink(payment)
  // A payment is several logs, and the address of each leads here. The page takes on the address that files have, so books can be matched.
  useEffect(() => history.replaceState(null, '', ownLink), [ownLink])
  return (
    <div class="stack">
      <header class="stack-small">
        <p class="quiet">
          Receipt for <PlanName plan={subscription} texts={texts} isLinked={false} />
        </p>
        <h1>
          {title}
          {isZero(charged) ? null : `: ${moneyWords(charged.amount, token)}`}
        </h1>
        <p>
          {payment.finalized ? <Badge kind="good">Final</Badge> : <Badge kind="mind">Not final yet</Badge>}
        </p>
      </header>
      {isFailure ? (
        <Note kind="bad">Nothing was taken from the wallet. {dropReasonWords(payment.dropReason)}</Note>
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
            ['What', [means, reserveWords(payment)].filter(Boolean).join(' ')],
            !isPeriod && !isFailure
              ? undefined
              : [
                  'For the day',
                  <>
                    <DueDay day={day} />
                    {isPeriod && day.dayNumber < dayNumberAt(payment.timestamp) ? (
                      <Backlog payment={payment} />
                    ) : null}
                  </>,
                ],
            period === undefined ? undefined : ['Pays for', `${period} (UTC)`],
            [
              isFailure ? 'Tried' : kind === 'cleanedUp' ? 'Given back' : isEnding ? 'Ended' : 'Paid on',
              <When key="when" at={payment.formattedTimestamp} />,
            ],
            ['Member', <Address key="from" address={payment.subscriber} isWhole />],
            ['Provider', <Provider key="to" address={payment.provider} isWhole />],
            [
              'Plan',
              <>
                <PlanTitle subscription={subscription} texts={texts} />
                {nameNow === planName(subscription, texts) ? null : (
                  <div class="quiet">
                    now called <UntrustedText text={nameNow} most={60} />
                  </div>
                )}
              </>,
            ],
            isZero(charged) ? undefined : ['Paid by the member', moneyWords(charged.amount, token)],
            // A payment that only filled the reserve is no income, so its receipt tells the 0.
            isEnding
              ? rowOfReserve('To the provider', toProvider)
              : ['To the provider', moneyWords(toProvider.amount, token)],
            isZero(toFeeBalance)
              ? undefined
              : [
                  <Term key="fee" means={RESERVE_MEANS}>
                    Into the collecting reserve
                  </Term>,
                  moneyWords(toFeeBalance.amount, token),
                ],
            rowOfReserve('Back to the member', toSubscriber),
            isZero(payment.callerFee)
              ? undefined
              : [
                  'To whoever collected it',
                  <>
                    {moneyWords(payment.callerFee.amount, token)}{' '}
                    <span class="quiet">out of the reserve</span>
                    <Collector of={payment} />
                  </>,
                ],
            rowOfReserve('The contract’s own fee', payment.systemShare),
            isZero(payment.callerFee)
              ? undefined
              : [
                  'About the fee',
                  <span key="fees">
                    Whoever collects is paid by one transfer for all members of the plan together. This is an
                    equal share of it. <a href={CHECK}>How to check it</a>
                  </span>,
                ],
            ['Network', `${pageData.chain?.name} (chain ${pageData.chain?.chainId})`],
            ['Contract', <code key="contract">{pageData.chain?.contract}</code>],
            ['Token', <code key="token">{token.address}</code>],
            ['Plan id', <code key="id">{subscription.id}</code>],
            [
              'Transaction',
              <span key="hash">
                <code>{payment.transactionHash}</code>{' '}
                <Copy text={payment.transactionHash} what="transaction hash" />
              </span>,
            ],
            [
              'Block',
              `${payment.blockNumber}, ${confirmations} confirmation${confirmations === 1 ? '' : 's'}`,
            ],
            [
              <Term
                key="entries"
                means="The chain numbers all that happens in a block, beginning with 0. Any of these numbers leads here."
              >
                Entries in the block
              </Term>,
              payment.lastLogIndex === payment.logIndex
                ? String(payment.logIndex)
                : `${payment.logIndex} to ${payment.lastLogIndex}`,
            ],
            ['This receipt', <code key="receipt">{receiptAddress(payment)}</code>],
          ]}
        />
      </Card>
      <p class="row quiet on-screen">
        <Button isSmall onClick={() => print()}>
          Print
        </Button>
        <a href={linkTo(`/payments/${payment.transactionHash}/${payment.logIndex}`)}>The receipt as JSON</a>
        <a
          href={linkTo(`/payments/${payment.transactionHash}/${payment.logIndex}`, { proof: 'true' })}
          download={`proof-${payment.transactionHash.slice(0, 10)}-${payment.logIndex}.json`}
        >
          Its proof as a file
        </a>
        <a href={`${root}/docs/proofs`}>How to check the proof</a>
        <a href={CHECK}>How to check a figure</a>
      </p>
    </div>
  )
}

/** The guide that says which transfers of the token a receipt's figures are. */
const CHECK = `${root}/docs/bookkeeping#check-a-figure`

/** The days that a payment pays for: "6 Nov 2026 to 5 Dec 2026". `undefined` for an ending, and past the calendar's end. */
function periodOf({ payment, subscription }: Pick<GetPaymentAnswer, 'payment' | 'subscription'>) {
  const { kind, charged, day, timestamp } = payment
  if (kind !== 'firstCharge' && kind !== 'period' && kind !== 'feeFill') return undefined
  const isFirst = kind === 'firstCharge'
  const from = isFirst ? dayNumberAt(timestamp) : day.dayNumber
  const isPaidAtJoin = isWholePeriod(charged.amountRaw, subscription.amountRaw)
  const isDueOnJoin = isFirst && nextDueDay(subscription.frequency, subscription.dueDay, from) === from
  if (isDueOnJoin && !isPaidAtJoin)
    return `the time up to the whole payment of the same day, ${dateWords(from)}`
  const to = isFirst
    ? paidByJoining({ ...subscription, joinedDay: from, isPaidAtJoin })
    : paidByPeriod(subscription, from)
  if (to === null) return undefined
  return to === from ? dateWords(from) : `${dateWords(from)} to ${dateWords(to)}`
}

/** Who collected it, as the contract logs for each day: the wallet that got the fee. A token could log the same, so only the contract counts. */
function Collector({ of: { day } }: { readonly of: GetPaymentAnswer['payment'] }) {
  const { events = [] } = answerNow('transaction', 'getTransactionStatus') ?? {}
  const callers = new Set(
    events.flatMap(({ event, address, args: { caller, checkedDay } }) =>
      event === 'CallerLog' &&
      address === pageData.chain?.contract &&
      Number(checkedDay) === day.dayNumber &&
      typeof caller === 'string'
        ? [caller]
        : [],
    ),
  )
  const [caller] = callers
  return caller === undefined || callers.size > 1 ? null : (
    <div>
      <span class="quiet">collected by</span> <Address address={caller} isWhole />
    </div>
  )
}

/**
 * Explains a payment for a day before the wallet subscribed. The membership tells only when it subscribed last: for a payment that is older
 * than that, nothing is said.
 */
function Backlog({ payment }: Pick<GetPaymentAnswer, 'payment'>) {
  const { subscriptionId: id, subscriber, day, timestamp } = payment
  const membership = useMemo(() => {
    const found = asked('getMembership', { id, address: subscriber })
    void found.refresh()
    return found
  }, [id, subscriber])
  const known = membership.value
  if (known.state !== 'there') return null
  const joined = known.answer.subscribedAt.timestamp
  if (joined > timestamp || dayNumberAt(joined) <= day.dayNumber) return null
  return (
    <div class="quiet">
      It was due on this day and not collected yet when the wallet subscribed, on{' '}
      {dateWords(dayNumberAt(joined))}: such a day is taken from new members, too. The days from then on are
      paid for by the first payment as well.
    </div>
  )
}
