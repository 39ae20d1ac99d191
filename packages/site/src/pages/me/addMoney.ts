import { signal } from '@preact/signals'
import type { Subscription } from '@remit/client'
import type { Lack } from '../../wallet/AddMoney.tsx'
import type { Day } from '../../words/time.ts'

// What the dialog "Add money" is about. `Subscriptions.tsx` opens it, `AddMoneyDialog.tsx` is loaded then.

/** What is missing for a plan's next payment that would fail. */
export interface Missing {
  readonly plan: Subscription
  readonly money: Lack
  /** The day of that payment, before which it must be there. */
  readonly day: Day
  /** Whether the permission is too small for it, too. */
  readonly lacksPermission: boolean
  /** The wallet that lacks it. */
  readonly address: string
}

export interface Asked extends Missing {
  /** `looked`: somebody has said that the money was sent, and the page was read again. */
  readonly stage: 'open' | 'looking' | 'looked'
}

/** What the dialog is about; `undefined` while it is closed. */
export const asked = signal<Asked | undefined>(undefined)

/** Shows where the money that is missing is to be sent. */
export function askForMoney(missing: Missing): void {
  asked.value = { ...missing, stage: 'open' }
}
