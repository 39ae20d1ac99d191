import { type Address, type Hex, numberToHex } from 'viem'
import type * as z from 'zod'
import type { Log } from '../../core/ports/log.ts'
import { BlockHeader } from '../head/blockHeader.ts'
import { NodeBytes, Quantity } from '../rpc/quantity.ts'
import { type Refusal, RpcResponseError, refusalIn, UnknownBlockError } from '../rpc/refusal.ts'
import type { OneNode, Rpc } from '../rpc/rpc.ts'
import type { AtBlock } from './BlockView.ts'
import { NodeAbilities } from './NodeAbilities.ts'
import {
  type NextBlock,
  type NodeCall,
  type SimulatedCall,
  type SimulationCall,
  simulationAnswer,
  simulationRequest,
  toWireCall,
} from './simulateV1.ts'

/** What a chain's nodes answer to a question about a block. If none answers at all, the question throws. */
export type BlockAnswer<T> = { readonly kind: 'result'; readonly result: T } | Refusal

/** A question, with its block left open. */
interface Question<T> {
  readonly method: string
  readonly params: (block: unknown) => readonly unknown[]
  readonly result: z.ZodType<T>
}

/** Which block to ask for: the one of `asOf`, or the one before it, whose hash need not be known. */
interface Target extends AtBlock {
  readonly isParent: boolean
}

/** How nodes refuse the form of a block, in words that cannot be about another parameter. */
const NAMES_BLOCK = /block ?hash|block ?number|invalid block/i

/**
 * Asks a chain's nodes about one block, and about no other. Whatever needs the state of a block asks here.
 *
 * A block is named by its hash, so that no other block can answer in its place. If a node takes only numbers, each
 * answer comes with the header of that number, in the same HTTP request. Each answer needs its own check, because a
 * reorg may come before the next one, or another node behind the same URL may give it.
 *
 * What a node can do is learnt by asking it, and asked again after ten minutes.
 *
 * Every method throws UpstreamError or UpstreamTimeoutError if no node gave an answer that fits.
 */
export class BlockReader {
  readonly #rpc: Rpc
  readonly #log: Log
  readonly #abilities: NodeAbilities
  /** Headers that go out with the questions of the present tick, by node and number. */
  readonly #headers = new Map<string, Promise<Header>>()

  /** @param options.now a clock in milliseconds */
  constructor(options: { rpc: Rpc; log: Log; now?: () => number }) {
    this.#rpc = options.rpc
    this.#log = options.log
    this.#abilities = new NodeAbilities(options.now ?? (() => performance.now()))
  }

  get chainId(): number {
    return this.#rpc.chainId
  }

