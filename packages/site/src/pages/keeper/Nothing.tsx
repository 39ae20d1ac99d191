import type { RemitReadiness } from '@remit/client'
import { Card, Facts } from '../../design/Card.tsx'
import { Empty, Shown } from '../../design/State.tsx'
import { DueDay } from '../../design/values/When.tsx'
import { live } from '../../page/live.ts'
import { perToken } from './perToken.tsx'

const ahead = live('ahead', 'simulateRemit')

/** What the page shows while nothing is due: why, and when the next payment is. */
export function Nothing({ details }: { readonly details: RemitReadiness }) {
  return (
    <>
      <Empty title="Nothing waits to be collected.">
        {details.nextUncheckedDay.dayNumber < details.currentDay.dayNumber ? (
          <p>
            Nobody owes anything. But the contract has not gone through the days since{' '}
            <DueDay day={details.nextUncheckedDay} /> yet: whoever joins a plan with a payment day among them
            is charged for that day as well.
          </p>
        ) : (
          <p>Every payment that was due up to today is collected.</p>
        )}
      </Empty>
      <Card title="The next day that takes a transaction">
        <Shown of={ahead} lines={3}>
          {({ calls, day, unfinished }) => {
            const [next] = calls
            if (next === undefined) {
              return (
                <p>
                  {unfinished === null ? (
                    <>
                      Nothing is due until <DueDay day={day} />.
                    </>
                  ) : (
                    'It could not be told: the contract’s next call could not be tried out.'
                  )}
                </p>
              )
            }
            return (
              <Facts
                rows={[
                  ['Day', <DueDay key="day" day={next} today={details.currentDay.dayNumber} />],
                  ['From when on', 'It can be collected as soon as that day begins, at midnight UTC.'],
                  [
                    'Payments',
                    next.paid + next.failed === 0
                      ? 'none: members of a cancelled plan, or of one whose token is paused, are due on it, so that it takes a transaction of its own'
                      : `${next.paid} would pay${next.failed > 0 ? `, ${next.failed} would fail` : ''}, as things stand now`,
                  ],
                  ...perToken('It would earn', next.callerFees),
                ]}
              />
            )
          }}
        </Shown>
      </Card>
    </>
  )
}
