import type { Address, Hex } from 'viem'
import type { Frequency } from '../protocol/subscription.ts'
import type { BlockRef } from './history.ts'

/** A block's header with what tells whether it may hold logs of the contract. */
export interface NodeHeader extends BlockRef {
  readonly logsBloom: Hex
}

/** A log of the contract, placed. */
export interface NodeLog {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly transactionHash: Hex
  readonly logIndex: number
}

/** The node will not answer a range of this size. */
export class RangeRefusedError extends Error {
  override readonly name = 'RangeRefusedError'
  /** A last block that it would answer to, where it says so. */
  readonly suggestedTo: number | undefined

  constructor(suggestedTo: number | undefined, options: { cause?: unknown } = {}) {
    super('the node refuses a range of this size', options)
    this.suggestedTo = suggestedTo
  }
}

/**
 * What an indexer asks a chain's nodes. Requests of one call share one HTTP request wherever they can.
 *
 * Everything throws UpstreamError or UpstreamTimeoutError where no node gave an answer that fits.
 */
export interface ChainNode {
  readonly chainId: number
  readonly contract: Address
  /** How many nodes there are that can be asked one by one. */
  readonly count: number
  genesisHash(signal: AbortSignal): Promise<Hex>
  /** The newest block and the newest final one, by the node's tag or else by the chain's finality depth. */
  head(signal: AbortSignal): Promise<{ head: NodeHeader; finalizedBlock: number }>
  /** In the order asked for; `undefined` where the node has no such block. */
  headers(numbers: readonly number[], signal: AbortSignal): Promise<readonly (NodeHeader | undefined)[]>
  /**
   * All logs of the contract in [from, to] and the headers of `headers`, from one node in one HTTP request.
   * @param node asks that one only (0 ≤ node < count); by default the first that works
   * @throws RangeRefusedError
   */
  logs(
    range: { from: number; to: number; headers: readonly number[]; node?: number },
    signal: AbortSignal,
  ): Promise<{ logs: readonly NodeLog[]; headers: readonly (NodeHeader | undefined)[] }>
  /** The contract's logs in a block's receipts. */
  receiptLogs(block: BlockRef, signal: AbortSignal): Promise<readonly NodeLog[]>
  /**
   * The lasting terms of subscriptions, read at a block in batches; ids that do not exist there are left out.
   * Throws BlockGoneError where no node has that block's state.
   */
  schedules(
    ids: readonly Hex[],
    at: BlockRef,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<Hex, { readonly frequency: Frequency; readonly dueDay: number }>>
  /** Calls back whenever a new head was seen; returns how to stop that. */
  onHead(wake: () => void): () => void
}