  /**
   * What a call returns.
   * @param options.code lays code over addresses, for this call alone
   * @param options.inNextBlock runs it in the block after, at this unix time
   * @param options.onParent runs it on the block before
   */
  call(
    at: AtBlock,
    call: NodeCall,
    options: { code?: Readonly<Record<Address, Hex>>; inNextBlock?: number; onParent?: boolean } = {},
  ): Promise<BlockAnswer<Hex>> {
    const { inNextBlock, onParent = false } = options
    const overrides = options.code && overridesOf(options.code)
    const last = inNextBlock === undefined ? [] : [nextBlock(at, inNextBlock)]
    const others = overrides === undefined && last.length === 0 ? [] : [overrides ?? {}, ...last]
    return this.#ask(
      { ...at, isParent: onParent },
      {
        method: 'eth_call',
        params: (block) => [toWireCall(call), block, ...others],
        result: NodeBytes,
      },
    )
  }

  /** Runs calls in order, as one state, in the block after, by eth_simulateV1. */
  simulate(
    at: AtBlock & { readonly now: number },
    calls: readonly SimulationCall[],
  ): Promise<BlockAnswer<readonly SimulatedCall[]>> {
    const request = simulationRequest(calls, nextBlock(at, at.now))
    return this.request(at, 'eth_simulateV1', [request], simulationAnswer(calls))
  }

  /** The gas limit with which a call succeeds. */
  estimateGas(at: AtBlock, call: NodeCall): Promise<BlockAnswer<bigint>> {
    return this.request(at, 'eth_estimateGas', [toWireCall(call)], Quantity)
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

  async #ask<T>(target: Target, question: Question<T>): Promise<BlockAnswer<T>> {
    const options = target.signal === undefined ? {} : { signal: target.signal }
    try {
      const result = await this.#rpc.withNode(
        (one, node) => this.#askNode({ one, node, target, question }),
        options,
      )
      return { kind: 'result', result }
    } catch (error) {
      const refusal = refusalIn(error)
      if (refusal === undefined) throw error
      return refusal
    }
  }

  async #askNode<T>(asked: Asked<T>): Promise<T> {
    const { node, question } = asked
    const isSimulation = question.method === 'eth_simulateV1'
    if (isSimulation && this.#abilities.find(node, 'has eth_simulateV1') === false) throw lacksSimulation()
    try {
      return await this.#byHashOrNumber(asked)
    } catch (error) {
      const refusal = refusalIn(error)
      if (isSimulation && refusal?.kind === 'refused' && refusal.lacksMethod) {
        this.#abilities.note(node, 'has eth_simulateV1', false)
      }
      throw error
    }
  }

  async #byHashOrNumber<T>(asked: Asked<T>): Promise<T> {
    const { one, node, target, question } = asked
    const takesHash = this.#abilities.find(node, 'takes a block by its hash')
    if (target.isParent || takesHash === false) return this.#byNumber(asked)
    const byHash = await settled(
      one.request(
        question.method,
        question.params({ blockHash: target.asOf.blockHash }),
        question.result,
        target,
      ),
    )
    if (wasRun(byHash)) {
      this.#abilities.note(node, 'takes a block by its hash', true)
    } else if (mayBeAboutHash(byHash, await this.#knownWithAnswers(node, takesHash))) {
      const byNumber = await settled(this.#byNumber(asked))
      // If it refuses the number too, the refusal was about something else.
      if (wasRun(byNumber)) this.#noteNumbersOnly(node)
      return unwrap(byNumber)
    }
    return unwrap(byHash)
  }

  /** What is known of the node once the other answers in the same HTTP response have been looked at. */
  async #knownWithAnswers(node: number, takesHash: boolean | undefined): Promise<boolean | undefined> {
    if (takesHash !== undefined) return takesHash
    await new Promise((resolve) => setImmediate(resolve))
    return this.#abilities.find(node, 'takes a block by its hash')
  }

  async #byNumber<T>({ one, node, target, question }: Asked<T>): Promise<T> {
    const { blockNumber, blockHash } = target.asOf
    const number = numberToHex(target.isParent ? blockNumber - 1 : blockNumber)
    const [answer, header] = await Promise.all([
      settled(one.request(question.method, question.params(number), question.result, target)),
      this.#header(one, node, blockNumber),
    ])
    // A node whose block of this number is the one asked for has its parent at the number before.
    if (header?.hash !== blockHash) throw answeredElsewhere()
    return unwrap(answer)
  }

  #header(one: OneNode, node: number, blockNumber: number): Promise<Header> {
    const key = `${node}:${blockNumber}`
    const known = this.#headers.get(key)
    if (known !== undefined) return known
    const params = [numberToHex(blockNumber), false]
    const header = one.request('eth_getBlockByNumber', params, BlockHeader.nullable())
    this.#headers.set(key, header)
    // Questions of this tick share its HTTP request; a later one needs a header of its own.
    process.nextTick(() => this.#headers.delete(key))
    return header
  }

  #noteNumbersOnly(node: number): void {
    const isNew = this.#abilities.note(node, 'takes a block by its hash', false)
    if (isNew) this.#log.warn('the node reads in a slower way', { chainId: this.chainId, byHash: false })
  }
}

/** The answer's result. Throws any refusal. */
export function getResult<T>(answer: BlockAnswer<T>): T {
  if (answer.kind !== 'result') throw answer.error
  return answer.result
}

/** The answer's result; `undefined` if the nodes refused or the call reverted. Throws UnknownBlockError. */
export function findResult<T>(answer: BlockAnswer<T>): T | undefined {
  if (answer.kind === 'unknownBlock') throw answer.error
  return answer.kind === 'result' ? answer.result : undefined
}

/** The error for an answer that was read at another block than the one asked for. */
export function answeredElsewhere(): UnknownBlockError {
  return new UnknownBlockError({ code: -32001, message: 'the node answered at another block' })
}

type Header = z.output<typeof BlockHeader> | null

interface Asked<T> {
  readonly one: OneNode
  readonly node: number
  readonly target: Target
  readonly question: Question<T>
}

type Settled<T> = { readonly value: T } | { readonly error: unknown }

async function settled<T>(work: Promise<T>): Promise<Settled<T>> {
  return work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
}

function unwrap<T>(settled: Settled<T>): T {
  if ('error' in settled) throw settled.error
  return settled.value
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
  return takesHash !== true || NAMES_BLOCK.test(refusal.error.message)
}

/** The block that comes next, at the time of the chain's clock. */
function nextBlock({ asOf }: AtBlock, time: number): NextBlock {
  return { number: numberToHex(asOf.blockNumber + 1), time: numberToHex(time) }
}

function overridesOf(code: Readonly<Record<Address, Hex>>) {
  return Object.fromEntries(Object.entries(code).map(([address, laid]) => [address, { code: laid }]))
}

/** The error of a node without the method, so that the next node is asked. */
function lacksSimulation(): RpcResponseError {
  return new RpcResponseError({ code: -32601, message: 'the node was found to lack eth_simulateV1' })
}
