import type { ChainOperation } from '@remit/engine/declare/operation'
import type { WatchSubject } from '@remit/engine/direct/LogWatch'
import type { DirectChain } from '@remit/engine/direct/openDirect'
import type { NodeReader } from '@remit/engine/direct/readNode'
import type { FindOutstandingPermits } from '@remit/engine/ports/rescues'
import type { Address } from 'viem'
import { type Input, jsonOf } from '../call/toRequest.ts'
import { toError } from '../errors/toError.ts'
import { decodeEvent } from '../events/decodeEvent.ts'
import { type Change, changeOf, type WatchOptions } from '../events/Watch.ts'
import type { CallerOptions, Surroundings } from '../request/createCaller.ts'
import { findContract } from '../sending/check/findContract.ts'
import { UnknownContractError } from '../sending/errors.ts'
import { followNode, type NodeWatch } from './followNode.ts'
import type { AskableNode } from './OwnNode.ts'

/** What the engine gives. It is loaded apart, so that a page may have it as a file of its own. */
type Engine = typeof import('./engine.ts')

/** A node's clock counts only where it differs from this machine's by more than this: blocks do not take as long. */
const CLOCK_TOLERANCE_MS = 3_600_000

export interface NodeChainsOptions extends Pick<CallerOptions, 'maxRetryAfterSeconds' | 'onWait'> {
  readonly contracts?: Readonly<Record<number, Address>> | undefined
  /** Tokens beside those that are built in for the chain. */
  readonly tokens?: readonly Address[] | undefined
  /** The chain that the node must be on; by default whichever it is on. */
  readonly chainId?: number | undefined
  /** Unix milliseconds, in place of any clock. */
  readonly now?: (() => number) | undefined
  /** Finds permits that a wallet has signed and that can still be sent: what is prepared warns of them. */
  readonly outstandingPermits?: FindOutstandingPermits | undefined
}

/**
 * Answers operations from one's own node, by the engine that services use, on the chain that the node is on. A wallet's provider may be on
 * another one at the next call, so a chain is opened for each.
 */
export class NodeChains {
  readonly #engine: Engine
  readonly #node: AskableNode
  readonly #options: NodeChainsOptions
  readonly #surroundings: Surroundings
  readonly #opened = new Map<number, Promise<DirectChain>>()
  readonly #reader: NodeReader
  /** The chain of a node behind a URL, once it is known. */
  #urlIsOn: number | undefined
  /** By how much the clock of a URL's node is ahead of this machine's, in milliseconds. */
  #urlAheadMs: Promise<number> | undefined

  constructor(engine: Engine, node: AskableNode, options: NodeChainsOptions, surroundings: Surroundings) {
    this.#engine = engine
    this.#reader = engine.openReader(node)
    this.#node = node
    this.#options = options
    this.#surroundings = surroundings
  }

  /** The chain that the node is on now. Throws the engine's UpstreamError. */
  async chainId(): Promise<number> {
    if (typeof this.#node !== 'string') return this.#reader.chainId()
    // Begun before the chain's id is asked for, so that the node gets both in one request.
    if (this.#options.now === undefined) this.#urlAheadMs ??= this.#aheadMs()
    // A node behind a URL stays on its chain. After each failure the engine asks it for its chain again.
    this.#urlIsOn ??= await this.#reader.chainId()
    return this.#urlIsOn
  }

  /** The body of an answer, as a service would send it. Throws its errors, and ValidationError for a chain that the node is not on. */
  async answer(operation: ChainOperation, { chainId, minBlock, ...input }: Input, signal: AbortSignal) {
    try {
      const { ask } = await this.#chain(chainId)
      const answer = await ask(operation, { input: jsonOf(input), minBlock, signal })
      return answer.body
    } catch (thrown) {
      throw signal.aborted ? thrown : this.#asClientError(thrown)
    }
  }

  /** Watches the contract's logs. Throws as `answer` does, where trying again does not help. */
  changes(subject: WatchSubject, { signal, ...how }: WatchOptions): AsyncIterable<Change> {
    return followNode(() => this.#watch(subject, how), signal, this.#options, this.#surroundings)
  }

  async #watch(
    subject: WatchSubject,
    { chainId, after }: Pick<WatchOptions, 'chainId' | 'after'>,
  ): Promise<NodeWatch> {
    try {
      const watch = await (await this.#chain(chainId)).watch(subject, after)
      return {
        next: async (signal) => {
          try {
            const events = await watch.next(signal)
            return events.map(({ event, position }) => changeOf(decodeEvent(event), position))
          } catch (thrown) {
            throw signal.aborted ? thrown : this.#asClientError(thrown)
          }
        },
        wait: (signal) => watch.wait(signal),
        close: () => watch.close(),
      }
    } catch (thrown) {
      throw this.#asClientError(thrown)
    }
  }

  /** @param chainId as a caller gives it; default: the client's */
  async #chain(chainId: unknown): Promise<DirectChain> {
    const isOn = await this.chainId()
    const wanted = chainId ?? this.#options.chainId ?? isOn
    if (wanted !== isOn)
      throw this.#engine.ValidationError.of(
        'chainId',
        `names chain ${wanted}, and the node is on chain ${isOn}`,
      )
    return this.#openOnce(isOn)
  }

  /** A chain is opened once, and once more after it failed to open. */
  #openOnce(chainId: number): Promise<DirectChain> {
    const opened = this.#opened.get(chainId) ?? this.#open(chainId)
    this.#opened.set(chainId, opened)
    opened.catch(() => this.#opened.delete(chainId))
    return opened
  }

  async #open(chainId: number): Promise<DirectChain> {
    const { contracts, tokens = [] } = this.#options
    const contractAddress = findContract(chainId, contracts)
    if (contractAddress === undefined) throw new UnknownContractError(chainId)
    const { BUILT_IN_CHAINS, ChainEntry, openChain } = this.#engine
    const known = BUILT_IN_CHAINS.find((chain) => chain.chainId === chainId)
    const entry = {
      ...(known ?? ChainEntry.parse({ chainId, contractAddress, name: `Chain ${chainId}` })),
      contractAddress,
      tokens: [...(known?.tokens ?? []), ...tokens],
    }
    const node = this.#node
    const { outstandingPermits } = this.#options
    const wallNow = this.#options.now ?? (await this.#clock())
    return typeof node === 'string'
      ? openChain({ entry: { ...entry, rpcUrls: [node] }, wallNow, outstandingPermits })
      : openChain({ entry, request: node, wallNow, outstandingPermits })
  }

  /** This machine's clock, or the node's where they differ by more than blocks take: it is the chain's day that counts. */
  async #clock(): Promise<() => number> {
    const aheadMs = await (this.#urlAheadMs ?? this.#aheadMs())
    return Math.abs(aheadMs) < CLOCK_TOLERANCE_MS ? Date.now : () => Date.now() + aheadMs
  }

  async #aheadMs(): Promise<number> {
    const told = await this.#reader.clock()
    return told === undefined ? 0 : told - Date.now()
  }

  /** The error that a service would have sent. */
  #asClientError(thrown: unknown): unknown {
    if (thrown instanceof UnknownContractError) return thrown
    const error = this.#engine.toRemitError(thrown)
    const { status, headers, body } = this.#engine.toWire(error, '')
    const retryAfter = headers['Retry-After']
    const retryAfterSeconds = retryAfter === undefined ? undefined : Number(retryAfter)
    const made = toError({ ...body, requestId: undefined }, { status, retryAfterSeconds })
    if (made !== undefined) made.cause = error.cause ?? thrown
    return made ?? thrown
  }
}
