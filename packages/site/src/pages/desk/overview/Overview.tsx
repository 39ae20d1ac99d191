import { useSignal } from '@preact/signals'
import type { GetProviderRevenueAnswer, TokenRevenue } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import type { ComponentChildren } from 'preact'
import { Button, LinkButton } from '../../../design/Button.tsx'
import { Card, Note } from '../../../design/Card.tsx'
import { later } from '../../../design/later.tsx'
import { Empty, Failed, Shown } from '../../../design/State.tsx'
import { Term } from '../../../design/Term.tsx'
import { Money } from '../../../design/values/Money.tsx'
import { UntrustedText } from '../../../design/values/Untrusted.tsx'
import { linkTo } from '../../../page/api.ts'
import { answerNow, live } from '../../../page/live.ts'
import { pageData } from '../../../page/pageData.ts'
import { PaidSum, paymentsWords, Unread, WITHOUT_FILLS } from '../../../plan/PaidSum.tsx'
import { Uncollected } from '../../../plan/Uncollected.tsx'
import { isMine, subject } from '../../../subject/subject.ts'
import { symbolOf } from '../../../words/money.ts'
import { strangersText } from '../../../words/strangersText.ts'
import { monthWords } from '../../../words/time.ts'
import { MoneyChart } from './MoneyChart.tsx'
import { moneyMonths } from './months.ts'
import { NextPayments } from './NextPayments.tsx'
import { churnWords } from './numbers.ts'

/** It stands last on the page, and loads with all that it may show. */
const AtRisk = later(async () => (await import('./AtRisk.tsx')).AtRisk)
/** A chunk of its own: only services that keep members' signed permissions show it. */
const HandedIn = later(async () => (await import('./HandedIn.tsx')).HandedIn)

const plans = live('plans', 'getAccountSubscriptions')
const revenue = live('revenue', 'getProviderRevenue')

/** The desk's first section: what the plans have brought in, what they will, and who will not pay. */
export function Overview() {
  const known = plans.value
  if (known.state === 'failed') return <Failed error={known.error} retry={() => void plans.refresh()} />
  if (known.state === 'there' && known.answer.subscriptionsCount === 0) return <NoPlan />
  return (
    <>
      {known.state === 'there' ? (
        <Uncollected of={known.answer.subscriptions.map(({ subscription }) => subscription)} />
      ) : null}
      <Shown of={revenue} lines={16}>
        {(answer) =>
          answer.tokens.length === 0 ? (
            <Empty title="Nothing has come in yet, or not within twelve months.">
              <p>Send a plan’s link to somebody. What they pay is shown here.</p>
              <LinkButton href={linkTo('/desk/plans', { address: subject.value })}>
                {isMine.value ? 'Share a plan' : 'Plans'}
              </LinkButton>
            </Empty>
          ) : (
            <Tokens answer={answer} />
          )
        }
      </Shown>
      <NextPayments />
      <AtRisk />
      {pageData.keepsRescues && isMine.value && subject.value !== undefined ? (
        <HandedIn provider={subject.value} />
      ) : null}
    </>
  )
}

function NoPlan() {
  return (
    <Empty title={isMine.value ? 'You have no plan yet.' : 'This wallet has published no plan.'}>
      {isMine.value ? (
        <>
          <p>Set a price and a day, look at what they mean, and publish it. It takes two minutes.</p>
          <LinkButton kind="primary" href={linkTo('/desk/plans/new', { address: subject.value })}>
            New plan
          </LinkButton>
        </>
      ) : null}
    </Empty>
  )
}

/** The figures of one token; with several, buttons choose it. */
function Tokens({ answer }: { readonly answer: GetProviderRevenueAnswer }) {
  const chosen = useSignal(answer.tokens[0]?.token.address)
  const row = answer.tokens.find(({ token }) => token.address === chosen.value) ?? answer.tokens[0]
  if (row === undefined) return null
  return (
    <>
      {answer.tokens.length > 1 ? (
        <fieldset class="row desk__tokens">
          <legend class="unseen">Token</legend>
          {answer.tokens.map(({ token }) => (
            <Button
              key={token.address}
              isSmall
              isPressed={token.address === row.token.address}
              onClick={() => {
                chosen.value = token.address
              }}
            >
              <UntrustedText text={symbolOf(token)} />
            </Button>
          ))}
        </fieldset>
      ) : null}
      {answer.index.synced ? null : (
        <Note kind="mind">
          <p>
            The record of payments is behind the chain: it knows what happened up to block{' '}
            {answer.index.blockNumber}.
          </p>
        </Note>
      )}
      <Figures row={row} isOneOfSeveral={answer.tokens.length > 1} />
      <Income key={row.token.address} row={row} />
    </>
  )
}

