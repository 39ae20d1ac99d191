/**
 * What the contract's remit() does. The rules stand in files of their own, in the order in which they apply:
 *
 * 1. `remitBacklog`: what remit reads, and the state that it leaves from call to call.
 * 2. `remit` (this file): one call. It walks day after day up to the first one that is not empty.
 * 3. `DayWalk`: one day. At maxRemits subscribers the call breaks off and leaves a checkpoint.
 * 4. `chargeSubscriber`: one subscriber pays, fills the fee balance, or is dropped.
 * 5. `payFees`: the system and the caller get the fees.
 *
 * `RemitEffects` is what one call did, and `TokenBalances` what everybody holds meanwhile. The other files use the rules:
 *
 * - `forecastRemit` calls remit until nothing is due.
 * - `observeRemit` reads from logs what a simulated call did. `inferHiddenState` finds what the contract does not
 *   tell: the checkpoint, and whether the system takes its share. `replayProbe` runs the rules along what was seen.
 * - `forecastFromProbe` puts it together: what was seen first, what the rules say after it.
 */
import { DayWalk } from './DayWalk.ts'
import type { RemitState } from './remitBacklog.ts'
import { type RemitEffects, type RemitRevert, RemitReverted } from './remitEffects.ts'

/** What became of one call. */
export type RemitOutcome =
  | {
      readonly ok: true
      readonly run: RemitEffects
      /** The day that was not empty. */
      readonly dayNumber: number
      readonly emptyDays: number
      /** False where the transaction broke off at maxRemits. */
      readonly finished: boolean
    }
  | { readonly ok: false; readonly reason: RemitRevert }

/**
 * Runs one call of remit() over a state, as the contract does, and changes the state as the transaction would.
 *
 * After a revert the state cannot be used any more: on chain everything would be as before the call.
 * @throws RangeError where a subscriber's funds are missing from the backlog
 */
export function remit(state: RemitState): RemitOutcome {
  const run: RemitEffects = { charges: [], transfers: [], fees: [], callerFees: [], skipped: [] }
  let emptyDays = 0
  try {
    while (state.nextUncheckedDay <= state.backlog.currentDay) {
      if (emptyDays > state.emptyDaysPerCall) return { ok: false, reason: 'emptyDays' }
      const dayNumber = state.nextUncheckedDay
      const end = new DayWalk(state, run).walk()
      if (end === 'broken') return { ok: true, run, dayNumber, emptyDays, finished: false }
      state.checkpoint = undefined
      state.nextUncheckedDay += 1
      if (end === 'finished') return { ok: true, run, dayNumber, emptyDays, finished: true }
      emptyDays += 1
    }
    return { ok: false, reason: 'notDue' }
  } catch (error) {
    if (error instanceof RemitReverted) return { ok: false, reason: error.reason }
    throw error
  }
}
