import { signal } from '@preact/signals'
import type { Subscription } from '@remit/client'
import { Copy } from '../../design/Address.tsx'
import { Button } from '../../design/Button.tsx'
import { Dialog } from '../../design/Dialog.tsx'
import { linkTo } from '../../page/api.ts'
import { chainNow, readAgain } from '../../page/live.ts'
import { PlanName } from '../../plan/PlanName.tsx'
import { AddMoney, type Lack } from '../../wallet/AddMoney.tsx'
import { type Day, dayWords } from '../../words/time.ts'

/** What is missing for a plan's next payment that would fail. */
export interface Missing {
  readonly plan: Subscription
  readonly money: Lack
  readonly day: Day
  /** The wallet that lacks it. */
  readonly address: string
}

function isDue({ dayNumber }: Day): boolean {
  const today = chainNow.value?.today
  return today !== null && today !== undefined && dayNumber <= today
}

const shown = signal<Missing | undefined>(undefined)

/** Shows where the money that is missing is to be sent. */
export function askForMoney(missing: Missing): void {
  shown.value = missing
}

/** It stands once on the page. */
export function AddMoneyDialog() {
  const missing = shown.value
  const close = () => {
    if (shown.peek() === undefined) return
    shown.value = undefined
    void readAgain()
  }
  return (
    <Dialog title="Add money" isOpen={missing !== undefined} onClose={close}>
      {missing === undefined ? null : (
        <div class="stack">
          <p>
            For <PlanName plan={missing.plan} isLinked={false} />
            {isDue(missing.day)
              ? ', at once: its payment is taken as soon as somebody collects.'
              : `, before ${dayWords(missing.day)} begins (in UTC).`}
          </p>
          <AddMoney missing={missing.money} token={missing.plan.token} address={missing.address} />
          <p>
            Somebody else can pay it for you:{' '}
            <Copy
              text={`${location.origin}${linkTo('/top-up', { account: missing.address, token: missing.plan.token.address })}`}
              what="link for a friend"
              isNamed
            />
          </p>
          <Button kind="primary" isWide onClick={close}>
            I have sent it: look again
          </Button>
        </div>
      )}
    </Dialog>
  )
}
