import type { GetProviderOutlookAnswer, Member } from '@remit/client'
import { LinkButton } from '../../../design/Button.tsx'
import { Card } from '../../../design/Card.tsx'
import { Shown } from '../../../design/State.tsx'
import { DueDay } from '../../../design/values/When.tsx'
import { linkTo, root } from '../../../page/api.ts'
import { live } from '../../../page/live.ts'
import { subject } from '../../../subject/subject.ts'
import { SOON_DAYS, troubledOf } from '../members/isSoon.ts'
import { MemberTable } from '../members/MemberTable.tsx'
import { FreshBalances, FreshList, NobodySoon, Stopped } from './FreshBalances.tsx'
import { newerThan } from './freshReading.ts'

const outlook = live('outlook', 'getProviderOutlook')
const members = live('members', 'listProviderMembers')

/**
 * The card "Who will not pay": whose payment fails soon, so that the provider can write to them, and below, folded, whose fails later. Both
 * lists come from balances that the service read in the background. Once the provider has had the wallets read now (`FreshBalances`), that
 * answer (`newer`) takes the place of the upper list for the days that it covers; whose next payment comes after them stays above.
 */
export function AtRisk() {
  return (
    <Card
      title="Who will not pay soon"
      beside={
        <LinkButton isSmall href={linkTo('/desk/members', { address: subject.value })}>
          All members
        </LinkButton>
      }
    >
      <Shown of={outlook} lines={4}>
        {(ahead) => (
          <div class="stack">
            <Stopped outlook={newerThan(ahead) ?? ahead} />
            <Shown of={members} lines={4}>
              {({ members: rows }) => (
                <Troubled
                  outlook={ahead}
                  newer={newerThan(ahead)}
                  rows={rows.filter(({ trouble }) => trouble !== null)}
                />
              )}
            </Shown>
            {ahead.verdicts.memberships === 0 ? null : <FreshBalances />}
            <p>
              <a href={linkTo('/desk/members', { address: subject.value, left: 'true' })}>Who left</a>
            </p>
            {ahead.total > 0 ? (
              <p class="quiet">
                A payment that fails ends the subscription, so tell them before the day:{' '}
                <a href={`${root}/docs/providers#reach-your-members`}>how to reach members</a>. Who has too
                little money adds some to the wallet. Who has too small a permission extends it under “My
                subscriptions”.
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

interface TroubledProps extends OutlookProps {
  /** A newer reading, of the next days only (`freshReading.ts`). For these days it replaces what the page came with. */
  readonly newer: GetProviderOutlookAnswer | undefined
  readonly rows: readonly Member[]
}

function Troubled({ outlook, newer, rows }: TroubledProps) {
  const { total, from, through } = outlook
  const { soon, later } = troubledOf(rows, from.dayNumber, newer?.through.dayNumber)
  const more = total > rows.length ? `${rows.length} of the ${total.toLocaleString('en')}` : undefined
  return (
    <>
      {newer === undefined ? null : <FreshList answer={newer} />}
      {newer === undefined || soon.length === 0 ? null : <p>Of a later day, and yet their next payment:</p>}
      {soon.length > 0 ? (
        <MemberTable rows={soon} />
      ) : newer === undefined ? (
        <NobodySoon outlook={outlook} />
      ) : null}
      {later.length > 0 ? (
        <details class="desk__more stack-small">
          <summary>
            Permission or money ends later (
            {Math.max(later.length, total - rows.length + later.length).toLocaleString('en')})
          </summary>
          <p class="quiet">
            They pay what is due within {SOON_DAYS} days. Most permissions end some day, because a member
            allows a number of payments; members extend them.
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
