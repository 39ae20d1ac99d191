import type { Hash, Hex } from 'viem'

/** A log as wallets tell it. */
export interface WalletLog {
  readonly address: Hex
  readonly data: Hex
  readonly topics: readonly Hex[]
}

/** What was mined, one transaction for several calls where the wallet has bundled them. */
export interface MinedCalls {
  readonly hash: Hash
  readonly functions: readonly string[]
  readonly status: 'success' | 'reverted'
  readonly blockNumber: number
  readonly gasUsed: bigint
  readonly logs: readonly WalletLog[]
}
