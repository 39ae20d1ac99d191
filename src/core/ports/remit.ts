import type { Address, Hex } from 'viem'
import type { RemitProbe } from '../../protocol/remit/observeRemit.ts'
import type { TokenTransfer } from '../../protocol/remit/TokenBalances.ts'

/** A transfer that its token refuses on top of the view's block. */
export interface TransferRefusal {
  /** Its place in the list of transfers that were tried. */
  readonly index: number
  /** What it reverted with; `undefined` where the token only answered false. */
  readonly data: Hex | undefined
}

/** The result of trying transfers in order. */
export interface TransferTrial {
  /** How many of them were tried, from the first on. */
  readonly tried: number
  readonly refusals: readonly TransferRefusal[]
}

/** One call by somebody else than the caller of remit. */
export interface TrialStep {
  readonly from: Address
  readonly to: Address
  readonly data: Hex
}

/** A way to get remit past a refused transfer: steps before it, and who then calls it. */
export interface WayOutTrial {
  readonly steps: readonly TrialStep[]
  readonly caller: Address
}

/** Simulates remit() on top of a view's block. */
export interface RemitTrials {
  /** The most gas that a transaction of the chain may ask for; `undefined` where it has no such cap. */
  readonly gasCap: bigint | undefined
  /**
   * Simulates several calls of remit() in a row, in the next block. With `deep` it simulates as many as one request
   * can hold, with `maxRemits` subscribers in each.
   *
   * It shares the HTTP request of a read in the same tick, and costs nothing where the result for this block and caller
   * is cached.
   */
  probe(caller: Address, deep?: { readonly maxRemits: number }): Promise<RemitProbe>
  /**
   * Tries transfers as the contract would make them, in order, after `calls` calls of remit(). A refused transfer moves
   * nothing and does not stop the others.
   *
   * Where the node cannot simulate, each transfer is tried alone at the view's block, without the calls before it.
   */
  transfers(
    caller: Address,
    plan: { readonly calls: number; readonly transfers: readonly TokenTransfer[] },
  ): Promise<TransferTrial>
  /**
   * For each way out, whether remit() succeeds `pages` times after `calls` calls of remit() and the steps of the way
   * out. Success includes that nothing is due any more. `undefined` where the node cannot simulate.
   */
  waysOut(
    caller: Address,
    plan: { readonly calls: number; readonly pages: number; readonly ways: readonly WayOutTrial[] },
  ): Promise<readonly boolean[] | undefined>
}
