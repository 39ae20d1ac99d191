import { getAddress } from 'viem'
import { decodeRevert } from '../reverts.ts'
import {
  emptyRunFrom,
  type RemitForecast,
  type RemitStep,
  type Stall,
  stepOf,
  stepsFrom,
  tally,
} from './forecastRemit.ts'
import type { RemitFailure, RemitProbe } from './observeRemit.ts'
import { remit } from './remit.ts'
import { type RemitBacklog, type RemitState, remitState } from './remitBacklog.ts'
import { type RemitGap, seenIn } from './replayProbe.ts'

/** From so many empty days in a row on, a revert without a reason is their stack. It holds some 200. */
const TELLING_EMPTY_DAYS = 100

const PANIC_ARITHMETIC = 0x11n

/** What the chain and the rules together say of a backlog. */
export interface ProbedForecast {
  readonly forecast: RemitForecast
  /** The calls of the forecast, one by one. */
  readonly steps: readonly RemitStep[]
  /** How many of the calls the chain was seen to make; what lies behind them is by the rules. */
  readonly seenCalls: number
  /** What of it is not certain; empty where every figure is. */
  readonly gaps: readonly RemitGap[]
  /** How the next call reverts, where that is neither "nothing due" nor a stall of the contract's own. */
  readonly revert: RemitFailure | undefined
  /** By the rules, what is left of the day on which it reverts, whichever page: what it trips over is among it. */
  readonly unfinished: RemitStep | undefined
}

/**
 * Puts a forecast on what was seen: where a page broke off, whether the system takes its part, and what each
 * probed call really did. Only what lies behind the probe is reckoned.
 *
 * @param backlog `systemFee` and `checkpoint`, which the contract does not tell, are left open
 * @param options.systemFee the fee where it is switched on
 * @param options.isHidden whether subscribers exist that no view names, so that nothing can be reckoned
 */
export function forecastFromProbe(
  backlog: RemitBacklog,
  options: { probe: RemitProbe; systemFee: bigint; isHidden: boolean },
): ProbedForecast {
  const { probe } = options
  if (probe.method === 'none') {
    const { steps, stalled } = stepsFrom(remitState(backlog))
    const forecast = tally(steps, backlog.nextUncheckedDay, stalled)
    return { forecast, steps, seenCalls: 0, gaps: ['unprobed'], revert: undefined, unfinished: undefined }
  }
  const { moving, stuckDay } = untilStuck(backlog, probe)
  const seen = seenIn(backlog, { ...options, probe: moving })
  const { steps, state, gaps, isFeeSeen, oddTokens } = seen
  const nextDay = steps.at(-1)?.nextUncheckedDay ?? backlog.nextUncheckedDay
  const found = (
    more: readonly RemitStep[],
    stalled: Stall | undefined,
    others: Partial<ProbedForecast> = {},
  ) => {
    const all = [...steps, ...more]
    const forecast = tally(all, backlog.nextUncheckedDay, stalled)
    // Calls whose charges are not known must not read as days without any.
    const known = gaps.includes('days') ? { ...forecast, days: [] } : forecast
    const nothing = { revert: undefined, unfinished: undefined }
    return { forecast: known, steps: all, seenCalls: steps.length, gaps, ...nothing, ...others }
  }

  if (stuckDay !== undefined) return found([], { dayNumber: stuckDay, reason: 'maxRemits' })
  if (probe.revert !== undefined) {
    if (isNotDue(probe.revert)) return found([], undefined)
    const here = state ?? remitState({ ...backlog, nextUncheckedDay: nextDay })
    const stalled = stallBehind(probe.revert, here)
    if (stalled !== undefined) return found([], stalled)
    // Behind others, a call that ends without gas may only have met the node's own bound for a simulation.
    const isTelling = !probe.revert.ranOutOfGas || probe.revert.gasNeeded !== undefined || steps.length === 0
    if (isTelling) return found([], undefined, { revert: probe.revert, unfinished: restOfDay(here) })
  }
  if (state === undefined) {
    const isDone = nextDay > backlog.currentDay
    return isDone ? found([], undefined) : found([], undefined, { gaps: [...gaps, 'unseen'] })
  }
  const { steps: reckoned, stalled } = stepsFrom(state)
  // How many empty days a call can walk depends on the contract's build: only the chain tells.
  const isUnsure = stalled?.reason === 'emptyDays'
  const paid = reckoned.flatMap(({ callerFees }) => callerFees.map(({ token }) => getAddress(token)))
  const more: RemitGap[] = []
  if (!isFeeSeen && paid.length > 0) more.push('systemFee')
  if (paid.some((token) => oddTokens.has(token))) more.push('tokenFees')
  if (isUnsure) more.push('unseen')
  return found(reckoned, isUnsure ? undefined : stalled, { gaps: [...gaps, ...more] })
}

/** Everything that the day moves on which a state stands. The state is spent. */
function restOfDay(state: RemitState): RemitStep | undefined {
  const unpaged = { ...state, backlog: { ...state.backlog, maxRemits: Number.POSITIVE_INFINITY } }
  const outcome = remit(unpaged)
  return outcome.ok ? stepOf(outcome, unpaged) : undefined
}

/** Whether a revert says that no day up to today has anything due. */
export function isNotDue({ data, ranOutOfGas }: RemitFailure): boolean {
  const revert = decodeRevert(data)
  return !ranOutOfGas && revert.kind === 'protocol' && revert.protocolCode === '6'
}

/**
 * A probe up to the first call that gets nowhere, and the day that it stands on: with a limit of 0 a call breaks
 * off before its first charge, and so does every one after it.
 */
function untilStuck(
  { maxRemits, nextUncheckedDay }: RemitBacklog,
  probe: Exclude<RemitProbe, { method: 'none' }>,
): { moving: RemitProbe; stuckDay: number | undefined } {
  if (probe.method === 'eth_simulateV1') {
    const at = probe.calls.findIndex(({ finished, charges }) => !finished && charges.length === 0)
    if (at < 0) return { moving: probe, stuckDay: undefined }
    return { moving: { ...probe, calls: probe.calls.slice(0, at) }, stuckDay: probe.calls[at]?.dayNumber }
  }
  const days = probe.calls.map((call) => call.nextUncheckedDay)
  const at = days.findIndex((day, index) => maxRemits === 0 && day === days[index + 1])
  if (at < 0) return { moving: probe, stuckDay: undefined }
  // The call before it can have walked the empty days up to this one, and then got nowhere too.
  return { moving: { ...probe, calls: probe.calls.slice(0, at) }, stuckDay: days[at] ?? nextUncheckedDay }
}

function stallBehind({ data, ranOutOfGas }: RemitFailure, state: RemitState): Stall | undefined {
  const { days, dueDayNumber } = emptyRunFrom(state)
  if ((data === '0x' || ranOutOfGas) && days >= TELLING_EMPTY_DAYS) {
    const due = dueDayNumber === undefined ? {} : { dueDayNumber }
    return { dayNumber: state.nextUncheckedDay, reason: 'emptyDays', ...due }
  }
  const revert = decodeRevert(data)
  if (revert.kind !== 'panic' || revert.panicCode !== PANIC_ARITHMETIC) return undefined
  const outgrown = [...state.lists.values()]
    .flat()
    .some(({ subscribers, listedCount }) => listedCount > subscribers.length)
  return outgrown
    ? { dayNumber: dueDayNumber ?? state.nextUncheckedDay, reason: 'listedExceedSubscribers' }
    : undefined
}
