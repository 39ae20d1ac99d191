import type { RemitReadiness } from '@remit/client'
import { Badge, Card, Note } from '../../design/Card.tsx'
import { Term } from '../../design/Term.tsx'
import { Address, Hash } from '../../design/values/Address.tsx'
import { Table } from '../../design/values/Table.tsx'
import { DueDay } from '../../design/values/When.tsx'
import { linkTo } from '../../page/api.ts'
import { answerNow } from '../../page/live.ts'
import { PlanTitle } from '../../plan/PlanTitle.tsx'

/** The most days that are listed. Of a longer backlog the caption tells the number. */
const MOST_DAYS = 14
const MOST_FAILING = 10

/** The most members that the API names (`failing`): where there are so many, there may be more. */
const MOST_NAMED = 100

/** The days that wait to be collected, and the members whose payment will fail. */
export function Waiting({ details }: { readonly details: RemitReadiness }) {
  const { days, failing, currentDay, seen, expectedTransactions } = details
  return (
    <div class="stack">
      <Card title="What waits">
        <div class="stack">
          <Table
            caption={
              days.length > MOST_DAYS
                ? `The first ${MOST_DAYS} of ${days.length} days to collect`
                : 'Days to collect'
            }
            isCaptionShown={days.length > MOST_DAYS}
            rows={days.slice(0, MOST_DAYS)}
            keyOf={({ dayNumber }) => dayNumber}
            columns={[
              { title: 'Day (UTC)', cell: (day) => <DueDay day={day} today={currentDay.dayNumber} /> },
              { title: 'Plans', isNumber: true, cell: ({ subscriptions }) => subscriptions },
              { title: 'Will pay', isNumber: true, cell: ({ willPay }) => willPay },
              { title: 'Will fail', isNumber: true, cell: ({ willFail }) => willFail },
              {
                title: (
                  <Term means="One transaction collects one day, and no more than so many members. A day with many takes several.">
                    Transactions
                  </Term>
                ),
                label: 'Transactions',
                isNumber: true,
                cell: ({ transactions }) => transactions,
              },
              {
                title: (
                  <Term means="Tried out: the network has just carried it out without keeping it. Calculated: by the contract’s rules, because the days before it have to be collected first.">
                    How sure
                  </Term>
                ),
                label: 'How sure',
                cell: ({ state }) => {
                  // A state that only a newer service knows is shown by its name, in the colour of a warning.
                  const { kind, words } = STATES[state] ?? { kind: 'mind' as const, words: state }
                  return <Badge {...(kind === undefined ? {} : { kind })}>{words}</Badge>
                },
              },
            ]}
          />
          {days
            .slice(0, MOST_DAYS)
            .some(({ willPay, willFail, transactions }) => willPay + willFail === 0 && transactions > 0) ? (
            <p class="quiet">
              A day on which nobody pays can take a transaction too, which earns nothing: where members of a
              cancelled plan, or of one whose token is paused, are due on it, the days after it can be
              collected only once that is done.
            </p>
          ) : null}
          {seen.calls < expectedTransactions ? (
            <p class="quiet">
              {seen.calls === 0
                ? 'No transaction could be tried out: the numbers are calculated by the contract’s rules.'
                : `The first ${seen.calls} of ${expectedTransactions} transactions were tried out; the numbers of the others are calculated by the contract’s rules.`}
            </p>
          ) : null}
        </div>
      </Card>
      {failing.length === 0 ? null : (
        <Card title="Who cannot pay">
          <div class="stack">
            <Note>
              <p>A payment that fails ends the subscription.</p>
            </Note>
            <Table
              caption={`Those whose payment will fail${failing.length > MOST_FAILING ? `: the first ${MOST_FAILING} of ${failing.length}${failing.length === MOST_NAMED ? ' or more' : ''}` : ''}`}
              isCaptionShown={failing.length > MOST_FAILING}
              rows={failing.slice(0, MOST_FAILING)}
              keyOf={({ subscriptionId, subscriber, date }) => `${subscriptionId}${subscriber}${date}`}
              columns={[
                {
                  title: 'Day (UTC)',
                  cell: ({ date }) => <DueDay day={{ dayNumber: Date.parse(date) / 86_400_000, date }} />,
                },
                { title: 'Member', cell: ({ subscriber }) => <Address address={subscriber} /> },
                {
                  title: 'Plan',
                  cell: ({ subscriptionId }) => <FailingPlan id={subscriptionId} />,
                },
                {
                  title: 'Why',
                  cell: ({ reason }) =>
                    reason === null
                      ? 'not known'
                      : reason === 'allowance'
                        ? 'permission too small'
                        : 'too little money',
                },
              ]}
            />
          </div>
        </Card>
      )}
    </div>
  )
}

/** The plan of a payment that will fail: by its name, where the page came with that. */
function FailingPlan({ id }: { readonly id: string }) {
  const plan = answerNow(`plan:${id}`, 'getSubscription')?.subscription
  if (plan !== undefined) return <PlanTitle subscription={plan} />
  return <Hash hash={id} what="plan’s id" href={linkTo(`/plans/${id}`)} />
}

/** How sure the numbers of a day are, by the state that the API names. */
interface Sureness {
  /** The badge's colour; `undefined` for none. */
  readonly kind: 'good' | 'bad' | undefined
  readonly words: string
}

const STATES: Readonly<Record<string, Sureness>> = {
  tried: { kind: 'good', words: 'tried out' },
  reckoned: { kind: undefined, words: 'calculated' },
  blocked: { kind: 'bad', words: 'blocked' },
}
