import { LensPage } from '@remit/contracts/LensPage'
import { SubscriptionsLens } from '@remit/contracts/SubscriptionsLens'
import { concatHex, encodeDeployData, type Hex, hexToBigInt, hexToNumber, keccak256, size, slice } from 'viem'
import type { BlockAnswer, BlockReader } from '../block/BlockReader.ts'
import type { AtBlock } from '../block/BlockView.ts'
import type { Head } from '../head/blockHeader.ts'
import type { Log } from '../ports/log.ts'
import { RpcResponseError } from '../rpc/refusal.ts'

// A lens is a contract that is never deployed: its code is lent to a node for one eth_call, calls the protocol's views there,
// and answers much state at once (lens.ts). A node runs it in one of two ways:
// - lent: a state override lays the code over an address, and the call returns the whole answer;
// - created: for nodes that refuse overrides, an eth_call without receiver runs the constructor of LensPage.sol, which creates the
//   lens, asks it, and returns a part of the answer as if that were the code of the new contract. Each further part takes another
//   eth_call, in which the lens runs again.

/** How a node runs the lens. */
type Way = 'lent' | 'created'

/** The better way first: it takes one request, whatever the length of the answer. */
const WAYS: readonly Way[] = ['lent', 'created']

/** Nobody's address: no chain has code there that could answer in the lens's place. */
const LENS_ADDRESS = '0x52454d49544c454e5300000000000000005245ad'

/** What every answer begins with: the number, the time and the parent of its block, a word each. */
const STAMP_BYTES = 3 * 32
/** The most bytes of code and arguments that a creation may have (EIP-3860): LensPage, the lens and the question must fit into it. */
const MOST_INITCODE_BYTES = 49_152
/** In front of each part: the length and the hash of the whole answer, a word each. */
const PART_HEAD_BYTES = 2 * 32
/** A creation returns its part as the code of a contract, which may have 24,576 bytes (EIP-170). */
const PART_BYTES = 24_576 - PART_HEAD_BYTES
/** All parts of an answer are in memory at once: a longer one is refused. */
const MOST_ANSWER_BYTES = 8 * 1024 * 1024
/** How often an answer is read anew at most, because its parts were of different answers. */
const MOST_RESTARTS = 3

interface Asked {
  readonly head: Head
  readonly question: Hex
  /** The code of the lens that answers it. */
  readonly code: Hex
}

/** A part of an answer, as a creation returns it. `total` is the length of the whole answer in bytes, `hash` its keccak256. */
interface Part {
  readonly total: number
  readonly hash: Hex
  readonly bytes: Hex
}

/**
 * Runs a lens's code at a block, in whichever way the chain's node allows: laid over an address, which is one request, or in
 * the creation of a contract (LensPage.sol), which returns the answer in parts.
 */
export class LensCaller {
  readonly #blocks: BlockReader
  readonly #log: Log

  constructor(options: { blocks: BlockReader; log: Log }) {
    this.#blocks = options.blocks
    this.#log = options.log
  }

  /**
   * The lens's answer at this very block: one HTTP request, more where it is not known yet what the node can do, or
   * where it takes only creations and the answer is long. An answer of the kind `reverted` (see rpc/refusal.ts) holds the data with
   * which the lens itself reverted; `refused` is the node's word about the last way that was tried.
   * @param options.code of the lens
   * @param options.signal ends the wait
   */
  async call(
    head: Head,
    question: Hex,
    {
      code = SubscriptionsLens.deployedBytecode,
      signal,
    }: { code?: Hex | undefined; signal?: AbortSignal } = {},
  ): Promise<BlockAnswer<Hex>> {
    const asOf = { blockNumber: head.number, blockHash: head.hash }
    const at = signal === undefined ? { asOf } : { asOf, signal }
    let refusal = refused('the node does not run the lens')
    for (const way of this.#order()) {
      const asked = { head, question, code }
      const answer = await (way === 'lent' ? this.#callLentCode(at, asked) : this.#readByCreations(at, asked))
      if (answer.kind === 'result') {
        this.#remember(way, answer.node)
        return answer
      }
      // A revert with data is the lens's own. Any other refusal may be about this way, and the other way may work.
      if (answer.kind === 'unknownBlock' || answer.error.data !== undefined) return answer
      refusal = answer
    }
    return refusal
  }

  /** The ways in the order to try: the better one first, unless the first node is known to refuse it. */
  #order(): readonly Way[] {
    return this.#blocks.preferred.can('stateOverrides') === false ? WAYS.toReversed() : WAYS
  }

