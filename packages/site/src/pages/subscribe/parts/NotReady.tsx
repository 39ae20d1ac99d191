import type { CheckSubscribeReadinessByIdAnswer, Subscription } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { Button } from '../../../design/Button.tsx'
import { AddMoney } from '../../../wallet/AddMoney.tsx'
import type { SubscribeFlow } from '../flow/flow.ts'
import { issueTrouble } from '../flow/trouble.ts'
import { neededToday } from '../terms/charges.ts'
import { MainAct } from './MainAct.tsx'
import { TroubleNote } from './Stopped.tsx'

interface NotReadyProps {
  readonly flow: SubscribeFlow
  readonly plan: Subscription
  readonly address: string
  readonly answer: CheckSubscribeReadinessByIdAnswer
  /** The readiness is being read again, so the button that does so is off. */
  readonly isStale: boolean
}

/** The panel for a wallet that cannot subscribe now: why, and the way out. */
export function NotReady({ flow, plan, address, answer: { issues, details }, isStale }: NotReadyProps) {
  const { toFeeBalance, toProvider } = details.firstCharge
  const needed = neededToday(plan, toFeeBalance.amountRaw + toProvider.amountRaw, flow.today.value)
  const missing = needed - details.balance.amountRaw
  const isPoor = issues.some(({ code }) => code === 'INSUFFICIENT_BALANCE') && missing > 0n
  return (
    <>
      {issues.map((issue) => (
        <TroubleNote
          key={issue.code ?? issue.message}
          trouble={issueTrouble(issue, { token: plan.token, details, needed })}
        />
      ))}
      {isPoor ? (
        <AddMoney
          missing={{ amount: formatHuman(missing, plan.tokenDecimals), amountRaw: missing }}
          token={plan.token}
          address={address}
        />
      ) : null}
      <MainAct>
        <Button kind={isPoor ? 'primary' : 'plain'} isWide isOff={isStale} onClick={() => void flow.look()}>
          Look again
        </Button>
      </MainAct>
    </>
  )
}
