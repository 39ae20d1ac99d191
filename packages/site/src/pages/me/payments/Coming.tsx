import type { GetAccountOutlookAnswer } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { civilDate } from '@remit/protocol/calendar'
import { LinkButton } from '../../../design/Button.tsx'
import { Badge, Note } from '../../../design/Card.tsx'
import { Copy } from '../../../design/values/Address.tsx'
import { Money } from '../../../design/values/Money.tsx'
import { Pages } from '../../../design/values/Pages.tsx'
import { DueDay } from '../../../design/values/When.tsx'
import { apiUrl, linkTo, promptApi, root } from '../../../page/api.ts'
import { writtenMonth } from '../../../page/month.ts'
import { PlanName } from '../../../plan/PlanName.tsx'
import { coveredWords, skippedWords } from '../../../words/outlook.ts'
import { dayWords, monthWords, shortDayWords, weekdayWords } from '../../../words/time.ts'
import type { Membership } from '../memberships.ts'
import { chargeVerdict } from '../verdicts.ts'

/**
 * The notes at the head of the page: how many payments of the next months are covered, wait or are passed over. What fails is told at each
 * plan.
 */
export function Summary({ outlook }: { readonly outlook: GetAccountOutlookAnswer }) {
  const { counts, through, remit } = outlook
  const covered = coveredWords(counts)
  const seen = remit.seen.through
  return (
    <>
      {counts.fails > 0 ? null : counts.charges === 0 ? (
        <Note>
          <p>
            Nothing is due through <DueDay day={through} />.
          </p>
        </Note>
      ) : counts.pays === 0 ? null : (
        <Note kind="good">
          <p>
            {covered.which} that this page sees ahead, through <DueDay day={through} />, {covered.verb}{' '}
            covered, as money and permission stand now.
          </p>
        </Note>
      )}
      {counts.waits > 0 && remit.stop !== null ? (
        <Note kind="mind">
          <p>
            {counts.waits === 1 ? 'One payment waits' : `${counts.waits} payments wait`}: nothing can be
            collected from <DueDay day={remit.stop.day} /> on. You need not do anything. What is late is taken
            once that is solved, so keep the money in your wallet.
          </p>
        </Note>
      ) : null}
      {counts.skipped > 0 ? (
        <Note>
          <p>{skippedWords(counts.skipped)}</p>
        </Note>
      ) : null}
      {seen !== null && seen.dayNumber < through.dayNumber ? (
        <p class="quiet">
          Tried out on the contract up to <DueDay day={seen} />; reckoned by its rules after that. Money that
          your wallet receives until then is not counted.
        </p>
      ) : null}
    </>
  )
}

interface ComingProps {
  readonly outlook: GetAccountOutlookAnswer
  readonly rows: readonly Membership[]
}

/** The list of the next payments of all subscriptions, by month, and the feed that calendar programs follow. */
export function Coming({ outlook, rows }: ComingProps) {
  const { account, counts, today, through } = outlook
  const days = through.dayNumber - today.dayNumber
  return (
    // A phone shows the subscriptions first. A desk has room for both.
    <details class="card" open={matchMedia('(min-width: 60rem)').matches}>
      <summary>
        What comes by {dayWords(through)}: {comingWords(counts)}
      </summary>
      <div class="stack">
        <Pages
          first={outlook}
          more="Show the others"
          read={(after) => promptApi.getAccountOutlook({ address: account, days, after })}
        >
          {(pages) => (
            <Months outlook={{ ...outlook, charges: pages.flatMap((page) => page.charges) }} rows={rows} />
          )}
        </Pages>
        {counts.fails === 0 ? null : (
          <p class="quiet">
            A payment that is not covered fails and ends its subscription, so what would follow it is not
            listed.
          </p>
        )}
        <CalendarFeed account={account} />
      </div>
    </details>
  )
}

/** How many payments come, and beside them how many cannot be taken as things stand: "12 payments, and one not covered". */
function comingWords({ pays, waits, fails }: GetAccountOutlookAnswer['counts']): string {
  const comes = pays + waits
  if (comes === 0) return fails === 0 ? 'nothing' : `${paymentsWords(fails)}, not covered`
  return fails === 0
    ? paymentsWords(comes)
    : `${paymentsWords(comes)}, and ${fails === 1 ? 'one' : fails} not covered`
}

