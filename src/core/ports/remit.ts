import type { Address, Hex } from 'viem'
import type { TokenTransfer } from '../../protocol/remit/ledger.ts'
import type { RemitProbe } from '../../protocol/remit/remitObserved.ts'

/** A transfer that its token would not make on top of the view's block. */
export interface TransferRefusal {
  /** Its place among those that were given. */
  readonly index: number
  /** What it reverted with; `undefined` where the token only answered false. */
  readonly data: Hex | undefined
}

/** What became of transfers that were tried in their order. */
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

/** Something that may let remit get on: what is done before it, and who then calls it. */
export interface WayOutTrial {
  readonly steps: readonly TrialStep[]
  readonly caller: Address
}

/** Asks the chain itself what remit() would do on top of a view's block. */
export interface RemitTrials {
  /** The most gas that a transaction of the chain may ask for; `undefined` where it has no such cap. */
  readonly gasCap: bigint | undefined
  /**
   * Calls remit() from the caller again and again, in the next block, as one state: some times, or, where
   * `deep` is given, as often as one request can bear with so many subscribers in each.
   *
   * Costs no HTTP request of its own when it is asked in one tick with a read, and none at all when it is known
   * for this block and caller.
   */
  probe(caller: Address, deep?: { readonly maxRemits: number }): Promise<RemitProbe>
  /**
   * Tries transfers as the contract would make them, in their order and as one state, behind so many calls of
   * remit(). One that is refused moves nothing and stops none of the others.
   *
   * On a node that cannot simulate, each is tried by itself at the view's block, without the calls before it.
   */
  transfers(
    caller: Address,
    plan: { readonly calls: number; readonly transfers: readonly TokenTransfer[] },
  ): Promise<TransferTrial>
  /**
   * For each way out, whether remit() gets on behind so many calls of it and the way's steps, for so many pages;
   * nothing being due any more counts too. `undefined` where the node cannot simulate.
   */
  waysOut(
    caller: Address,
    plan: { readonly calls: number; readonly pages: number; readonly ways: readonly WayOutTrial[] },
  ): Promise<readonly boolean[] | undefined>
}
