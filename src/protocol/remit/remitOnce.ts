import { FREQUENCIES } from '../subscription.ts'
import { RemitPage, type RemitRevert, RemitReverted, type RemitRun } from './remitPage.ts'
import { listOfDay, type RemitState, removeAt } from './remitState.ts'

export type RemitOutcome =
  | {
      readonly ok: true
      readonly run: RemitRun
      /** The day that was not empty. */
      readonly dayNumber: number
      readonly emptyDays: number
      /** False where the transaction broke off at maxRemits. */
      readonly finished: boolean
    }
  | { readonly ok: false; readonly reason: RemitRevert }

/**
 * Runs remit once over a state, as the contract does, and changes the state as one transaction would.
 *
 * After a revert the state is spent: the chain's would be as before the call.
 * @throws RangeError where a subscriber's funds are missing from the backlog
 */
export function remitOnce(state: RemitState): RemitOutcome {
  const run: RemitRun = { charges: [], transfers: [], fees: [], callerFees: [], skipped: [] }
  let emptyDays = 0
  try {
    while (state.nextUncheckedDay <= state.backlog.currentDay) {
      if (emptyDays > state.emptyDaysPerCall) return { ok: false, reason: 'emptyDays' }
      const dayNumber = state.nextUncheckedDay
      const walk = walkDay(state, run)
      if (walk === 'broken') return { ok: true, run, dayNumber, emptyDays, finished: false }
      state.checkpoint = undefined
      state.nextUncheckedDay += 1
      if (walk === 'finished') return { ok: true, run, dayNumber, emptyDays, finished: true }
      emptyDays += 1
    }
    return { ok: false, reason: 'notDue' }
  } catch (error) {
    if (error instanceof RemitReverted) return { ok: false, reason: error.reason }
    throw error
  }
}

/** Walks the four due lists of the state's next unchecked day from their ends. */
function walkDay(state: RemitState, run: RemitRun): 'empty' | 'finished' | 'broken' {
  const page = new RemitPage(state, run)
  let empty = true
  for (const frequency of FREQUENCIES) {
    if (page.isBefore(frequency)) continue
    const list = listOfDay(state, state.nextUncheckedDay, frequency)
    page.noteSkipped(list, frequency)
    for (let position = Math.min(list.length, page.topPosition); position >= 1; position -= 1) {
      const subscription = list[position - 1]
      if (subscription === undefined) throw new RangeError(`A due list has no position ${position}`)
      if (subscription.subscribers.length === 0) {
        removeAt(list, position)
        continue
      }
      empty = false
      if (subscription.terms.cancelled || subscription.paused) {
        if (subscription.terms.cancelled) removeAt(list, position)
        page.clearAt(subscription)
        continue
      }
      if (page.walk(subscription, position, frequency) === 'broken') return 'broken'
    }
  }
  return empty ? 'empty' : 'finished'
}
