import type { Address, Hex } from 'viem'
import type { TokenTransfer } from '../protocol/ledger.ts'
import type { RemitProbe } from '../protocol/remitObserved.ts'

/** A transfer that its token would not make on top of the view's block. */
export interface TransferRefusal {
  readonly transfer: TokenTransfer
  /** What it reverted with; `undefined` where the token only answered false. */
  readonly data: Hex | undefined
}

/** Asks the chain itself what remit() would do on top of a view's block. */
export interface RemitTrials {
  /**
   * Calls remit() from the caller again and again, in the next block, as one state: some times, or, where
   * `deep` is given, as often as one request can bear with so many subscribers in each.
   *
   * Costs no HTTP request of its own when it is asked in one tick with a read, and none at all when it is known
   * for this block and caller.
   */
  probe(caller: Address, deep?: { readonly maxRemits: number }): Promise<RemitProbe>
  /** Tries the transfers as the contract would make them, in their order, and tells which are refused. */
  refusals(transfers: readonly TokenTransfer[]): Promise<readonly TransferRefusal[]>
}
