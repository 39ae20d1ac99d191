import type { GetAccountAnswer, GetAccountOutlookAnswer, OutlookToken } from '@remit/client'
import { Badge, Card, Note } from '../../design/Card.tsx'
import { Shown } from '../../design/State.tsx'
import { ExactMoney, Money } from '../../design/values/Money.tsx'
import { Table } from '../../design/values/Table.tsx'
import { DueDay } from '../../design/values/When.tsx'
import { linkTo } from '../../page/api.ts'
import { pageData } from '../../page/pageData.ts'
import { given, isGiven } from '../../page/Resource.ts'
import { PlanTitle } from '../../plan/PlanTitle.tsx'
import { Provider } from '../../plan/Provider.tsx'
import { ENDINGS } from '../../words/endings.ts'
import { isEndless, symbolOf } from '../../words/money.ts'
import { coveredThrough, coveredWords, skippedWords } from '../../words/outlook.ts'
import { strangersText } from '../../words/strangersText.ts'
import { dayWords } from '../../words/time.ts'

type Row = GetAccountAnswer['subscribedTo'][number]

interface PaysProps {
  readonly rows: readonly Row[]
  /** How many there are in all. */
  readonly total: number
  readonly address: string
}

/** What a wallet subscribes to, and how long its balance and allowance last. */
export function Pays({ rows, total, address }: PaysProps) {
  return (
    <Card title="Pays" beside={<a href={linkTo(`/accounts/${address}/calendar.ics`)}>Calendar</a>}>
      <div class="stack">
        <Ahead />
        <Table
          caption="Subscriptions of this wallet"
          rows={rows}
          keyOf={({ subscription }) => subscription.id}
          columns={[
            { title: 'Plan', cell: ({ subscription }) => <PlanTitle subscription={subscription} /> },
            { title: 'Paid to', cell: ({ subscription }) => <Provider address={subscription.provider} /> },
            { title: 'Next due', cell: (row) => nextOf(row) },
            { title: 'Covered', cell: (row) => <Covered row={row} /> },
          ]}
        />
        {total === rows.length ? null : (
          <p class="quiet">
            {rows.length} of {total}. <a href={linkTo(`/accounts/${address}`)}>All of them as JSON</a>
          </p>
        )}
      </div>
    </Card>
  )
}

// The contract's status of a membership: 0 where it runs, 1 where the plan was cancelled, 2 where the
// member left, was removed or was dropped.

function nextOf({ status, subscription: { nextDue } }: Row) {
  if (status !== 0 || nextDue === null) return '–'
  return <DueDay day={nextDue} today={pageData.chain?.today} />
}

function Covered({ row: { status, tokenPaused, covers, subscription } }: { readonly row: Row }) {
  if (status === 2) return <Badge>Ended</Badge>
  if (status === 1 || subscription.cancelled) return <Badge kind="bad">{ENDINGS.cancelled}</Badge>
  if (covers === null) return <>–</>
  if (tokenPaused) return <Badge>Token paused</Badge>
  if (covers.periods === 0) return <Badge kind="bad">Next payment not covered</Badge>
  const through = coveredThrough(covers)
  if (through === undefined) return <Badge kind="good">Without end</Badge>
  return (
    <>
      through <DueDay day={through} />
    </>
  )
}

/** Whether the next three months are paid, token by token. */
function Ahead() {
  if (!isGiven('outlook')) return null
  return (
    <Shown of={given('outlook', 'getAccountOutlook')} lines={2}>
      {({ wallet: { tokens }, counts, through }) => (
        <>
          {counts.charges === 0 ? (
            <p>
              No payment is due through <DueDay day={through} />.
            </p>
          ) : counts.fails === 0 && counts.waits === 0 ? (
            <Covering counts={counts} through={through} />
          ) : (
            <Note kind="bad">
              {counts.fails > 0
                ? `${counts.fails} of ${counts.charges} payments through ${dayWords(through)} ${counts.fails === 1 ? 'is' : 'are'} not covered, as money and permission stand now.`
                : `${counts.waits} of ${counts.charges} payments through ${dayWords(through)} ${counts.waits === 1 ? 'waits' : 'wait'}, because collecting is held up.`}
            </Note>
          )}
          {counts.skipped > 0 ? <p>{skippedWords(counts.skipped)}</p> : null}
          <TokenTable rows={tokens} />
        </>
      )}
    </Shown>
  )
}

function Covering({ counts, through }: Pick<GetAccountOutlookAnswer, 'counts' | 'through'>) {
  if (counts.pays === 0) return null
  const { which, verb } = coveredWords(counts)
  return (
    <Note kind="good">
      {which} due through <DueDay day={through} /> {verb} covered, as money and permission stand now.
    </Note>
  )
}

function TokenTable({ rows }: { readonly rows: readonly OutlookToken[] }) {
  return (
    <Table
      caption="What the wallet holds and lets the contract take"
      rows={rows}
      keyOf={({ token }) => token.address}
      columns={[
        { title: 'Token', cell: ({ token }) => <bdi>{strangersText(symbolOf(token), 20)}</bdi> },
        {
          title: 'Holds',
          isNumber: true,
          cell: ({ balance, token }) => <Money amount={balance.amount} token={token} rounding="down" />,
        },
        {
          title: 'Permission',
          isNumber: true,
          cell: ({ allowance, token }) =>
            isEndless(allowance) ? 'without limit' : <ExactMoney amount={allowance.amount} token={token} />,
        },
        {
          title: 'First not covered',
          cell: ({ firstFailure }) => (firstFailure === null ? 'none' : <DueDay day={firstFailure.day} />),
        },
      ]}
    />
  )
}
