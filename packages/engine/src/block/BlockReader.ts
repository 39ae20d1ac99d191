import { type Address, type Hex, numberToHex } from 'viem'
import type * as z from 'zod'
import type { Log } from '../ports/log.ts'
import { gasLimitIn } from '../rpc/limits/limitIn.ts'
import type { NodeLimits } from '../rpc/limits/NodeLimits.ts'
import { NodeBytes, Quantity } from '../rpc/quantity.ts'
import {
  answeredElsewhere,
  ignoresLentCode,
  type Refusal,
  RpcResponseError,
  refusalIn,
} from '../rpc/refusal.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { nextTurn } from '../waiting/afterArrived.ts'
import type { AtBlock } from './BlockView.ts'
import {
  type AskedOfNode,
  type BlockTarget,
  NumberedReads,
  type Question,
  type Settled,
  settled,
  unwrap,
} from './NumberedReads.ts'
import {
  gasAsked,
  type NextBlock,
  type NodeCall,
  type SimulatedCall,
  type SimulationCall,
  simulationAnswer,
  simulationRequest,
  toWireCall,
} from './simulateV1.ts'

/**
 * What a chain's nodes answer to a question about a block, and the place of the node that did, from 0. If none answers
 * at all, the question throws.
 */
export type BlockAnswer<T> = { readonly kind: 'result'; readonly result: T; readonly node: number } | Refusal

// A question goes to one node after the other (`Rpc.withNode`). At each node: by the block's hash, unless the node is known to take
// numbers only; a refusal that may be about the hash is followed by a try by number (`#byHashOrNumber`). What a node was found to
// take, grant or lack is noted in its `NodeLimits`, so that the next question takes the way that works at once.

/** Words by which nodes refuse the form of a block, and nothing else. */
const NAMES_BLOCK = /block ?hash|block ?number|invalid block/i

/**
 * Asks a chain's nodes about exactly one block. Whatever needs the state of a block asks here.
 *
 * A block is named by its hash, so that no other block can answer in its place. If a node takes only numbers, each
 * answer comes with the header of that number, in the same HTTP request, or after it. Each answer needs its own check,
 * because a reorg may come before the next one, or another node behind the same URL may give it. An answer that names
 * its block itself must name this one.
 *
 * What a node can do is learnt by asking it, and asked again after ten minutes.
 *
 * Every method throws UpstreamError or UpstreamTimeoutError if no node gave an answer that fits.
 */
export class BlockReader {
  readonly #rpc: Rpc
  readonly #log: Log
  readonly #limits: (node: number) => NodeLimits
  readonly #byNumber: NumberedReads

  /** @param options.limits what is known of each node; by default what `rpc` knows */
  constructor(options: { rpc: Rpc; log: Log; limits?: (node: number) => NodeLimits }) {
    const { rpc, limits = (node) => rpc.limits(node) } = options
    this.#rpc = rpc
    this.#log = options.log
    this.#limits = limits
    this.#byNumber = new NumberedReads(limits)
  }

  get chainId(): number {
    return this.#rpc.chainId
  }

  /** What is known of the node that is asked first; of the first in the list where none works. */
  get preferred(): NodeLimits {
    return this.#limits(this.#rpc.working()[0] ?? 0)
  }

  /** What is known of a node. */
  limits(node: number): NodeLimits {
    return this.#limits(node)
  }

