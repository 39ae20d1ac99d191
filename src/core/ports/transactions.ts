import type { Hex } from 'viem'
import type { EventRow } from './proof.ts'

export type TransactionState = 'pending' | 'success' | 'reverted' | 'replaced' | 'unknown'

/** Why a call reverted, as far as it can be told. */
export interface RevertReason {
  /** The protocol's own revert string, "0" to "25", where it is one. */
  readonly protocolCode?: string
  readonly name: string
  readonly message: string
  /** The raw revert data, where it cannot be decoded. */
  readonly data?: Hex
}

/** What became of a transaction, as of the view's block. */
export interface TransactionOutcome {
  readonly transactionHash: Hex
  readonly status: TransactionState
  /** It has a receipt. */
  readonly confirmed: boolean
  readonly confirmations: number
  readonly finalized: boolean
  readonly blockNumber: number | null
  readonly gasUsed: bigint | null
  readonly events: readonly EventRow[]
  readonly createdSubscriptionId: Hex | null
  readonly reason: RevertReason | null
  /** Where the reason comes from: a replay at the parent block cannot see what stood before it in its own. */
  readonly reasonSource: 'replay' | null
}