function paymentsWords(count: number): string {
  return count === 1 ? 'one payment' : `${count} payments`
}

const LATE = 'late'

function Months({ outlook, rows }: ComingProps) {
  const { today } = outlook
  // What is late is taken when somebody collects, and books have it in that month.
  const months = groups(outlook.charges, ({ day }) =>
    day.dayNumber < today.dayNumber ? LATE : writtenMonth(day.dayNumber),
  )
  const lastMonth = months.at(-1)?.[0]
  return (
    <>
      {months.map(([month, charges]) => (
        <section key={month}>
          <h3>
            {month === LATE
              ? 'Late, taken as soon as somebody collects'
              : monthWords(charges[0]?.day ?? today)}
            {month === lastMonth && outlook.charges.length < outlook.counts.charges ? ' (more below)' : null}
          </h3>
          <Charges charges={charges} outlook={outlook} rows={rows} />
        </section>
      ))}
    </>
  )
}

/**
 * A month's payments. Those of a plan with the same verdict share a row, with their days (UTC) and their sum: so a sum of
 * payments has none in it that is not covered.
 */
function Charges({ charges: all, outlook, rows }: ComingProps & { readonly charges: readonly Charge[] }) {
  const alike = groups(all, (charge) => `${charge.subscriptionId} ${chargeVerdict(charge, outlook).words}`)
  return (
    <ul class="me__payments">
      {alike.map(([key, charges]) => {
        const [first] = charges
        if (first === undefined) return null
        const plan = rows.find(({ subscription }) => subscription.id === first.subscriptionId)?.subscription
        const { kind, words } = chargeVerdict(first, outlook)
        // A payment that is covered counts with what it will take, which can differ a little from the price.
        const sum = charges.reduce(
          (before, { verdict, taken, amountRaw }) =>
            before + (verdict === 'pays' ? taken.amountRaw : amountRaw),
          0n,
        )
        return (
          <li key={key}>
            <span class="me__charge">
              {plan === undefined ? null : <PlanName plan={plan} />}
              <span class="quiet">
                On{' '}
                {charges.length === 1
                  ? weekdayWords(first.day)
                  : DAYS.format(
                      charges.map(({ day }) =>
                        day.dayNumber < outlook.today.dayNumber
                          ? shortDayWords(day, outlook.today.dayNumber)
                          : String(civilDate(day.dayNumber).day),
                      ),
                    )}{' '}
                (UTC)
              </span>
            </span>
            <span class="row">
              {kind === 'good' ? null : <Badge kind={kind}>{words}</Badge>}
              {plan === undefined ? null : (
                <Money amount={formatHuman(sum, plan.tokenDecimals)} token={plan.token} />
              )}
            </span>
          </li>
        )
      })}
    </ul>
  )
}

type Charge = GetAccountOutlookAnswer['charges'][number]

/** The charges grouped by a key. The groups are in the order of their first charges. */
function groups(charges: readonly Charge[], keyOf: (charge: Charge) => string) {
  const keys = [...new Set(charges.map(keyOf))]
  return keys.map((key) => [key, charges.filter((charge) => keyOf(charge) === key)] as const)
}

/** "3, 10 and 17". */
const DAYS = new Intl.ListFormat('en-GB', { type: 'conjunction' })

/** The due days as a feed that calendar programs follow. */
function CalendarFeed({ account }: { readonly account: string }) {
  const path = linkTo(`/accounts/${account}/calendar.ics`)
  const feed = `${apiUrl.slice(0, apiUrl.length - root.length)}${path}`
  return (
    <div class="stack-small">
      <p class="row">
        <LinkButton href={feed.replace(/^https?:/, 'webcal:')}>Add to my calendar</LinkButton>
        <a href={path}>Save as a file</a>
        <span class="row">
          Copy the link <Copy text={feed} what="link to the calendar" />
        </span>
      </p>
      <p class="quiet">The calendar follows what you change here. Whoever has its link can read it.</p>
    </div>
  )
}