/** Four numbers of one token: the state now and the month that is under way (`last`), compared with the end of the month before. */
function Figures({
  row: { token, intervals },
  isOneOfSeveral,
}: {
  readonly row: TokenRevenue
  readonly isOneOfSeveral: boolean
}) {
  const last = intervals.at(-1)
  const before = intervals.at(-2)
  if (last === undefined) return null
  const churn = churnWords(last)
  const { voluntary, involuntary } = last.churn
  const ended = voluntary.ended + involuntary.ended
  // `voluntary.of`, below, is all subscriptions that ran at some time of the month: those of its start, and the new ones.
  const byProvider = last.subscribers.removed + last.subscribers.cancelled
  const more = last.mrrAtEnd.amountRaw - (before?.mrrAtEnd.amountRaw ?? 0n)
  const grown = before === undefined ? 0 : last.subscribers.activeAtEnd - before.subscribers.activeAtEnd
  const inToken = isOneOfSeveral ? ` in ${strangersText(symbolOf(token), 12)}` : ''
  return (
    <div class="desk__numbers">
      <Figure
        name="Monthly recurring now"
        means="What the present members bring in an average month if all of them pay. A weekly price counts about 4.348 times, a quarterly a third, a yearly a twelfth."
        value={<Money amount={last.mrrAtEnd.amount} token={token} />}
      >
        {before === undefined ? null : (
          <>
            {more === 0n ? (
              'as much as'
            ) : (
              <>
                <Money amount={formatHuman(more < 0n ? -more : more, token.decimals)} token={token} />{' '}
                {more < 0n ? 'less than' : 'more than'}
              </>
            )}{' '}
            at the end of {monthWords(before.from)}
          </>
        )}
      </Figure>
      <Figure
        name={`Subscriptions${inToken} now`}
        means="Those that run now. Whoever subscribes to two plans counts twice."
        value={
          <a href={linkTo('/desk/members', { address: subject.value })}>
            {last.subscribers.activeAtEnd.toLocaleString('en')}
          </a>
        }
      >
        {before === undefined ? null : grownWords(grown, monthWords(before.from))}
      </Figure>
      <Figure
        name="Came in this month"
        means="Since the month began, in UTC: payments, and what those who left or could not pay had in reserve. What you earn by collecting is not in it."
        value={<Money amount={last.arrived.amount} token={token} />}
      >
        {paymentsWords(last.payments)}
        {last.arrived.amountRaw === 0n && last.charged.amountRaw > 0n ? (
          <>
            , <Money amount={last.charged.amount} token={token} /> together, all kept in collecting reserves
          </>
        ) : last.intoFeeBalances.amountRaw > 0n ? (
          <>
            ; another <Money amount={last.intoFeeBalances.amount} token={token} /> went into reserves
          </>
        ) : null}
        {last.failures === 0 ? null : (
          <>
            ,{' '}
            <a href={linkTo('/desk/members', { address: subject.value, left: 'true' })}>
              {last.failures} failed
            </a>
          </>
        )}
      </Figure>
      <Figure
        name={`Churn${inToken} this month`}
        means="Of all subscriptions that ran at some time of this month, how many have ended because somebody left or could not pay."
        value={churn?.share ?? '–'}
      >
        {churn === undefined
          ? 'nobody was a member'
          : `${ended} left or failed, of ${voluntary.of}: ${voluntary.of - last.subscribers.new} at the start and ${last.subscribers.new} new${byProvider === 0 ? '' : `; ${byProvider} more ended by a removal or a cancelled plan`}`}
      </Figure>
    </div>
  )
}

function grownWords(grown: number, month: string): string {
  if (grown === 0) return `as many as at the end of ${month}`
  const count = Math.abs(grown).toLocaleString('en')
  return `${count} ${grown > 0 ? 'more' : 'fewer'} than at the end of ${month}`
}

interface FigureProps {
  readonly name: string
  /** Its explanation, behind the name. */
  readonly means: string
  readonly value: ComponentChildren
  /** What it is compared with, or made of. */
  readonly children: ComponentChildren
}

function Figure({ name, means, value, children }: FigureProps) {
  return (
    <div class="desk__number">
      <Term means={means}>{name}</Term>
      <div class="desk__value">{value}</div>
      <div class="quiet">{children}</div>
    </div>
  )
}

/** What has come in of one token and what is expected, by month; and what is in no sum. */
function Income({ row }: { readonly row: TokenRevenue }) {
  const { token, total } = row
  const outlook = answerNow('outlook', 'getProviderOutlook')
  const ahead = outlook?.income.totals.find((one) => one.token.address === token.address)
  const months = moneyMonths(row, outlook)
  return (
    <Card title="Money in">
      <div class="stack">
        <MoneyChart months={months} token={token} />
        {months.every(({ missed }) => missed.raw === 0n) ? null : (
          <p class="quiet">What is left of the reserves of those who fail comes in on top.</p>
        )}
        {months.every(({ comes }) => comes.raw === 0n) ? null : <p class="quiet">{WITHOUT_FILLS}</p>}
        {total.charged.amountRaw === 0n && total.arrived.amountRaw === 0n ? null : (
          <>
            <p class="quiet">In the last twelve months, to the last digit:</p>
            <PaidSum row={row} to={isMine.value ? 'you' : 'this wallet'} />
          </>
        )}
        {ahead === undefined || ahead.waiting.amountRaw === 0n ? null : (
          <p class="quiet">
            <Money amount={ahead.waiting.amount} token={token} /> cannot be collected now, because collecting
            is held up.
          </p>
        )}
        {outlook === undefined ? null : <Unread of={outlook.verdicts} />}
      </div>
    </Card>
  )
}
