import type { Address, Hex } from 'viem'
import type { Warning } from '../../schema/answer.ts'
import type { Token } from '../../schema/token.ts'

/** One contract call of a batch that a wallet is to sign. */
export interface PlannedCall {
  readonly to: Address
  readonly data: Hex
  readonly value: bigint
  /** What signing it does, as a step for a person or an agent. */
  readonly instruction: string
}

export interface PreparePlan {
  /** Named in errors and instructions. */
  readonly operation: string
  readonly from: Address
  /**
   * Batches that would all do, the shortest first: they are proven side by side, and the first that
   * succeeds is the answer.
   */
  readonly batches: readonly (readonly PlannedCall[])[]
  /** Gas is estimated from this address where it is not the signer that broadcasts. */
  readonly simulateFromAddress?: Address
  /** The signer's wei as read with the state, so that a lack of gas money can be warned of. */
  readonly nativeBalance: bigint
  /** Who can help where a transaction needs more gas than it may have, as a sentence. */
  readonly gasWayOut?: string
  /** Transactions that the whole backlog takes, where one is not all. */
  readonly backlogMultiplier?: number
}

/** A decoded event, as proofs and transactions state it. */
export interface EventRow {
  /** The event's name in its ABI, or `null` where it cannot be decoded. */
  readonly event: string | null
  readonly address: Address
  /** For the protocol's SubLog: what happened, in words. */
  readonly eventName?: string
  readonly args: Readonly<Record<string, string | number | boolean>>
  /** The token amount of the event, where it states one of a known token. */
  readonly amount?: string
  readonly amountRaw?: bigint
  readonly tokenDecimals?: number
}

export interface BalanceChange {
  readonly account: Address
  readonly token: Token
  readonly amount: string
  readonly amountRaw: bigint
  readonly tokenDecimals: number
}

export interface GasEstimate {
  readonly chainId: number
  readonly gasLimit: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** `null` where the chain has no such fee. */
  readonly l1DataFeeWei: bigint | null
  readonly estimatedCostWei: bigint
  readonly estimatedCostEth: string
  readonly source: 'simulated' | 'estimated' | 'heuristic'
}

export interface GasSummary {
  readonly chainId: number
  readonly totalGasLimit: bigint
  readonly totalEstimatedCostWei: bigint
  readonly totalEstimatedCostEth: string
  readonly transactionCount: number
  readonly backlogMultiplier?: number
  readonly totalBacklogEstimatedCostWei?: bigint
  readonly totalBacklogEstimatedCostEth?: string
}

/** A batch that was seen to succeed on top of the view's block, and what it did there. */
export interface Proof {
  readonly calls: readonly PlannedCall[]
  readonly simulation: {
    readonly success: true
    readonly method: 'eth_simulateV1' | 'eth_call' | 'partial'
    readonly blockNumber: number
    readonly calls: readonly { success: boolean; gasUsed: bigint; events: readonly EventRow[] | null }[]
    readonly balanceChanges: readonly BalanceChange[]
  }
  readonly gasEstimates: readonly GasEstimate[]
  readonly gasSummary: GasSummary
  readonly warnings: readonly Warning[]
}
