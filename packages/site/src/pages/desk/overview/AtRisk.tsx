import type { GetProviderOutlookAnswer, Member } from '@remit/client'
import { dateOf } from '@remit/protocol/calendar'
import { Address } from '../../../design/Address.tsx'
import { LinkButton } from '../../../design/Button.tsx'
import { Card, Note } from '../../../design/Card.tsx'
import { later } from '../../../design/later.tsx'
import { Shown } from '../../../design/State.tsx'
import { DueDay } from '../../../design/When.tsx'
import { linkTo, root } from '../../../page/api.ts'
import { chainNow, live } from '../../../page/live.ts'
import { subject } from '../../../subject/subject.ts'
import { isSoon, SOON_DAYS } from '../members/isSoon.ts'
import { REASON_WORDS } from '../reasonWords.ts'

/** It stands last on the page. */
const MemberTable = later(async () => (await import('../members/MemberTable.tsx')).MemberTable)

/** It is for a second look. */
const FreshBalances = later(async () => (await import('./FreshBalances.tsx')).FreshBalances)

const outlook = live('outlook', 'getProviderOutlook')
const members = live('members', 'listProviderMembers')
const lately = live('lately', 'listProviderPayments')

/** Who will not pay soon, so that somebody can write to them; and whose permission or money ends later. */
export function AtRisk() {
  return (
    <Card
      title="Who will not pay"
      beside={
        <LinkButton isSmall href={linkTo('/desk/members', { address: subject.value })}>
          All members
        </LinkButton>
      }
    >
      <Shown of={outlook} lines={4}>
        {(ahead) => (
          <div class="stack">
            <Stopped outlook={ahead} />
            <Shown of={members} lines={4}>
              {({ members: rows }) => (
                <Troubled outlook={ahead} rows={rows.filter(({ trouble }) => trouble !== null)} />
              )}
            </Shown>
            {ahead.verdicts.memberships === 0 ? null : <FreshBalances days={SOON_DAYS + 1} />}
            <Lost />
            {ahead.total > 0 ? (
              <p class="quiet">
                A payment that fails ends the subscription, so tell them before the day. The chain knows no
                more of them than the address: how you{' '}
                <a href={`${root}/docs/providers#reach-your-members`}>get to know your members</a>. Who has
                too little money adds some to the wallet. Who has too small a permission extends it under “My
                subscriptions”. Whether they have just done so is on their wallet’s page, behind the address.
              </p>
            ) : null}
          </div>
        )}
      </Shown>
    </Card>
  )
}

interface OutlookProps {
  readonly outlook: GetProviderOutlookAnswer
}

/** What holds everybody's payments up. */
function Stopped({ outlook: { blockedBy, remit } }: OutlookProps) {
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

function Troubled({ outlook, rows }: OutlookProps & { readonly rows: readonly Member[] }) {
  const { total, from, through } = outlook
  const soon = rows.filter((row) => isSoon(row, from.dayNumber))
  const later = rows.filter((row) => !isSoon(row, from.dayNumber))
  const more = total > rows.length ? `${rows.length} of the ${total.toLocaleString('en')}` : undefined
  return (
    <>
      {soon.length > 0 ? <MemberTable rows={soon} /> : <NobodySoon outlook={outlook} />}
      {later.length > 0 ? (
        <details class="desk__more stack-small">
          <summary>
            Permission or money ends later ({Math.max(later.length, total - soon.length).toLocaleString('en')}
            )
          </summary>
          <p class="quiet">
            They pay what is due within {SOON_DAYS} days. A wallet that subscribes allows a number of
            payments, so most permissions end some day; members extend them.
          </p>
          <MemberTable rows={later} />
        </details>
      ) : null}
      {more === undefined ? null : (
        <p class="quiet">
          {more} whose permission or money ends by <DueDay day={through} today={from.dayNumber} />, soonest
          first.
        </p>
      )}
    </>
  )
}

function NobodySoon({ outlook: { verdicts, from } }: OutlookProps) {
  const dayNumber = from.dayNumber + SOON_DAYS
  return (
    <p>
      {verdicts.memberships === 0 ? (
        'Nobody: there is no member now.'
      ) : verdicts.memberships === verdicts.unread ? (
        'Nobody’s balance has been looked at yet. Come back in a while.'
      ) : (
        <>
          Nobody: {verdicts.unread === 0 ? 'all' : 'those whose balance has been looked at'} can pay what is
          due through <DueDay day={{ dayNumber, date: dateOf(dayNumber) }} />.
        </>
      )}
    </p>
  )
}

/** Whose payment failed, as far as the newest payments tell. */
function Lost() {
  const known = lately.value
  const rows = known.state === 'there' ? known.answer.payments.filter(({ kind }) => kind === 'dropped') : []
  if (rows.length === 0) return null
  return (
    <div>
      <p>Lost lately, because a payment failed:</p>
      <ul>
        {rows.map(({ transactionHash, logIndex, subscriber, day, dropReason }) => (
          <li key={`${transactionHash}${logIndex}`} class="row">
            <Address address={subscriber} /> <DueDay day={day} today={chainNow.value?.today} />
            <span class="quiet">{REASON_WORDS[dropReason ?? '']}</span>
          </li>
        ))}
      </ul>
      <p class="quiet">Who has left, or was removed, stands in the history on each plan’s page.</p>
    </div>
  )
}
