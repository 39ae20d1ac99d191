import type { SubscribeReadiness } from '@remit/client'
import { Note } from '../../../design/Card.tsx'
import { answerNow } from '../../../page/live.ts'
import type { PageAnswers } from '../../../page/pageContents.ts'
import { PlanName } from '../../../plan/PlanName.tsx'
import { planTexts } from '../../../plan/planTexts.ts'
import { dayWords } from '../../../words/time.ts'
import type { SubscribeFlow } from '../flow/flow.ts'
import { type Affected, worsened } from '../terms/worsened.ts'

interface OthersProps {
  readonly flow: SubscribeFlow
  readonly details: SubscribeReadiness
}

/** The wallet's other subscriptions that would end sooner: which, what runs out, and what can be done about it. */
export function Others({ flow, details }: OthersProps) {
  const { keepCoverage } = flow.wish.value
  const worse = worsened(details, flow.today.value ?? 0)
  if (worse.length === 0 && !keepCoverage) return null
  const lacksMoney = worse.some(({ after }) => after.limitedBy === 'balance')
  return (
    <Note kind={worse.length === 0 ? 'good' : 'mind'}>
      {worse.length === 0 ? <p>Your other subscriptions last as long as before.</p> : null}
      {worse.map((row) => (
        <p key={row.id}>
          <Name row={row} answers={flow.others.value} /> {endWords(row)}
        </p>
      ))}
      {lacksMoney ? <p>They share your wallet’s money: add more before that day.</p> : null}
      {flow.canKeep.value || keepCoverage ? (
        <label class="check">
          <input
            type="checkbox"
            checked={keepCoverage}
            onChange={({ currentTarget }) => flow.wishFor({ keepCoverage: currentTarget.checked })}
          />
          Allow more, so that the others last as long as before
        </label>
      ) : null}
    </Note>
  )
}

function endWords({ before, after }: Affected): string {
  const what = after.limitedBy === 'balance' ? 'the money' : 'the permission'
  if (after.failsOn === null) return 'ends sooner.'
  const instead = before.failsOn === null ? '' : `, not ${dayWords(before.failsOn)}`
  return `would end on ${dayWords(after.failsOn)}${instead}: ${what} runs out sooner.`
}

function Name({
  row: { id },
  answers,
}: {
  readonly row: Affected
  readonly answers: PageAnswers | undefined
}) {
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
