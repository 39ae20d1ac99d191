import { type Hex, numberToHex } from 'viem'
import type * as z from 'zod'
import { BlockHeader } from '../head/blockHeader.ts'
import type { NodeLimits } from '../rpc/limits/NodeLimits.ts'
import { answeredElsewhere, refusalIn } from '../rpc/refusal.ts'
import type { OneNode } from '../rpc/rpc.ts'
import type { AtBlock } from './BlockView.ts'

/** A question, with its block left open. */
export interface Question<T> {
  readonly method: string
  readonly params: (block: unknown) => readonly unknown[]
  readonly result: z.ZodType<T>
  /** The limit that the gas of its calls falls under, and how much they ask for, if they all say so. */
  readonly gas?: { readonly limit: 'callGas' | 'simulationGas'; readonly asked: bigint | undefined }
  /** Whether the node has ignored the call. */
  readonly isEmpty?: (result: T) => boolean
  /** Whether an answer names the target's block itself, or another one; `undefined` if it leaves that open. */
  readonly isOfTarget?: (result: T) => boolean | undefined
}

/** Which block to ask for: the one of `asOf`, or the one before it, whose hash need not be known. */
export interface BlockTarget extends AtBlock {
  readonly isParent: boolean
}

/** An answer for a number, and which HTTP request it came in. */
interface Numbered<T> {
  readonly settled: Settled<T>
  readonly post: number | undefined
}

/** The hash of the block that a node has at a number, and which HTTP request it came in. */
interface SentHeader {
  readonly hash: Hex | undefined
  readonly post: number | undefined
}

/** A question about a block to one node, which is the node at place `node`, from 0. */
export interface AskedOfNode<T> {
  readonly one: OneNode
  readonly node: number
  readonly target: BlockTarget
  readonly question: Question<T>
}

/** What came of a request: its value, or what it rejected with. */
export type Settled<T> = { readonly value: T } | { readonly error: unknown }

export async function settled<T>(work: Promise<T>): Promise<Settled<T>> {
  return work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
}

export function unwrap<T>(settled: Settled<T>): T {
  if ('error' in settled) throw settled.error
  return settled.value
}

/** How often a block that a node lacks is asked for: at a URL where several nodes are known to answer, and at others. */
const MOST_REPLICA_TRIES = 6
const FEW_REPLICA_TRIES = 2

/**
 * Reads from a node that takes a block by its number only.
 *
 * Each answer needs the header of that number, from the same HTTP request or from one after it. Its own check shows that
 * it is of the block that was asked for, even if a reorg came meanwhile or several nodes answer at the URL.
 */
export class NumberedReads {
  readonly #limits: (node: number) => NodeLimits
  /** Headers that go out with the questions of the present tick, by node and number. */
  readonly #headers = new Map<string, Promise<SentHeader>>()

  constructor(limits: (node: number) => NodeLimits) {
    this.#limits = limits
  }

  /** Throws UnknownBlockError if the node’s block of this number is another one, or is not there. */
  async read<T>(asked: AskedOfNode<T>): Promise<T> {
    const { one, node, target, question } = asked
    const { blockNumber, blockHash } = target.asOf
    const limits = this.#limits(node)
    const takesBatches = limits.most('batch') !== 1
    const first = this.#numbered(asked)
    // A node without batches would answer both side by side, in any order. So its header is asked for after the answer.
    if (!takesBatches) await first
    let [answer, header] = await Promise.all([first, this.#header(one, node, blockNumber)])
    // If the two came apart, only a header that is asked for after the answer says what the node had meanwhile.
    if (takesBatches && header.post !== answer.post) header = await this.#header(one, node, blockNumber)
    const most = limits.can('replicas') === true ? MOST_REPLICA_TRIES : FEW_REPLICA_TRIES
    for (let tries = 1; ; tries += 1) {
      const { settled } = answer
      const refusal = 'error' in settled ? refusalIn(settled.error) : undefined
      // No node answered at all.
      if ('error' in settled && refusal === undefined) throw settled.error
      const isOfTarget = 'value' in settled ? question.isOfTarget?.(settled.value) : undefined
      if (isOfTarget) return unwrap(settled)
      const isElsewhere = header.hash !== undefined && header.hash !== blockHash
      if (isOfTarget === false || isElsewhere) throw answeredElsewhere()
      // A node whose block of this number is the one asked for has its parent at the number before.
      const isLacking = refusal?.kind === 'unknownBlock' || header.hash === undefined
      if (!isLacking) return unwrap(settled)
      if (tries === most) throw answeredElsewhere()
      // Another node at this URL may have the block. One by one, so that each may reach another node.
      if (refusal?.kind === 'unknownBlock') answer = await this.#numbered(asked)
      header = await this.#header(one, node, blockNumber)
      if (header.hash === blockHash) limits.found('replicas', true)
    }
  }

  /** The answer at the target's number, and which HTTP request it came in. Never rejects. */
  async #numbered<T>({ one, target, question }: AskedOfNode<T>): Promise<Numbered<T>> {
    const { blockNumber } = target.asOf
    const number = numberToHex(target.isParent ? blockNumber - 1 : blockNumber)
    let post: number | undefined
    const onPost = (sentIn: number) => {
      post = sentIn
    }
    const options = { ...target, onPost }
    const answer = await settled(
      one.request(question.method, question.params(number), question.result, options),
    )
    return { settled: answer, post }
  }

  /** The header that the node has at a number. Questions of one tick share it. */
  #header(one: OneNode, node: number, blockNumber: number): Promise<SentHeader> {
    const key = `${node}:${blockNumber}`
    const known = this.#headers.get(key)
    if (known !== undefined) return known
    const params = [numberToHex(blockNumber), false]
    let post: number | undefined
    const onPost = (sentIn: number) => {
      post = sentIn
    }
    const header = one
      .request('eth_getBlockByNumber', params, BlockHeader.nullable(), { onPost })
      .then((found) => ({ hash: found?.hash, post }))
    this.#headers.set(key, header)
    // Questions of this tick share its HTTP request; a later one needs a header of its own.
    setTimeout(() => this.#headers.delete(key), 0)
    return header
  }
}
