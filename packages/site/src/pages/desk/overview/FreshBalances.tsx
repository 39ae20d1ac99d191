import type { GetProviderOutlookAnswer } from '@remit/client'
import { dateOf } from '@remit/protocol/calendar'
import { Button } from '../../../design/Button.tsx'
import { Note } from '../../../design/Card.tsx'
import { Menu } from '../../../design/frame/Menu.tsx'
import { Failed } from '../../../design/State.tsx'
import { Address, short } from '../../../design/values/Address.tsx'
import { Money } from '../../../design/values/Money.tsx'
import { Table } from '../../../design/values/Table.tsx'
import { DueDay, When } from '../../../design/values/When.tsx'
import { linkTo } from '../../../page/api.ts'
import { answerNow } from '../../../page/live.ts'
import { subject } from '../../../subject/subject.ts'
import { SOON_DAYS } from '../members/isSoon.ts'
import { Missing } from '../members/Verdict.tsx'
import { PlanLink } from '../payments/PlanLink.tsx'
import { freshReading, readWallets } from './freshReading.ts'

// The parts of the card "Who will not pay" (`AtRisk.tsx`): the button that reads the members' wallets anew, the list by that reading, the
// sentence where nobody fails soon, the warning where nothing can be collected. An outcome `waits` is a payment that is held up with
// everybody's: remit itself reverts from that day on.

const again = () => void readWallets()

/** The button that reads the members' wallets from the chain: the balances that the page came with may be hours old. */
export function FreshBalances() {
  const known = freshReading.value
  return (
    <div class="stack-small">
      <p class="row">
        <Button isSmall isOff={known?.state === 'loading'} onClick={again}>
          {known?.state === 'loading' ? 'Reading their wallets …' : 'Read their wallets now'}
        </Button>
      </p>
      {known?.state === 'failed' ? <Failed error={known.error} retry={again} /> : null}
    </div>
  )
}

type Row = GetProviderOutlookAnswer['troubled'][number]

/** Who will not pay within `SOON_DAYS`, by the reading that the button has asked for. */
export function FreshList({ answer }: { readonly answer: GetProviderOutlookAnswer }) {
  const { troubled, total, from, through, verdicts, asOf } = answer
  // The answer also has those who lacked something before this reading, and pay now.
  const rows = troubled.filter(({ outcome }) => outcome === 'fails' || outcome === 'waits')
  return (
    <div class="stack-small">
      <p role="status">
        Their wallets were read on <When at={new Date(asOf.timestamp * 1000)} />:{' '}
        {rows.length === 0 ? (
          <>
            all {verdicts.unread === 0 ? '' : 'that were read '}can pay what is due through{' '}
            <DueDay day={through} />.
          </>
        ) : (
          <>
            these will not pay by <DueDay day={through} today={from.dayNumber} />
            {/* Not all are listed: `total` counts those too whom `rows` leaves out, so it is said of the answer's list. */}
            {total > troubled.length ? `, the first of ${total.toLocaleString('en')}` : ''}.
          </>
        )}
      </p>
      {verdicts.unread === 0 ? null : (
        <p class="quiet">{verdicts.unread.toLocaleString('en')} could not be read.</p>
      )}
      {rows.length === 0 ? null : (
        <Table
          caption="Who will not pay as things stand"
          rows={rows}
          keyOf={({ subscriptionId, subscriber, date }) => `${subscriptionId}${subscriber}${date}`}
          columns={[
            { title: 'Member', isName: true, cell: ({ subscriber }) => <Address address={subscriber} /> },
            { title: 'Plan', cell: (row) => <PlanOf row={row} /> },
            { title: 'Day', cell: (row) => <DueDay day={row} today={from.dayNumber} /> },
            {
              title: 'Why',
              cell: ({ reason, missing, token }) =>
                reason === 'blocked' ? 'The token refuses it.' : <Missing {...{ missing, token }} />,
            },
            {
              title: <span class="unseen">What can be done</span>,
              label: '',
              isMenu: true,
              cell: (row) => <Menu label={short(row.subscriber)} items={actsOn(row)} />,
            },
          ]}
        />
      )}
    </div>
  )
}

/** The plan by its words where the page came with them, and its price. */
function PlanOf({ row: { subscriptionId, amount, token } }: { readonly row: Row }) {
  const { members = [] } = answerNow('members', 'listProviderMembers') ?? {}
  const known = members.find(({ subscription }) => subscription.id === subscriptionId)
  return (
    <>
      <PlanLink row={{ subscriptionId, description: known?.description ?? null }} />
      <div class="quiet">
        <Money amount={amount} token={token} />
      </div>
    </>
  )
}

function actsOn({ subscriber, subscriptionId }: Row) {
  return [
    { name: 'Show this wallet', href: linkTo(`/wallets/${subscriber}`) },
    { name: 'Show the plan', href: linkTo(`/plans/${subscriptionId}`) },
    {
      name: 'Show among the members',
      href: linkTo('/desk/members', { address: subject.value, subscriber, subscriptionId }),
    },
  ]
}

/** Says that nobody's payment fails soon, and how old the balances are which say so. */
export function NobodySoon({ outlook: { verdicts, from } }: { readonly outlook: GetProviderOutlookAnswer }) {
  const dayNumber = from.dayNumber + SOON_DAYS
  const { oldest } = verdicts
  const whoever = verdicts.unread === 0 ? 'all' : 'those whose balance has been looked at'
  return (
    <p>
      {verdicts.memberships === 0 ? (
        'Nobody: there is no member now.'
      ) : verdicts.memberships === verdicts.unread ? (
        'Nobody’s balance has been looked at yet. Come back in a while.'
      ) : (
        <>
          {oldest === null || oldest.ageSeconds < 60 ? (
            `Nobody: ${whoever} can`
          ) : (
            <>
              As of <When at={new Date(oldest.timestamp * 1000)} />, nobody: {whoever} could
            </>
          )}{' '}
          pay what is due through <DueDay day={{ dayNumber, date: dateOf(dayNumber) }} />.
        </>
      )}
    </p>
  )
}

/** Warns that collecting will be held up, which concerns all members, and says why. */
export function Stopped({ outlook: { blockedBy, remit } }: { readonly outlook: GetProviderOutlookAnswer }) {
  if (blockedBy !== null) {
    return (
      <Note kind="bad">
        <p>
          From <DueDay day={blockedBy} /> on nothing can be collected: the token refuses a payment of one
          member, <Address address={blockedBy.subscriber} />. If it is yours, remove that member.
        </p>
      </Note>
    )
  }
  if (remit.stop === null) return null
  return (
    <Note kind="bad">
      <p>
        From <DueDay day={remit.stop.day} /> on nothing can be collected:{' '}
        {remit.stop.issues.map(({ message }) => message).join(' ')}
      </p>
    </Note>
  )
}
