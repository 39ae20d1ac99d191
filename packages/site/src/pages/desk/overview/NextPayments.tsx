import type { GetProviderOutlookAnswer } from '@remit/client'
import { LinkButton } from '../../../design/Button.tsx'
import { Badge, Card } from '../../../design/Card.tsx'
import { Shown } from '../../../design/State.tsx'
import { Money } from '../../../design/values/Money.tsx'
import { Table } from '../../../design/values/Table.tsx'
import { DueDay } from '../../../design/values/When.tsx'
import { linkTo, root } from '../../../page/api.ts'
import { live } from '../../../page/live.ts'
import { WITHOUT_FILLS } from '../../../plan/PaidSum.tsx'
import { isMine } from '../../../subject/subject.ts'
import { newerThan } from './freshReading.ts'

const outlook = live('outlook', 'getProviderOutlook')
const state = live('state', 'getProtocolState')

type IncomeDay = GetProviderOutlookAnswer['income']['days'][number]

const MOST_DAYS = 5

/** The card of the next payment days: what is expected on each, and that somebody has to collect it. */
export function NextPayments() {
  return (
    <Card
      title="Next payments"
      beside={
        <LinkButton isSmall href={linkTo('/keeper')}>
          Collect payments
        </LinkButton>
      }
    >
      <div class="stack">
        <Shown of={outlook} lines={6}>
          {(answer) => (
            <>
              <Days days={answer.income.days} from={answer.from} through={answer.through} />
              {newerThan(answer) === undefined ? null : (
                <p class="quiet">This table uses older balances than “Who will not pay” below.</p>
              )}
            </>
          )}
        </Shown>
        <Shown of={state} lines={2}>
          {({ callerFeePercent }) => (
            <p class="quiet">
              Somebody has to collect a payment, on its day or later. In that moment the money is in{' '}
              {isMine.value ? 'your' : 'the provider’s'} wallet. Whoever collects earns {callerFeePercent} %
              of each payment, out of the members’ reserves. If nobody does, do it yourself.{' '}
              <a href={`${root}/docs/providers`}>How it works</a>
            </p>
          )}
        </Shown>
      </div>
    </Card>
  )
}

interface DaysProps extends Pick<GetProviderOutlookAnswer, 'from' | 'through'> {
  readonly days: readonly IncomeDay[]
}

function Days({ days, from: { dayNumber: today }, through }: DaysProps) {
  const ahead = (
    <>
      {' '}
      This page looks ahead through <DueDay day={through} />.
    </>
  )
  if (days.length === 0) return <p>None is due.{ahead}</p>
  return (
    <>
      <Table
        caption="Next payments"
        rows={days.slice(0, MOST_DAYS)}
        keyOf={({ dayNumber, token }) => `${dayNumber}${token.address}`}
        columns={[
          { title: 'Day (UTC)', isName: true, cell: (day) => <DueDay day={day} today={today} /> },
          { title: 'Will pay', isNumber: true, cell: ({ charges }) => charges.toLocaleString('en') },
          {
            title: 'Will fail',
            isNumber: true,
            cell: ({ fails }) => (fails === 0 ? '0' : <Badge kind="bad">{fails.toLocaleString('en')}</Badge>),
          },
          { title: 'Will come in', isNumber: true, cell: (day) => <Income day={day} /> },
        ]}
      />
      <p class="quiet">
        {days.length > MOST_DAYS ? `The next ${MOST_DAYS}.` : null}
        {new Set(days.map(({ token }) => token.address)).size > 1 ? ' In all tokens.' : null} {WITHOUT_FILLS}
        {days.slice(0, MOST_DAYS).some(({ fails }) => fails > 0)
          ? ' What is left of the reserves of those who fail comes in on top.'
          : null}
        {ahead}
      </p>
    </>
  )
}

function Income({ day: { income, charges, waiting, token } }: { readonly day: IncomeDay }) {
  return (
    <>
      <Money amount={income.amount} token={token} />
      {income.amountRaw === 0n && charges > 0 ? (
        <div class="quiet desk__beside">all goes into collecting reserves</div>
      ) : null}
      {waiting.amountRaw === 0n ? null : (
        <div class="quiet desk__beside">
          <Money amount={waiting.amount} token={token} /> wait
        </div>
      )}
    </>
  )
}
