import type { WantedLogs } from '@remit/protocol/logs/wantedLogs'
import type { Frequency } from '@remit/protocol/subscription'
import type { Address, Hex } from 'viem'
import type { BlockRef } from './history.ts'

// What is asked of a chain's nodes beside the reads of operations: `ChainNodes`, for whoever indexes (`indexing/createChainNodes.ts`
// makes it). Below it: the sockets that announce blocks, what nodes limit and can do, and who is told of each request.

/** Which block: its number and hash. */
export type BlockPlace = Pick<BlockRef, 'number' | 'hash'>

/** A block's header with its bloom, a filter of 2048 bits that shows which logs the block cannot hold. */
export interface NodeHeader extends BlockRef {
  readonly logsBloom: Hex
}

/** A log of the contract or of a token, with its place in the chain. */
export interface NodeLog {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly transactionHash: Hex
  readonly logIndex: number
}

/** One node's answer about a range of blocks. Only its form is checked; `indexing/logs/checkRange.ts` checks what it says. */
export interface NodeLogs {
  readonly logs: readonly NodeLog[]
  readonly headers: readonly (NodeHeader | undefined)[]
  readonly finalizedBlock: number
}

interface ReceiptLogs {
  readonly logs: readonly NodeLog[]
  /** Whether the logs of the block's receipts are placed in it, and together give the bloom of its header. */
  readonly fitBloom: boolean
}

/** The node will not answer a range of this size. */
export class RangeRefusedError extends Error {
  override readonly name = 'RangeRefusedError'
  /** The last block that the node would answer for, where it names one. */
  readonly suggestedTo: number | undefined

  constructor(suggestedTo: number | undefined, options: { cause?: unknown } = {}) {
    super('the node refuses a range of this size', options)
    this.suggestedTo = suggestedTo
  }
}

/** All nodes that were asked still lack the last block of the range. */
export class NodeLagsError extends Error {
  override readonly name = 'NodeLagsError'

  constructor(blockNumber: number, options: { cause?: unknown } = {}) {
    super(`no node has got block ${blockNumber} yet`, options)
  }
}

/**
 * What an indexer asks a chain's nodes. Requests of one call share one HTTP request wherever they can.
 *
 * Everything throws UpstreamError or UpstreamTimeoutError where no node gave an answer that fits.
 */
