import type { CreditTrial } from '@remit/protocol/payments/Payment'
import type {
  ObservedCharge,
  RemitFailure,
  RemitProbe,
  SimulationCut,
} from '@remit/protocol/remit/observeRemit'
import type { TokenTransfer } from '@remit/protocol/remit/remitState'
import type { Address, Hex } from 'viem'

// Simulations of remit() on top of a view's block: `RemitTrials`, at the end (`view.remit`; `remit/remitTrials.ts` makes it), and
// what its methods answer. Amounts are in the token's smallest unit.

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
  /** Present if the others were not tried for this reason. */
  readonly cut?: SimulationCut
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

/** One simulated call of remit() that succeeded. */
export interface FutureRemit {
  /** The day that it charged. One call passes over days on which nothing is due, and handles one on which something is. */
  readonly dayNumber: number
  /** How many days it passed over before that one. */
  readonly emptyDays: number
  /** `false` if the call broke off at maxRemits. */
  readonly finished: boolean
  readonly gasUsed: bigint
  readonly charges: readonly ObservedCharge[]
  /** The fees that were paid, with those of 0. The system's share comes first, if it is on. */
  readonly fees: readonly TokenTransfer[]
}

/** Calls of remit() in a row, as if it were a later day. */
export interface FutureRemits {
  readonly calls: readonly FutureRemit[]
  /** The contract's nextUncheckedDay after these calls. */
  readonly nextUncheckedDay: number
  /**
   * Why there are no more calls: nothing is due any more (`done`), the next one reverts, all calls that were asked for have run
   * (`calls`), or the next one ran out of gas.
   */
  readonly end: 'done' | 'reverted' | 'calls' | 'gas'
  /** How the next call failed; `undefined` where none did. */
  readonly revert: RemitFailure | undefined
}

/** Simulates remit() on top of a view's block. */
export interface RemitTrials {
  /** The most gas that a transaction of the chain may ask for; `undefined` where it has no such cap. */
  readonly gasCap: bigint | undefined
  /**
   * Simulates calls of remit() in a row, in the next block: PROBED_CALLS of them, or with `deep` as many as one answer of a node
   * can hold if each charges `maxRemits` subscribers (as the contract is set), and no more than `calls`.
   *
   * It shares the HTTP request of a read in the same tick, and costs nothing where the result for this block and caller
   * is cached.
   */
  probe(caller: Address, deep?: { readonly maxRemits: number; readonly calls?: number }): Promise<RemitProbe>
  /**
   * Calls remit() as if it were this day, until nothing is due up to it; 64 times at most. Costs a few requests at the
   * most. Throws SimulationUnsupportedError if no node has eth_simulateV1.
   * @param dayNumber from the view's day on
   */
  future(caller: Address, dayNumber: number, maxRemits: number): Promise<FutureRemits>
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
   * Tries transfers, and tells of each what its token logs and what the balances of both accounts show: a token may log another
   * amount than it moves, or credit less than it takes. `undefined` for one that is refused, and for all where the node cannot
   * simulate.
   */
  tryCredits(transfers: readonly TokenTransfer[]): Promise<readonly (CreditTrial | undefined)[]>
  /**
   * For each way out, whether remit() succeeds `pages` times after `calls` calls of remit() and the steps of the way
   * out. Success includes that nothing is due any more. `undefined` where the node cannot simulate.
   */
  waysOut(
    caller: Address,
    plan: { readonly calls: number; readonly pages: number; readonly ways: readonly WayOutTrial[] },
  ): Promise<readonly boolean[] | undefined>
}