  /** Notes whether the node lets code be laid over an address, by the way that worked, and logs once that it does not. */
  #remember(way: Way, node: number): void {
    const limits = this.#blocks.limits(node)
    // If the override is known to fail, the creation is tried first, and teaches nothing about overrides.
    if (way === 'created' && limits.can('stateOverrides') === false) return
    const isNew = limits.found('stateOverrides', way === 'lent')
    if (isNew && way === 'created') {
      // `lend: false`: the node does not run lent code.
      this.#log.warn('the node reads in a slower way', { chainId: this.#blocks.chainId, lend: false })
    }
  }

  async #callLentCode(at: AtBlock, { head, question, code }: Asked): Promise<BlockAnswer<Hex>> {
    const call = { to: LENS_ADDRESS, data: question } as const
    const answer = await this.#blocks.call(at, call, {
      code: { [LENS_ADDRESS]: code },
      // A stamp can show another block (false), but never for certain this one (undefined).
      isOfTarget: (answer) => (showsAnotherBlock(head, answer) ? false : undefined),
    })
    // A node that ignores overrides finds no code there, and returns nothing.
    const isEmpty = answer.kind === 'result' && size(answer.result) < STAMP_BYTES
    return isEmpty ? refused('the node ignores lent code') : answer
  }

  /** The answer part by part: each creation can return as much as a contract's code may have. */
  async #readByCreations(at: AtBlock, asked: Asked): Promise<BlockAnswer<Hex>> {
    for (let restart = 0; restart <= MOST_RESTARTS; restart++) {
      const first = await this.#readPart(at, asked, 0)
      if (first.kind !== 'result') return first
      const { total, hash, bytes } = first.result
      if (total > MOST_ANSWER_BYTES) break
      const offsets: number[] = []
      for (let offset = PART_BYTES; offset < total; offset += PART_BYTES) offsets.push(offset)
      const others: Part[] = []
      for (const part of await Promise.all(offsets.map((offset) => this.#readPart(at, asked, offset)))) {
        if (part.kind !== 'result') return part
        others.push(part.result)
      }
      // The lens ends a list where the gas does, and each part may come from another node. With another gas cap the whole answer is
      // another one, and parts of two answers do not fit together.
      if (others.some((part) => part.hash !== hash)) continue
      const answer = concatHex([bytes, ...others.map((part) => part.bytes)])
      // An answer shorter than a stamp names no block.
      if (size(answer) < STAMP_BYTES) break
      if (keccak256(answer) === hash) return { ...first, result: answer }
    }
    return refused('the parts of an answer do not fit together')
  }

  async #readPart(at: AtBlock, { head, question, code }: Asked, offset: number): Promise<BlockAnswer<Part>> {
    const data = encodeDeployData({
      abi: LensPage.abi,
      bytecode: LensPage.bytecode,
      args: [code, question, BigInt(offset)],
    })
    if (size(data) > MOST_INITCODE_BYTES)
      throw new RangeError(`a question of ${size(question)} bytes is too long`)
    const answer = await this.#blocks.call(
      at,
      { data },
      offset === 0
        ? { isOfTarget: (part) => (showsAnotherBlock(head, bytesOf(part)) ? false : undefined) }
        : {},
    )
    if (answer.kind !== 'result') return answer
    const part = answer.result
    if (size(part) < PART_HEAD_BYTES) return refused('the node does not answer creations')
    return {
      ...answer,
      result: {
        total: hexToNumber(slice(part, 0, 32)),
        hash: slice(part, 32, PART_HEAD_BYTES),
        bytes: bytesOf(part),
      },
    }
  }
}

/** What a creation returns after the length and the hash of the whole. */
function bytesOf(part: Hex): Hex {
  return size(part) > PART_HEAD_BYTES ? slice(part, PART_HEAD_BYTES) : '0x'
}

/**
 * Another block's answer is never served: the lens stamps its answer with its block's number, time and parent. That shows
 * another block, but not which of two with one parent. A node that runs no lens returns less than a stamp.
 */
function showsAnotherBlock(head: Head, answer: Hex): boolean {
  if (size(answer) < STAMP_BYTES) return false
  const isSame =
    hexToBigInt(slice(answer, 0, 32)) === BigInt(head.number) &&
    hexToBigInt(slice(answer, 32, 64)) === BigInt(head.timestamp) &&
    slice(answer, 64, 96) === head.parentHash
  return !isSame
}

function refused(message: string): BlockAnswer<never> {
  return { kind: 'refused', lacksMethod: false, error: new RpcResponseError({ code: -32000, message }) }
}