  /**
   * What a call returns.
   * @param options.code lays code over addresses, for this call alone. It must return something, because an empty
   *   answer shows that the node has not run it
   * @param options.onParent runs it on the block before
   * @param options.inNextBlock runs it in the block after the one it is run on, at this unix time
   * @param options.isOfTarget whether what it returns names its block, or another one; `undefined` if it leaves that open
   */
  call(
    at: AtBlock,
    call: NodeCall,
    options: {
      code?: Readonly<Record<Address, Hex>>
      inNextBlock?: number
      onParent?: boolean
      isOfTarget?: (result: Hex) => boolean | undefined
    } = {},
  ): Promise<BlockAnswer<Hex>> {
    const { inNextBlock, onParent = false, isOfTarget } = options
    const overrides = options.code && overridesOf(options.code)
    const last = inNextBlock === undefined ? [] : [nextBlock(at, inNextBlock, onParent)]
    const others = overrides === undefined && last.length === 0 ? [] : [overrides ?? {}, ...last]
    return this.#ask(
      { ...at, isParent: onParent },
      {
        method: 'eth_call',
        params: (block) => [toWireCall(call), block, ...others],
        result: NodeBytes,
        gas: { limit: 'callGas', asked: call.gas },
        ...(options.code && { isEmpty: (returned) => returned === '0x' }),
        ...(isOfTarget && { isOfTarget }),
      },
    )
  }

  /** Runs calls in order, as one state, in the block after, by eth_simulateV1. */
  async simulate(
    at: AtBlock & { readonly now: number },
    calls: readonly SimulationCall[],
  ): Promise<BlockAnswer<readonly SimulatedCall[]>> {
    const request = simulationRequest(calls, nextBlock(at, at.now))
    const answer = await this.#ask(
      { ...at, isParent: false },
      {
        method: 'eth_simulateV1',
        params: (block) => [request, block],
        result: simulationAnswer(calls),
        gas: { limit: 'simulationGas', asked: gasAsked(calls) },
        isOfTarget: ({ parentHash }) =>
          parentHash === undefined ? undefined : parentHash === at.asOf.blockHash,
      },
    )
    return answer.kind === 'result' ? { ...answer, result: answer.result.calls } : answer
  }

  /** The gas limit with which a call succeeds. */
  estimateGas(at: AtBlock, call: NodeCall): Promise<BlockAnswer<bigint>> {
    return this.#ask(
      { ...at, isParent: false },
      {
        method: 'eth_estimateGas',
        params: (block) => [toWireCall(call), block],
        result: Quantity,
        gas: { limit: 'callGas', asked: call.gas },
      },
    )
  }

  /** Asks a method whose last parameter is the block. */
  request<T>(
    at: AtBlock,
    method: string,
    params: readonly unknown[],
    result: z.ZodType<T>,
  ): Promise<BlockAnswer<T>> {
    return this.#ask({ ...at, isParent: false }, { method, params: (block) => [...params, block], result })
  }

  async #ask<T>(target: BlockTarget, question: Question<T>): Promise<BlockAnswer<T>> {
    const options = target.signal === undefined ? {} : { signal: target.signal }
    try {
      return await this.#rpc.withNode(async (one, node) => {
        const result = await this.#askNode({ one, node, target, question })
        return { kind: 'result', result, node }
      }, options)
    } catch (error) {
      const refusal = refusalIn(error)
      if (refusal === undefined) throw error
      return refusal
    }
  }

  /** Asks one node, and notes what its answer shows: whether it has eth_simulateV1, and how much gas it grants. */
  async #askNode<T>(request: AskedOfNode<T>): Promise<T> {
    const { node, question } = request
    const limits = this.#limits(node)
    const isSimulation = question.method === 'eth_simulateV1'
    if (isSimulation && limits.can('simulateV1') === false) throw lacksSimulation()
    try {
      const result = await this.#byHashOrNumber(request)
      if (question.isEmpty?.(result)) throw ignoresLentCode()
      if (isSimulation) limits.found('simulateV1', true)
      return result
    } catch (error) {
      const refusal = refusalIn(error)
      if (isSimulation && refusal?.kind === 'refused' && refusal.lacksMethod) {
        limits.found('simulateV1', false)
      }
      if (refusal !== undefined && question.gas !== undefined) learnGas(limits, question.gas, refusal)
      throw error
    }
  }

  /** By the block's hash, where the node is not known to refuse that; else by its number. The parent of a block has no known hash. */
  async #byHashOrNumber<T>(request: AskedOfNode<T>): Promise<T> {
    const { node, target } = request
    const takesHash = this.#limits(node).can('blockHash')
    if (target.isParent || takesHash === false) return this.#byNumber.read(request)
    const byHash = await this.#byHash(request)
    if (wasRun(byHash)) {
      this.#limits(node).found('blockHash', true)
    } else if (mayBeAboutHash(byHash, await this.#knownWithAnswers(node, takesHash))) {
      const byNumber = await settled(this.#byNumber.read(request))
      // Run by number: so it was the hash that it refused. If it refuses the number too, the refusal was about something else.
      if (wasRun(byNumber)) this.#noteNumbersOnly(node)
      return unwrap(byNumber)
    }
    return unwrap(byHash)
  }

  /**
   * Asks by the block's hash. A node that writes a block in the same instant may answer for the one after (anvil does, one call in forty while it
   * mines). Then it is asked once more.
   */
  async #byHash<T>({ one, target, question }: AskedOfNode<T>): Promise<Settled<T>> {
    const { method, result } = question
    const params = question.params({ blockHash: target.asOf.blockHash })
    for (let tries = 1; ; tries += 1) {
      const answer = await settled(one.request(method, params, result, target))
      if ('error' in answer || question.isOfTarget?.(answer.value) !== false) return answer
      if (tries === 2) return { error: answeredElsewhere() }
    }
  }

  /**
   * Whether the node takes hashes, as far as is known. Before the first answer nothing is. Questions that went out in one HTTP request
   * then each wait one turn of the event loop: if one of them was run by hash, a refusal of another is about the hash only if it says so.
   */
  async #knownWithAnswers(node: number, takesHash: boolean | undefined): Promise<boolean | undefined> {
    if (takesHash !== undefined) return takesHash
    await new Promise<void>((resolve) => nextTurn(resolve))
    return this.#limits(node).can('blockHash')
  }

  /** Notes that a node takes blocks by number only, and logs that once: each answer then needs a header beside it. */
  #noteNumbersOnly(node: number): void {
    const isNew = this.#limits(node).found('blockHash', false)
    if (isNew) this.#log.warn('the node reads in a slower way', { chainId: this.chainId, byHash: false })
  }
}

