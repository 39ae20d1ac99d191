import '../../plan/plan.css'
import './page.css'
import type { Day } from '@remit/client'
import { dateOf } from '@remit/protocol/calendar'
import type { ComponentChildren } from 'preact'
import { LinkButton } from '../../design/Button.tsx'
import { Card, Facts, Note } from '../../design/Card.tsx'
import { Empty, Shown } from '../../design/State.tsx'
import { Term } from '../../design/Term.tsx'
import { DueDay } from '../../design/values/When.tsx'
import { linkTo, root } from '../../page/api.ts'
import { pageData } from '../../page/pageData.ts'
import { given } from '../../page/Resource.ts'
import { PlanCard } from '../../plan/PlanCard.tsx'
import { RESERVE_MEANS } from '../../words/money.ts'

const state = given('state', 'getProtocolState')
const plans = given('plans', 'searchSubscriptions')

/** The first page: what Remit is, three ways to begin, the newest plans, and how the chain stands. */
export function Page() {
  return (
    <div class="home">
      <section class="home__lead">
        <h1 class="home__title">Payments that repeat, on terms that cannot change</h1>
        <p class="home__words">
          A plan says who is paid, how much and on which day. You subscribe from your own wallet: a first part
          is taken at once, then exactly the price on each payment day, until you leave – and you can leave at
          any time.
        </p>
      </section>
      <section class="columns" aria-label="Where to begin">
        <Door title="Subscribe" to={linkTo('/plans')} action="See the plans">
          Look at what is offered, read the terms in plain words, and sign with the wallet you have.
        </Door>
        <Door title="Sell" to={linkTo('/desk')} action="Publish a plan">
          Set a price and a day. Send the link. The money goes from your members’ wallets straight to yours.{' '}
          <a href={`${root}/docs/providers`}>What it costs</a>
        </Door>
        <Door title="Build" to={`${root}/docs`} action="Read the docs">
          The same over REST, as tools for agents, and as a typed client. Every transaction is tried out
          before you sign.
        </Door>
      </section>
      <div class="aside">
        <section aria-labelledby="newest">
          <div class="card__head">
            <h2 id="newest">Newest plans</h2>
            <a href={linkTo('/plans')}>All plans</a>
          </div>
          <Shown of={plans} lines={8}>
            {({ subscriptions }) =>
              subscriptions.length === 0 ? (
                <Empty title="No plan has been published on this chain yet.">
                  <LinkButton href={linkTo('/desk')}>Publish the first one</LinkButton>
                </Empty>
              ) : (
                <div class="plan-list">
                  {subscriptions.map((plan) => (
                    <PlanCard key={plan.id} plan={plan} />
                  ))}
                </div>
              )
            }
          </Shown>
        </section>
        <ChainState />
      </div>
    </div>
  )
}

interface DoorProps {
  readonly title: string
  readonly to: string
  readonly action: string
  readonly children: ComponentChildren
}

/** One of the three ways to begin, with a link to it. */
function Door({ title, to, action, children }: DoorProps) {
  return (
    <div class="card home__door">
      <h2>{title}</h2>
      <p>{children}</p>
      <LinkButton href={to}>{action}</LinkButton>
    </div>
  )
}

function ChainState() {
  return (
    <Card title={pageData.chain?.name ?? 'The chain'}>
      <Shown of={state} lines={4}>
        {({ currentDay, nextUncheckedDay, daysBehind, callerFeePercent }) => (
          <div class="stack">
            <Facts
              rows={[
                ['Today', <DueDay key="today" day={currentDay} />],
                [
                  <Term
                    key="next"
                    means="Payments are collected by a call named remit, which anybody may make. It has gone through this day and all before it."
                  >
                    Collected through
                  </Term>,
                  <DueDay key="day" day={dayBefore(nextUncheckedDay)} today={currentDay.dayNumber} />,
                ],
                [
                  <Term
                    key="fee"
                    means={`Whoever collects the payments of a day earns this part of each, out of each member’s collecting reserve. ${RESERVE_MEANS}`}
                  >
                    Pays collectors
                  </Term>,
                  `${callerFeePercent} % of each payment, and nothing on top of it`,
                ],
              ]}
            />
            {daysBehind > 0 ? (
              <Note kind="mind">
                <p>
                  {daysBehind === 1 ? 'One earlier day has' : `${daysBehind} earlier days have`} not been gone
                  through yet. <a href={linkTo('/keeper')}>See whether a payment waits</a>
                </p>
              </Note>
            ) : (
              <p class="quiet">Every earlier day has been collected.</p>
            )}
          </div>
        )}
      </Shown>
    </Card>
  )
}

function dayBefore({ dayNumber }: Day): Day {
  return { dayNumber: dayNumber - 1, date: dateOf(dayNumber - 1) }
}
