import type { Address, Hex } from 'viem'
import type { ChainRow } from '../schema/chain.ts'
import type { AsOf } from '../schema/envelope.ts'
import type { TransactionOutcome } from '../schema/transaction.ts'
import type { ChainReads } from './chainReads.ts'
import type { ChainForecast, ThreadQuestion } from './forecasts.ts'
import type { BlockRef } from './history.ts'
import type { EndpointLimits } from './nodes.ts'
import type { PreparePlan, Proof, ProofAttempt } from './proof.ts'
import type { RemitTrials } from './remit.ts'
import type { OutstandingPermit } from './rescues.ts'

// A chain as operations see it: a view of one block (`ChainView`), got from `ChainsPort.withView`. `chain/Chains.ts` and
// `chain/ChainAccess.ts` make both.

/** What decides on all answers of a view: its block, and the day. */
export interface Moment {
  readonly blockHash: Hex
  /** The day of the chain's clock, unix time / 86400. */
  readonly today: number
}

/** A block with what its header commits to, from which receipts are proven. */
export interface SealedBlock {
  readonly hash: Hex
  /** RLP of the header, which hashes to `hash`. */
  readonly header: Hex
  readonly receiptsRoot: Hex
  /** In the order of their transactions, as the trie under `receiptsRoot` should hold them. Whether it does is not checked here. */
  readonly receipts: readonly {
    readonly transactionHash: Hex
    readonly encoded: Hex
    /** The place of its first log in the block; 0 where it has none. */
    readonly firstLogIndex: number
  }[]
}

/** The Merkle proof from a block's hash to slots of the contract's storage. Whether it holds is not checked here. */
export interface SealedState {
  readonly hash: Hex
  /** RLP of the header, which hashes to `hash`. */
  readonly header: Hex
  /** The nodes of the state's trie from its root to the contract. */
  readonly account: readonly Hex[]
  /** For each slot, the nodes of the contract's trie. */
  readonly slots: readonly (readonly Hex[])[]
}

/** What one chain is at one block and on one day, whoever asks and whenever. */
export interface ChainAtBlock {
  readonly chainId: number
  readonly name: string
  readonly contractAddress: Address
  /** Whether it is one for development, whose blocks come on demand. */
  readonly isDevChain: boolean
  /** The block of this view. */
  readonly asOf: AsOf
  /** The day of the chain's clock, unix time / 86400. */
  readonly today: number
  readonly read: ChainReads
  /**
   * The contract's storage in these slots, with the proof that it is the block's.
   *
   * Throws ProofUnsupportedError where the header is of no known form, ProofUnavailableError where the node gives no such proof.
   */
  sealedState(slots: readonly Hex[]): Promise<SealedState>
}