export interface ChainNodes {
  readonly chainId: number
  readonly contract: Address
  /** How many nodes there are. Each can be asked by its place, from 0. */
  readonly count: number
  /** How long nodes must insist on one older head before the chain counts as rolled back. */
  readonly rollbackAfterMs: number
  /** The most blocks that a node is known to give logs of at once; `undefined` if no limit is known. @param node default the first that works */
  mostBlocks(node: number | undefined): number | undefined
  /** The nodes (by their place, from 0) that did not fail lately, in order of preference. */
  working(): readonly number[]
  genesisHash(signal: AbortSignal): Promise<Hex>
  /**
   * The newest block, as it is followed, and the newest final one, by the node's tag or else by the chain's finality
   * depth. Answers from memory if both are known; the final block may then be somewhat old.
   */
  head(signal: AbortSignal): Promise<{ head: BlockRef; finalizedBlock: number }>
  /**
   * In the order asked for, all from one node; `undefined` where it has no such block.
   * @param node asks that one only (0 ≤ node < count); by default the first that works
   */
  headers(
    numbers: readonly number[],
    signal: AbortSignal,
    node?: number,
  ): Promise<readonly (NodeHeader | undefined)[]>
  /**
   * All wanted logs in [from, to] in the order of the chain, what is final, and the headers of `headers`, from one node in
   * one HTTP request (of 38 headers at the most, of 37 with approvals; in more for more).
   * @param range.wanted default the contract's history
   * @param range.node as in `headers`
   * @throws RangeRefusedError, NodeLagsError
   */
  logs(
    range: { from: number; to: number; headers: readonly number[]; wanted?: WantedLogs; node?: number },
    signal: AbortSignal,
  ): Promise<NodeLogs>
  /**
   * The logs of the contract, and of the tokens whose approvals are wanted, by the receipts of a block.
   * @param node as in `headers`
   * @param wanted default the contract's history
   */
  receiptLogs(
    header: NodeHeader,
    signal: AbortSignal,
    node?: number,
    wanted?: WantedLogs,
  ): Promise<ReceiptLogs>
  /**
   * The lasting terms of subscriptions, read at a block in batches; ids that do not exist there are left out.
   * Throws BlockGoneError where no node has that block's state.
   */
  schedules(
    ids: readonly Hex[],
    at: BlockRef,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<Hex, { readonly frequency: Frequency; readonly dueDay: number }>>
  /**
   * All logs in the receipts of these transactions, of any contract, in the order of the logs. Transactions without a
   * receipt are left out.
   * @param node as in `headers`
   */
  transactionLogs(
    hashes: readonly Hex[],
    signal: AbortSignal,
    node?: number,
  ): Promise<ReadonlyMap<Hex, readonly NodeLog[]>>
  /**
   * The decimals in the contract's entries for these tokens, at a block. Tokens without an entry are left out.
   *
   * Throws BlockGoneError where no node has that block's state.
   */
  tokenDecimals(
    tokens: readonly Address[],
    at: BlockRef,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<Address, number>>
  /**
   * What accounts held of tokens, and let the contract take, in the block before one; in the same order.
   *
   * Throws BlockGoneError where no node has that state.
   */
  holdingsBefore(
    at: BlockPlace,
    wanted: readonly { readonly token: Address; readonly account: Address }[],
    signal: AbortSignal,
  ): Promise<readonly { readonly balance: bigint; readonly allowance: bigint }[]>
  /** Calls back whenever a new head was seen; returns how to stop that. */
  onHead(wake: () => void): () => void
}

/** What the contract says of all its accounts together. */
export interface AccountTotal {
  /**
   * How many accounts ever created or subscribed, by the contract's own count at a block.
   *
   * Throws BlockGoneError where no node has that block's state, UpstreamError and UpstreamTimeoutError.
   */
  totalAccounts(at: BlockRef, signal: AbortSignal): Promise<number>
}

/** What becomes of a socket. `closed` is told once, also where it never opened. */
export interface SocketEvents {
  opened(): void
  said(text: string): void
  closed(): void
  /** A longer message closes it. */
  readonly maxBytes: number
}

/** A WebSocket to a node. */
export interface NodeSocket {
  send(text: string): void
  /** Ends it at once. */
  close(): void
}

/** Opens a WebSocket. It must close by itself where the node is gone. */
export type OpenSocket = (url: string, events: SocketEvents) => NodeSocket

/** Asks a node that is no URL, as EIP-1193 has it: a wallet's provider, or a client of viem. It throws what the node refuses. */
export type NodeRequest = (request: {
  readonly method: string
  readonly params: readonly unknown[]
}) => Promise<unknown>

/** What nodes limit, in numbers. */
export const NODE_LIMITS = [
  /** Requests in one JSON-RPC batch; 1 where the node takes no batches. */
  'batch',
  /** Bytes of a request’s body. */
  'body',
  /** Blocks of one eth_getLogs. */
  'logRange',
  /** Logs in one answer of eth_getLogs. */
  'logResults',
  /** Gas of one eth_call or eth_estimateGas. */
  'callGas',
  /** Gas of all calls of one eth_simulateV1. */
  'simulationGas',
] as const

export type NodeLimit = (typeof NODE_LIMITS)[number]

/** What some nodes can do and others cannot. */
export const NODE_ABILITIES = [
  /** Take a block by its hash (EIP-1898). */
  'blockHash',
  'simulateV1',
  /** Run code that an eth_call lays over an address. */
  'stateOverrides',
  /** Name the newest final block. */
  'finalized',
  /** Give the logs of old blocks. */
  'pastLogs',
  /** Several nodes answer at the URL, and some of them lag. */
  'replicas',
] as const

export type NodeAbility = (typeof NODE_ABILITIES)[number]

/** One thing that is known of a node, and how: an operator has set it, or a node's answer has shown it (`learnt`). */
export interface NodeFact<T> {
  readonly value: T
  readonly source: 'set' | 'learnt'
  /** Unix milliseconds; `null` where it was set. */
  readonly learntAt: number | null
}

/** All that is known of what answers at one RPC URL. What is left out is not known. It never holds the URL. */
export interface EndpointLimits {
  /** The place of the URL in the chain's list, from 1. */
  readonly endpoint: number
  readonly limits: { readonly [Name in NodeLimit]?: NodeFact<number> }
  readonly abilities: { readonly [Name in NodeAbility]?: NodeFact<boolean> }
}

/** What an operator says of a node. What is set is never replaced by what answers show. */
export type SetLimits = { readonly [Name in NodeLimit]?: number | undefined } & {
  readonly [Name in NodeAbility]?: boolean | undefined
}

/** One question to one RPC URL, or to a chain's subgraph. */
export interface UpstreamRequest {
  readonly chainId: number
  /** The place of the URL in the chain's list, from 1. The URL itself may hold a key. */
  readonly endpoint: number | 'subgraph'
  /** `undefined` where the node answered, even with an error. */
  readonly failure: string | undefined
  readonly durationMs: number
}

/** Is told about every question to a chain. Never throws. */
export interface ChainObserver {
  /** The header `traceparent` of what is asked now; `undefined` where nobody traces it. */
  traceparent?(): string | undefined
  upstreamAsked(request: UpstreamRequest): void
  /** A value at a block was needed. @param known whether it was in the cache, or being read already */
  blockCacheAsked(chainId: number, known: boolean): void
}

export const unobservedChains: ChainObserver = { upstreamAsked: () => {}, blockCacheAsked: () => {} }