/** The answer's result. Throws the error of a refusal, a revert included. */
export function getResult<T>(answer: BlockAnswer<T>): T {
  if (answer.kind !== 'result') throw answer.error
  return answer.result
}

/** The answer's result; `undefined` if the nodes refused or the call reverted. Throws UnknownBlockError. */
export function findResult<T>(answer: BlockAnswer<T>): T | undefined {
  if (answer.kind === 'unknownBlock') throw answer.error
  return answer.kind === 'result' ? answer.result : undefined
}

/** Whether the node understood the question and ran it, whatever came of it. */
function wasRun<T>(settled: Settled<T>): boolean {
  return !('error' in settled) || refusalIn(settled.error)?.kind === 'reverted'
}

/**
 * Whether a refusal may be about the form of the block.
 * @param takesHash what is known of the node; `undefined` where nothing is
 */
function mayBeAboutHash<T>(settled: Settled<T>, takesHash: boolean | undefined): boolean {
  const refusal = 'error' in settled ? refusalIn(settled.error) : undefined
  if (refusal?.kind !== 'refused' || refusal.lacksMethod) return false
  if (gasLimitIn(refusal.error) !== undefined) return false
  return takesHash !== true || NAMES_BLOCK.test(refusal.error.message)
}

/** The block that comes next, or next after the parent, at this time. */
function nextBlock({ asOf }: AtBlock, time: number, onParent = false): NextBlock {
  return { number: numberToHex(asOf.blockNumber + (onParent ? 0 : 1)), time: numberToHex(time) }
}

function overridesOf(code: Readonly<Record<Address, Hex>>) {
  return Object.fromEntries(Object.entries(code).map(([address, laid]) => [address, { code: laid }]))
}

/**
 * Notes how much gas a node grants, where its refusal says so, or says without a number that what was asked for is too much (`granted` is 0
 * then). A revert says neither.
 */
function learnGas(
  limits: NodeLimits,
  { limit, asked }: NonNullable<Question<unknown>['gas']>,
  { error }: Refusal,
): void {
  if (error.data !== undefined) return
  const granted = gasLimitIn(error)
  if (granted === undefined) return
  if (asked !== undefined) limits.refused(limit, Number(asked), granted > 0 ? granted : undefined)
  else if (granted > 0) limits.refused(limit, granted + 1, granted)
}

/** The error of a node without the method, so that the next node is asked. */
function lacksSimulation(): RpcResponseError {
  return new RpcResponseError({ code: -32601, message: 'the node was found to lack eth_simulateV1' })
}
