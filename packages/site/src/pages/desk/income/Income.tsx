import { useSignal } from '@preact/signals'
import type { GetProviderOutlookAnswer, GetProviderRevenueAnswer, TokenRevenue } from '@remit/client'
import { Button } from '../../../design/Button.tsx'
import { Card, Facts, Note } from '../../../design/Card.tsx'
import { Money } from '../../../design/Money.tsx'
import { Empty, Shown } from '../../../design/State.tsx'
import { Table } from '../../../design/Table.tsx'
import { Term } from '../../../design/Term.tsx'
import { DueDay } from '../../../design/When.tsx'
import { answerNow, live } from '../../../page/live.ts'
import { symbolOf } from '../../../words/money.ts'
import { strangersText } from '../../../words/strangersText.ts'
import { MonthBars } from './MonthBars.tsx'
import { churnWords, monthWords } from './numbers.ts'
import { PaymentsFile } from './PaymentsFile.tsx'

const revenue = live('revenue', 'getProviderRevenue')

/** What came in by month, and what each month is worth. */
export function Income() {
  return (
    <Card title="Income" beside={<PaymentsFile />}>
      <Shown of={revenue} lines={12}>
        {(answer) =>
          answer.tokens.length === 0 ? (
            <Empty title={`Nothing has come in since ${monthWords(answer.from)}.`}>
              <p>Send a plan’s link to somebody. What they pay is shown here by month.</p>
            </Empty>
          ) : (
            <Tokens answer={answer} />
          )
        }
      </Shown>
    </Card>
  )
}

function Tokens({ answer }: { readonly answer: GetProviderRevenueAnswer }) {
  const chosen = useSignal(answer.tokens[0]?.token.address)
  const row = answer.tokens.find(({ token }) => token.address === chosen.value) ?? answer.tokens[0]
  if (row === undefined) return null
  return (
    <div class="stack">
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
              <bdi>{strangersText(symbolOf(token), 12)}</bdi>
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
      <Token key={row.token.address} row={row} />
    </div>
  )
}

function Token({ row }: { readonly row: TokenRevenue }) {
  const { token, intervals, total } = row
  const last = intervals.at(-1)
  const symbol = strangersText(symbolOf(token), 12)
  const outlook = answerNow('outlook', 'getProviderOutlook')
  return (
    <>
      <div class="desk__numbers">
        <Figure
          name="Monthly recurring"
          means="What the present subscribers bring in an average month if all of them pay. A weekly price counts 4.35 times, a quarterly a third, a yearly a twelfth. Others call it MRR."
        >
          {last === undefined ? '–' : <Money amount={last.mrrAtEnd.amount} token={token} />}
        </Figure>
        <Figure name="Subscribers" means="Who pays now, counted once for each plan.">
          {last?.subscribers.activeAtEnd ?? '–'}
        </Figure>
        <Figure
          name="This month"
          means="What has come in since the month began, in UTC: payments, and what those who left or could not pay had in reserve."
        >
          {last === undefined ? '–' : <Money amount={last.arrived.amount} token={token} />}
        </Figure>
        <Figure
          name="Churn this month"
          means="Of all who were subscribed at some time of this month, how many have left by themselves or could not pay."
        >
          {last === undefined ? '–' : churnWords(last)}
        </Figure>
      </div>
      <MonthBars rows={intervals} symbol={symbol} table={<Months rows={intervals} token={token} />} />
      <p class="quiet">
        In these months <Money amount={total.arrived.amount} token={token} /> came in:{' '}
        <Money amount={total.received.amount} token={token} /> with {total.payments} payments,{' '}
        <Money amount={total.feeBalancesReceived.amount} token={token} /> from{' '}
        <Term means="A part of what was paid that the contract keeps to pay those who collect. What is left of it comes to you when somebody leaves or cannot pay.">
          reserves
        </Term>
        ; {total.failures === 0 ? 'no payment failed' : `${total.failures} failed`}.{' '}
        <Money amount={total.keptByCallers.amount} token={token} /> went to those who collect.
      </p>
      {outlook === undefined ? null : <Ahead outlook={outlook} address={token.address} />}
    </>
  )
}

interface FigureProps {
  readonly name: string
  readonly means: string
  readonly children: preact.ComponentChildren
}

function Figure({ name, means, children }: FigureProps) {
  return (
    <div class="desk__number">
      <Term means={means}>{name}</Term>
      <div class="desk__value">{children}</div>
    </div>
  )
}

function Months({
  rows,
  token,
}: {
  readonly rows: TokenRevenue['intervals']
  readonly token: TokenRevenue['token']
}) {
  return (
    <Table
      caption="Income by month"
      rows={[...rows].reverse()}
      keyOf={({ from }) => from.dayNumber}
      columns={[
        {
          title: 'Month (UTC)',
          cell: ({ from, complete }) => `${monthWords(from)}${complete ? '' : ' (so far)'}`,
        },
        {
          title: 'Came in',
          isNumber: true,
          cell: ({ arrived }) => <Money amount={arrived.amount} token={token} />,
        },
        {
          title: 'With payments',
          isNumber: true,
          cell: ({ received }) => <Money amount={received.amount} token={token} />,
        },
        {
          title: 'From reserves',
          isNumber: true,
          cell: ({ feeBalancesReceived }) => <Money amount={feeBalancesReceived.amount} token={token} />,
        },
        { title: 'Payments', isNumber: true, cell: ({ payments }) => payments },
        { title: 'Failed', isNumber: true, cell: ({ failures }) => failures },
        { title: 'New', isNumber: true, cell: ({ subscribers }) => subscribers.new },
        { title: 'Left', isNumber: true, cell: ({ subscribers: { left, removed } }) => left + removed },
        { title: 'Dropped', isNumber: true, cell: ({ subscribers }) => subscribers.dropped },
        { title: 'At the end', isNumber: true, cell: ({ subscribers }) => subscribers.activeAtEnd },
        {
          title: 'Monthly recurring',
          isNumber: true,
          cell: ({ mrrAtEnd }) => <Money amount={mrrAtEnd.amount} token={token} />,
        },
      ]}
    />
  )
}

function Ahead({
  outlook,
  address,
}: {
  readonly outlook: GetProviderOutlookAnswer
  readonly address: string
}) {
  const total = outlook.income.totals.find(({ token }) => token.address === address)
  const { unread, memberships } = outlook.verdicts
  if (total === undefined) return null
  const { token, income, waiting, missed } = total
  return (
    <>
      <h3>
        Until <DueDay day={outlook.through} />
      </h3>
      <Facts
        rows={[
          ['Will come in', <Money key="income" amount={income.amount} token={token} />],
          waiting.amountRaw === 0n
            ? undefined
            : ['Waits', <Money key="waiting" amount={waiting.amount} token={token} />],
          missed.amountRaw === 0n
            ? undefined
            : [
                <Term
                  key="missed"
                  means="Whole payments of those whose money or permission does not do. Each of them then stops being a subscriber."
                >
                  Will be missed
                </Term>,
                <Money key="amount" amount={missed.amount} token={token} />,
              ],
        ]}
      />
      {unread > 0 ? (
        <p class="quiet">
          {unread} of {memberships} subscriptions have not been looked at yet and are in none of these sums.
        </p>
      ) : null}
    </>
  )
}
