import { answerNow } from '../../../page/live.ts'
import type { PageAnswers } from '../../../page/pageContents.ts'
import { PlanName } from '../../../plan/PlanName.tsx'
import { planTexts } from '../../../plan/planTexts.ts'
import { dayWords } from '../../../words/time.ts'
import type { Affected } from './worsened.ts'

interface EndsSoonerProps {
  /** The wallet's other subscriptions that would end sooner. */
  readonly rows: readonly Affected[]
  /** The answers that name them, where they could be had. */
  readonly answers: PageAnswers | undefined
}

/** Which other subscriptions would end sooner, when, and what runs out. */
export function EndsSooner({ rows, answers }: EndsSoonerProps) {
  return (
    <>
      {rows.map((row) => (
        <p key={row.id}>
          <Name row={row} answers={answers} /> {endWords(row)}
        </p>
      ))}
      {rows.some(({ after }) => after.limitedBy === 'balance') ? (
        <p>They share your wallet’s money: add more before that day.</p>
      ) : null}
    </>
  )
}

function endWords({ before, after }: Affected): string {
  const what = after.limitedBy === 'balance' ? 'the money' : 'the permission'
  if (after.failsOn === null) return 'ends sooner.'
  const instead = before.failsOn === null ? '' : `, not ${dayWords(before.failsOn)}`
  return `would end on ${dayWords(after.failsOn)}${instead}: ${what} runs out sooner.`
}

function Name({ row: { id }, answers }: Pick<EndsSoonerProps, 'answers'> & { readonly row: Affected }) {
  const account = answers && answerNow('account', 'getAccount', answers)
  const plan = account?.subscribedTo.find(({ subscription }) => subscription.id === id)?.subscription
  return (
    <strong>
      {plan === undefined ? (
        'Another subscription'
      ) : (
        <PlanName plan={plan} texts={planTexts(plan, answers)} isLinked={false} />
      )}
    </strong>
  )
}
