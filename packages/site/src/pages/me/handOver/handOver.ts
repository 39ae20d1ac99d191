import { signal } from '@preact/signals'
import type { Token } from '@remit/client'
import type { EtherLack } from '../../../signing/etherLack.ts'

// What the dialog of `HandOverDialog.tsx` is about: a review (`SigningRequest.signAlone`) opens it.

/** A permission that the wallet is to sign, and somebody else sends to the network. */
export interface HandOver {
  readonly token: Token
  /** For how many payments of each subscription; `undefined` where the permission is to be taken back. */
  readonly approvalPeriods: number | undefined
  /** The amount that the review has shown, in the token's smallest unit: more must not be signed. */
  readonly most: bigint
  /** The ether that the wallet lacks to send it itself. */
  readonly lack: EtherLack | undefined
}

/** What the dialog is about; `undefined` while it is closed. */
export const handedOver = signal<HandOver | undefined>(undefined)
