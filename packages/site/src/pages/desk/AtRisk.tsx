import type { GetProviderOutlookAnswer } from '@remit/client'
import { Address } from '../../design/Address.tsx'
import { Badge, Card, Note } from '../../design/Card.tsx'
import { Money } from '../../design/Money.tsx'
import { Shown } from '../../design/State.tsx'
import { Table } from '../../design/Table.tsx'
import { DueDay } from '../../design/When.tsx'
import { linkTo } from '../../page/api.ts'
import { live } from '../../page/live.ts'
import { atMostWords } from '../../words/time.ts'

const outlook = live('outlook', 'getProviderOutlook')

/** Who will not pay in the next thirty days, so that somebody can write to them. */
export function AtRisk() {
  return (
    <Card title="Who is at risk">
      <Shown of={outlook} lines={4}>
        {(answer) => <Troubled answer={answer} />}
      </Shown>
    </Card>
  )
}

function Troubled({ answer }: { readonly answer: GetProviderOutlookAnswer }) {
  const { troubled, total, through, blockedBy, remit, verdicts } = answer
  const age = verdicts.oldest?.ageSeconds
  return (
    <div class="stack">
      {blockedBy === null ? null : (
        <Note kind="bad">
          <p>
            From <DueDay day={blockedBy} /> on nothing can be collected: the token refuses a payment of one
            subscriber, <Address address={blockedBy.subscriber} />. If it is yours, remove that subscriber
            below.
          </p>
        </Note>
      )}
      {blockedBy !== null || remit.stop === null ? null : (
        <Note kind="bad">
          <p>
            From <DueDay day={remit.stop.day} /> on nothing can be collected:{' '}
            {remit.stop.issues.map(({ message }) => message).join(' ')}
          </p>
        </Note>
      )}
      {troubled.length === 0 ? (
        <p>
          {verdicts.memberships === 0 ? (
            'Nobody: there is no subscriber now.'
          ) : verdicts.memberships === verdicts.unread ? (
            'Nobody’s balance has been looked at yet. Come back in a while.'
          ) : (
            <>
              Nobody: whoever was looked at can pay until <DueDay day={through} />.
            </>
          )}
        </p>
      ) : (
        <Table
          caption={total > troubled.length ? `The first ${troubled.length} of ${total}` : 'Those at risk'}
          isCaptionShown={total > troubled.length}
          rows={troubled}
          keyOf={({ subscriptionId, subscriber }) => `${subscriptionId}${subscriber}`}
          columns={[
            { title: 'Day (UTC)', cell: (row) => <DueDay day={row} /> },
            { title: 'Subscriber', cell: ({ subscriber }) => <Address address={subscriber} /> },
            {
              title: 'Payment',
              isNumber: true,
              cell: ({ amount, token, subscriptionId }) => (
                <a href={linkTo(`/plans/${subscriptionId}`)}>
                  <Money amount={amount} token={token} />
                </a>
              ),
            },
            {
              title: 'How it stands',
              cell: ({ outcome }) =>
                outcome === 'waits' ? <Badge kind="mind">Waits</Badge> : <Badge kind="bad">Will fail</Badge>,
            },
            { title: 'What is missing', cell: (row) => <Missing row={row} /> },
          ]}
        />
      )}
      {age === undefined ? null : (
        <p class="quiet">
          Balances and permissions were read within the last {atMostWords(Math.max(60, age))}. Whoever adds
          money or permission since then is fine.
        </p>
      )}
    </div>
  )
}

type Row = GetProviderOutlookAnswer['troubled'][number]

function Missing({ row: { reason, missing, token } }: { readonly row: Row }) {
  if (reason === 'blocked') return <>the token refuses it</>
  return (
    <>
      {missing.balance.amountRaw === 0n ? null : (
        <div>
          <Money amount={missing.balance.amount} token={token} /> money
        </div>
      )}
      {missing.allowance.amountRaw === 0n ? null : (
        <div>
          <Money amount={missing.allowance.amount} token={token} /> permission
        </div>
      )}
    </>
  )
}
