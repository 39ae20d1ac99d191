import type { GetProviderOutlookAnswer } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { Note } from '../../../design/Card.tsx'
import { Shown } from '../../../design/State.tsx'
import { ExactMoney } from '../../../design/values/Money.tsx'
import { DueDay } from '../../../design/values/When.tsx'
import { live } from '../../../page/live.ts'
import type { Month } from '../../../page/month.ts'
import { paymentsWords, Unread } from '../../../plan/PaidSum.tsx'
import { symbolOf } from '../../../words/money.ts'

const outlook = live('outlook', 'getProviderOutlook')

type IncomeDay = GetProviderOutlookAnswer['income']['days'][number]

/** Says what a month's sums leave out: payments that were due in it and are not collected, and those still to come in it. */
export function Outside({ month }: { readonly month: Month }) {
  return (
    <Shown of={outlook} lines={1}>
      {(answer) => <Told answer={answer} month={month} />}
    </Shown>
  )
}

function Told({
  answer: { income, from: today, through, verdicts },
  month: { fromDay, toDay },
}: {
  readonly answer: GetProviderOutlookAnswer
  readonly month: Month
}) {
  // What was due before this month is told under the month in which it was due.
  const late = income.days.filter(
    ({ dayNumber }) => dayNumber >= fromDay && dayNumber < Math.min(toDay, today.dayNumber),
  )
  const ahead = income.days.filter(
    ({ dayNumber }) => dayNumber >= Math.max(fromDay, today.dayNumber) && dayNumber < toDay,
  )
  // The overview counts it in the present month, in which it can be collected.
  const earlier =
    today.dayNumber >= fromDay && today.dayNumber < toDay
      ? income.days.filter(({ dayNumber }) => dayNumber < fromDay)
      : []
  const [first] = late
  const isBeyond = toDay > through.dayNumber + 1
  return (
    <>
      {first === undefined ? null : (
        <Note kind="mind">
          <p>
            Not in these sums: <Expected days={late} />, due since <DueDay day={first} /> and not collected
            yet. Collected later, it counts in the month in which it is collected.
          </p>
        </Note>
      )}
      {/* "Nothing more" would be wrong while some members' balances are unknown, as the last line says. */}
      {toDay <= today.dayNumber || (ahead.length === 0 && verdicts.unread > 0) ? null : (
        <p>
          {ahead.length === 0 ? (
            'Nothing more is expected in this month'
          ) : (
            <>
              Still expected in this month, if members stay and can pay and somebody collects:{' '}
              <Expected days={ahead} />
            </>
          )}
          {isBeyond ? (
            <>
              , as far as this page looks ahead: through <DueDay day={through} />
            </>
          ) : null}
          .
        </p>
      )}
      {earlier.length === 0 ? null : (
        <p>
          Due before this month, and not collected yet: <Expected days={earlier} />. It comes on top: the
          overview’s “Will come in” of this month has all of it.
        </p>
      )}
      <Unread of={verdicts} />
    </>
  )
}

/** What payments will bring in, token by token: "37.50 USDC coming in by 3 payments". */
function Expected({ days }: { readonly days: readonly IncomeDay[] }) {
  const tokens = [...new Map(days.map(({ token }) => [token.address, token])).values()]
  return (
    <>
      {tokens.map((token, index) => {
        const own = days.filter((day) => day.token.address === token.address)
        const raw = own.reduce((sum, day) => sum + day.income.amountRaw + day.waiting.amountRaw, 0n)
        const count = own.reduce((sum, { charges, waits }) => sum + charges + waits, 0)
        const fails = own.reduce((sum, day) => sum + day.fails, 0)
        return (
          <span key={token.address}>
            {index === 0 ? null : ', '}
            {raw === 0n ? (
              `${paymentsWords(count)} in ${symbolOf(token)} that only ${count === 1 ? 'fills' : 'fill'} reserves`
            ) : (
              <>
                <ExactMoney amount={formatHuman(raw, token.decimals)} token={token} /> coming in by{' '}
                {paymentsWords(count)}, without what goes into reserves
              </>
            )}
            {fails === 0
              ? null
              : ` (${fails} more will fail as things stand; what is left of their reserves comes in on top)`}
          </span>
        )
      })}
    </>
  )
}