/** One chain, seen at one block, for the length of one answer. */
export interface ChainView extends ChainAtBlock {
  /** Unix time that the next block would have. It is fixed for the view, and `today` is its day. */
  readonly now: number
  /** Simulates what remit() would do in the next block. */
  readonly remit: RemitTrials
  /**
   * The same block with the clock put forward to the start of this day, never back. Nothing else changes: nobody pays
   * in, subscribes or leaves until then.
   * @param mostRows the most entries and subscribers that a backlog up to then is read with, rounded up to whole pages.
   * With more, its reads throw BacklogTooLongError
   */
  onDay(dayNumber: number, mostRows: number): ChainView
  /** The same reads at another block, shortly before or after this one, such as the forecast's. */
  readAt(block: BlockRef): ChainReads
  /**
   * The chain's newest forecast that reaches a day, a year ahead at most. It may have been made some seconds before this
   * view, but not before the block that the caller asked to see.
   *
   * Throws ForecastUnavailableError where none of the last minute is there and none can be made in time.
   * @param options.isCurrent it is made at this view's block or a later one
   */
  forecast(throughDay: number, options?: { readonly isCurrent: boolean }): Promise<ChainForecast>
  /** As `ThreadAnswers.answer`, at this view's block and time; `undefined` where the process has no thread for it. */
  readonly answerInThread?:
    | ((question: Pick<ThreadQuestion, 'operation' | 'input' | 'requestId'>) => Promise<object>)
    | undefined
  /** Proves a batch by simulation on top of this block. Throws SimulationFailedError. */
  prove(plan: PreparePlan): Promise<Proof>
  /**
   * Runs a batch as `prove` does, and tells only whether it works. It costs nothing where the same was tried on top of this
   * block already.
   */
  attempt(plan: Pick<PreparePlan, 'operation' | 'from' | 'batches' | 'gasWayOut'>): Promise<ProofAttempt>
  /** Whether a contract confirms a signature in its name (ERC-1271, or ERC-6492 before it is deployed). */
  isSignedByContract(claim: {
    readonly address: Address
    readonly hash: Hex
    readonly signature: Hex
  }): Promise<boolean>
  /**
   * The permits of a wallet for the protocol that are known here, and none where nobody knows of any. A node is not asked, so
   * some may be over or void. `undefined` where it cannot be told now.
   */
  outstandingPermits(owner: Address, token: Address): Promise<readonly OutstandingPermit[] | undefined>
  /** The name of an address in the chain's registry of names; `null` where it has none, or no registry is known. */
  nameOf(address: Address): Promise<string | null>
  /**
   * A block that the chain has at a height, with its receipts.
   *
   * Throws ProofUnsupportedError where its header is of no known form, ProofUnavailableError where the node gives no receipts.
   */
  sealedBlock(number: number): Promise<SealedBlock>
  /**
   * What became of a transaction. An RPC failure throws; it is never "unknown".
   * @param sent who sent it and with which nonce, as far as the caller knows: only both tell that another one has replaced it
   */
  transaction(hash: Hex, sent: { from?: Address; nonce?: number }): Promise<TransactionOutcome>
}

/** The health of a chain, by the last background probe. */
export interface ChainHealth {
  readonly chainId: number
  readonly rpc: {
    readonly ok: boolean
    readonly blockNumber: number | null
    readonly latencyMs: number | null
    /** The age of the newest block by the wall clock; `null` before the first head, and for a development chain. */
    readonly headAgeSeconds: number | null
    /** Says that the head stands still; `null` while it moves. */
    readonly alarm: string | null
  }
  /** Whether the configured contract has been found to be the protocol's. */
  readonly confirmed: boolean
  /** What the operator must correct, with the name of the variable; `null` if no problem is known. */
  readonly misconfigured: string | null
}

/** A node has the transaction in a block, but that block is after the view's, or its receipt is missing yet. */
export class ReceiptAheadError extends Error {
  override readonly name = 'ReceiptAheadError'
  readonly blockNumber: number

  constructor(blockNumber: number) {
    super(`the transaction is in block ${blockNumber}, which the view does not reach or has no receipt of`)
    this.blockNumber = blockNumber
  }
}

/** No node has the state of the block that was asked for: it was reorganised away, or is too old. */
export class BlockGoneError extends Error {
  override readonly name = 'BlockGoneError'
}

/** The chains that this service knows. */
export interface ChainsPort {
  readonly rows: readonly ChainRow[]
  readonly defaultChainId: number
  health(): readonly ChainHealth[]
  /** What is known of each node of a chain: what it limits, and what it can do. Asks no node. */
  nodeLimits(chainId: number): readonly EndpointLimits[]
  /** Throws ChainMisconfiguredError where the chain is known to be misconfigured. Asks no node. */
  throwIfMisconfigured(chainId: number): void
  /** The block and day that a view would have now; `undefined` where a node would have to be asked. */
  seen(chainId: number, options: { minBlock?: number }): Moment | undefined
  /**
   * Gives `use` one chain at one block.
   *
   * Where that block is reorganised away meanwhile, or a transaction is in a later block, `use` runs again at another
   * head. So it must have no side effects. Throws ChainMisconfiguredError where the contract is not the protocol's, or
   * the nodes are of another chain.
   * @param options.minBlock waits up to 2 s for this block. Throws BlockNotSeenError.
   * @param options.block the view is of this very block. Throws BlockGoneError where no node has its state.
   */
  withView<T>(
    chainId: number,
    options: { minBlock?: number; block?: BlockRef; signal?: AbortSignal },
    use: (view: ChainView) => Promise<T>,
  ): Promise<T>
}
