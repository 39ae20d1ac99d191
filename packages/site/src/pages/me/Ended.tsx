import type { GetAccountOutlookAnswer, Token } from '@remit/client'
import { openDeed } from '../../deed/DeedDialog.tsx'
import { Button } from '../../design/Button.tsx'
import { Money } from '../../design/Money.tsx'
import { Said } from '../../design/Said.tsx'
import { Table } from '../../design/Table.tsx'
import { linkTo } from '../../page/api.ts'
import { answerNow } from '../../page/live.ts'
import { isMine } from '../../subject/subject.ts'
import { symbolOf } from '../../words/money.ts'
import { scheduleWords } from '../../words/schedule.ts'
import { strangersText } from '../../words/strangersText.ts'
import { revokeDeed } from './deeds.tsx'
import { type Membership, planNames } from './memberships.ts'

/** What does not run any more, out of the way. */
export function Ended({ rows }: { readonly rows: readonly Membership[] }) {
  return (
    <details class="card">
      <summary>
        {rows.length === 1 ? 'One subscription has ended' : `${rows.length} subscriptions have ended`}
      </summary>
      <Table
        caption="Ended subscriptions"
        rows={rows}
        keyOf={({ subscription: { id } }) => id}
        columns={[
          { title: 'Plan', cell: ({ subscription }) => <Name subscription={subscription} /> },
          {
            title: 'Price',
            cell: ({ subscription }) => (
              <>
                <Money amount={subscription.amount} token={subscription.token} />{' '}
                {scheduleWords(subscription)}
              </>
            ),
          },
          {
            title: 'How it ended',
            cell: ({ subscription }) =>
              subscription.cancelled ? 'The provider ended the plan' : 'Left, removed, or could not pay',
          },
        ]}
      />
      {isMine.value ? <Leftovers rows={rows} /> : null}
    </details>
  )
}

/** A permission outlives what it was given for. How much is left is read when somebody looks. */
function Leftovers({ rows }: { readonly rows: readonly Membership[] }) {
  const outlook = answerNow('outlook', 'getAccountOutlook')
  const tokens = outlook === undefined ? [] : unusedTokens(rows, outlook)
  return (
    <>
      {tokens.map((token) => (
        <p key={token.address} class="row me__leftover">
          A permission that you gave for <bdi>{strangersText(symbolOf(token), 12)}</bdi> may be left.
          <Button isSmall onClick={() => openDeed(revokeDeed(token, 0))}>
            Take back what is left …
          </Button>
        </p>
      ))}
    </>
  )
}

/** Those that nothing draws on any more. The others stand on the page with what is left of them. */
function unusedTokens(rows: readonly Membership[], { wallet }: GetAccountOutlookAnswer): Token[] {
  const used = new Set<string>(wallet.tokens.map(({ token }) => token.address))
  const unused = rows
    .map(({ subscription }) => subscription.token)
    .filter(({ address }) => !used.has(address))
  return [...new Map(unused.map((token) => [token.address, token])).values()]
}

function Name({ subscription }: Pick<Membership, 'subscription'>) {
  const { company } = planNames(subscription)
  return (
    <a href={linkTo(`/plans/${subscription.id}`)}>
      {company === undefined ? 'A plan' : <Said text={company} most={40} />}
    </a>
  )
}
