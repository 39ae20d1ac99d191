import { Bytes } from '@remit/engine/schema/hex'
import { HexQuantity } from '@remit/engine/schema/numbers'
import { type Hex, keccak256, numberToHex, toHex } from 'viem'
import * as z from 'zod'
import { askNode, Engine } from './Engine.ts'
import type { GenesisOptions } from './genesis.ts'
import { type Geth, type GethLimits, startGeth } from './startGeth.ts'

const Header = z.object({ number: HexQuantity, hash: Bytes, timestamp: HexQuantity, parentHash: Bytes })
type Header = z.output<typeof Header>

/** A block to be made: its unix time and its signed transactions, in order. */
export interface BlockPlan {
  readonly timestamp: number
  readonly transactions: readonly Hex[]
}

const FEE_RECIPIENT = '0x00000000000000000000000000000000000000fe'

/**
 * A geth whose blocks are a test's: their times, their transactions, their branches, and which of them are safe or
 * final. As long as nothing is made final, geth has no `safe` and no `finalized` block.
 */
export class GethChain {
  readonly url: string
  readonly stop: Geth['stop']
  readonly #engine: Engine
  /** Goes into every block, so that a block of a branch never equals the one that it replaces. */
  #made = 0
  #safe: Hex | undefined
  #finalized: Hex | undefined

  static async start(options: GenesisOptions & { readonly limits?: GethLimits }): Promise<GethChain> {
    return new GethChain(await startGeth(options))
  }

  private constructor(geth: Geth) {
    this.url = geth.url
    this.stop = geth.stop
    this.#engine = new Engine(geth)
  }

  ask(method: string, params: readonly unknown[]): Promise<unknown> {
    return askNode(this.url, method, params)
  }

  async header(block: 'latest' | bigint = 'latest'): Promise<Header> {
    const which = block === 'latest' ? block : numberToHex(block)
    return Header.parse(await this.ask('eth_getBlockByNumber', [which, false]))
  }

  /** Makes the next block. Throws if one of its transactions is invalid; one that reverts is valid. */
  async mine({ timestamp, transactions }: BlockPlan): Promise<Hex> {
    const parent = await this.header()
    this.#made += 1
    const beaconRoot = keccak256(toHex(this.#made))
    const attributes = {
      timestamp: numberToHex(timestamp),
      prevRandao: beaconRoot,
      suggestedFeeRecipient: FEE_RECIPIENT,
      withdrawals: [],
      parentBeaconBlockRoot: beaconRoot,
    }
    const built = await this.ask('testing_buildBlockV1', [parent.hash, attributes, transactions, null])
    const head = await this.#engine.newPayload(built, beaconRoot)
    await this.#choose(head)
    return head
  }

  /**
   * Replaces the newest blocks by a branch. The replaced ones stay known to the node, as after any reorg.
   * @param branch as many blocks as are replaced, or more
   */
  async reorganise(depth: number, branch: readonly BlockPlan[]): Promise<void> {
    const { number } = await this.header()
    await this.#choose((await this.header(number - BigInt(depth))).hash)
    for (const plan of branch) await this.mine(plan)
  }

  /** Says which blocks will never be replaced; `safe` is the same one where it is left out. */
  async finalize(finalized: bigint, safe = finalized): Promise<void> {
    const [finalHeader, safeHeader] = await Promise.all([this.header(finalized), this.header(safe)])
    this.#finalized = finalHeader.hash
    this.#safe = safeHeader.hash
    await this.#choose((await this.header()).hash)
  }

  /** Throws away every block after this one, as if it had never been: no reorg is seen, and nothing is final. */
  async goBackTo(number: bigint): Promise<void> {
    this.#safe = undefined
    this.#finalized = undefined
    // geth takes that for an error.
    if ((await this.header()).number === number) return
    await this.ask('debug_setHead', [numberToHex(number)])
  }

  #choose(head: Hex): Promise<void> {
    return this.#engine.chooseFork({ head, safe: this.#safe, finalized: this.#finalized })
  }
}
