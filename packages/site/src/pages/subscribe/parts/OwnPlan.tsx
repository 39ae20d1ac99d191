import type { CheckSubscribeReadinessByIdAnswer, Subscription } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { Button } from '../../../design/Button.tsx'
import { Facts, Note } from '../../../design/Card.tsx'
import type { SubscribeFlow } from '../flow/flow.ts'
import { DueNow } from './DueNow.tsx'
import { MainAct } from './MainAct.tsx'
import { Allowing, allowedAlone } from './WalletTerms.tsx'

interface OwnPlanProps {
  readonly flow: SubscribeFlow
  readonly plan: Subscription
  readonly answer: CheckSubscribeReadinessByIdAnswer
  /** What is taken at once, in the token's smallest unit; `undefined` where it is not known. */
  readonly due: bigint | undefined
}

/** The panel for the plan's own provider: a preview of what others see. Nothing can be signed here. */
export function OwnPlan({ flow, plan, answer: { details }, due }: OwnPlanProps) {
  const alone = allowedAlone(details, flow.answeredPeriods.value)
  return (
    <>
      <Note>
        <p>
          <strong>This is your own plan: a preview</strong>
        </p>
        <p>
          Below is what others see once their wallet is connected. You cannot pay yourself, so nothing can be
          signed here.
        </p>
      </Note>
      <DueNow plan={plan} now={due} today={flow.today.value} />
      <Allowing
        flow={flow}
        plan={plan}
        most={formatHuman(alone, plan.tokenDecimals)}
        alone={alone}
        beyond="nothing"
      />
      <Facts
        rows={[
          [
            'You hold',
            <span key="hold" class="quiet">
              what their wallet holds
            </span>,
          ],
          [
            'Covered through',
            <span key="pays" class="quiet">
              until when their money and permission do
            </span>,
          ],
        ]}
      />
      <MainAct>
        <Button kind="primary" isWide isOff>
          Review
        </Button>
      </MainAct>
      <p class="quiet">They see exactly what they would sign before they sign it.</p>
    </>
  )
}
