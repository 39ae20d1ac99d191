import { signal } from '@preact/signals'
import type { Token } from '@remit/client'
import type { EtherLack } from '../../../signing/etherLack.ts'

/** A permission that is to be signed, and handed in by somebody else. */
export interface HandOver {
  readonly token: Token
  /** For how many payments of each subscription; `undefined` where the permission is to be taken back. */
  readonly approvalPeriods: number | undefined
  /** What was shown before: more is not signed. In the token's smallest unit. */
  readonly most: bigint
  /** What the wallet lacks to do it by itself. */
  readonly lack: EtherLack | undefined
}

/** What the dialog is about; `undefined` while it is closed. */
export const handedOver = signal<HandOver | undefined>(undefined)
