/**
 * The forecast of remit that `simulate_remit`, prepared remits and outlooks show: what simulated calls did (the probe) comes first, then
 * what the rules of `remit.ts` say about the days after them. `remit.ts` explains remit, its pages and its checkpoint.
 */

import { getAddress } from 'viem'
import { decodeRevert } from '../reverts.ts'
import {
  emptyRunFrom,
  type RemitForecast,
  type RemitStep,
  type Stall,
  stepOf,
  stepsFrom,
  sumUp,
} from './forecastRemit.ts'
import type { RemitFailure, RemitProbe } from './observeRemit.ts'
import { remit } from './remit.ts'
import { type RemitBacklog, type RemitState, remitState } from './remitState.ts'
import { type RemitGap, type ReplayedProbe, replayProbe } from './replayProbe.ts'

/** After this many empty days in a row, a revert without a reason counts as a stack overflow. The stack holds some 200. */
const OVERFLOWING_EMPTY_DAYS = 100

/** Solidity's code for an overflow or underflow. */
const PANIC_ARITHMETIC = 0x11n

/** A forecast that begins with simulated calls and continues by the rules. */
export interface ProbedForecast {
  readonly forecast: RemitForecast
  /** The calls of the forecast, in order. */
  readonly steps: readonly RemitStep[]
  /** How many of the calls were simulated. The others are calculated by the rules. */
  readonly seenCalls: number
  /** What is uncertain, each with its meaning in `RemitGap`; empty if everything is certain. */
  readonly gaps: readonly RemitGap[]
  /** How the next call reverts, unless nothing is due or a known defect of the contract explains it. */
  readonly revert: RemitFailure | undefined
  /** The rest of the day on which it reverts, by the rules. One of its transfers may be the reason. */
  readonly unfinished: RemitStep | undefined
}

/**
 * Makes a forecast from simulated calls. They show the checkpoint, whether the system takes its share, and what each call
 * really did. Only what follows them is calculated by the rules.
 *
 * @param backlog without `systemFee` and `checkpoint`, which no view tells
 * @param options.systemFee the system fee, which may be switched off
 * @param options.isHidden whether the contract's views leave out subscribers. Then nothing can be calculated
 * @param options.isRead false where the backlog's lists are empty because nothing of them could be read
 */
export function forecastFromProbe(
  backlog: RemitBacklog,
  options: { probe: RemitProbe; systemFee: bigint; isHidden: boolean; isRead?: boolean },
): ProbedForecast {
  const { probe, isRead = true } = options
  if (probe.method === 'none') {
    const { steps, stalled } = stepsFrom(remitState(backlog))
    const forecast = sumUp(steps, backlog.nextUncheckedDay, stalled)
    return { forecast, steps, seenCalls: 0, gaps: ['unprobed'], revert: undefined, unfinished: undefined }
  }
  const { moving, stuckDay } = untilStuck(backlog, probe)
  const isHidden = options.isHidden || !isRead
  const seen = replayProbe(backlog, { probe: moving, systemFee: options.systemFee, isHidden })
  const nextDay = seen.steps.at(-1)?.nextUncheckedDay ?? backlog.nextUncheckedDay
  const { more = [], stalled, moreGaps = [], revert, unfinished } = continuation()
  const steps = [...seen.steps, ...more]
  const forecast = sumUp(steps, backlog.nextUncheckedDay, stalled)
  return {
    // Days with unknown charges are left out: they would read as days without charges.
    forecast: seen.gaps.includes('days') ? { ...forecast, days: [] } : forecast,
    steps,
    seenCalls: seen.steps.length,
    gaps: [...seen.gaps, ...moreGaps],
    revert,
    unfinished,
  }

  /** What comes after the simulated calls: nothing, a stall, a revert, or what the rules say. */
  function continuation(): Continuation {
    if (stuckDay !== undefined) return { stalled: { dayNumber: stuckDay, reason: 'maxRemits' } }
    return (probe.revert && afterRevert(probe.revert)) ?? byRules(seen, nextDay > backlog.currentDay)
  }

  /** What a revert means; `undefined` where only the node may have caused it: then the forecast goes on by the rules. */
  function afterRevert(revert: RemitFailure): Continuation | undefined {
    if (isNotDue(revert)) return {}
    const here = seen.state ?? remitState({ ...backlog, nextUncheckedDay: nextDay })
    const stalled = isRead ? knownDefect(revert, here) : undefined
    if (stalled !== undefined) return { stalled }
    // After other calls, running out of gas may only mean the node's own gas limit for a simulation.
    const isOfTheCall = !revert.ranOutOfGas || revert.gasNeeded !== undefined || seen.steps.length === 0
    return isOfTheCall ? { revert, unfinished: isRead ? restOfDay(here) : undefined } : undefined
  }
}

/** What a forecast says beyond the simulated calls. */
interface Continuation {
  readonly more?: readonly RemitStep[]
  readonly stalled?: Stall | undefined
  readonly moreGaps?: readonly RemitGap[]
  readonly revert?: RemitFailure
  readonly unfinished?: RemitStep | undefined
}

/** The calls that follow by the rules. @param isDone whether the simulated calls have finished today */
function byRules({ state, isFeeSeen, oddTokens }: ReplayedProbe, isDone: boolean): Continuation {
  if (state === undefined) return isDone ? {} : { moreGaps: ['unseen'] }
  const { steps, stalled } = stepsFrom(state)
  // How many empty days one call can walk depends on how the contract was compiled. Only the chain knows.
  const isUnsure = stalled?.reason === 'emptyDays'
  const paidTokens = steps.flatMap(({ callerFees }) => callerFees.map(({ token }) => getAddress(token)))
  const moreGaps: RemitGap[] = []
  if (!isFeeSeen && paidTokens.length > 0) moreGaps.push('systemFee')
  if (paidTokens.some((token) => oddTokens.has(token))) moreGaps.push('tokenFees')
  if (isUnsure) moreGaps.push('unseen')
  return { more: steps, stalled: isUnsure ? undefined : stalled, moreGaps }
}

/** Everything that the rest of the state's day moves, by the rules; `undefined` where they revert. It uses up the state. */
function restOfDay(state: RemitState): RemitStep | undefined {
  const unpaged = { ...state, backlog: { ...state.backlog, maxRemits: Number.POSITIVE_INFINITY } }
  const outcome = remit(unpaged)
  return outcome.ok ? stepOf(outcome, unpaged) : undefined
}

/** Whether a revert says that nothing is due up to today. */
export function isNotDue({ data, ranOutOfGas }: RemitFailure): boolean {
  const revert = decodeRevert(data)
  return !ranOutOfGas && revert.kind === 'protocol' && revert.protocolCode === '6'
}

/**
 * Cuts a probe before the first call that gets stuck, and names its day. That is one that breaks off and has charged nobody: with
 * maxRemits 0 every call does. `undefined` where none is.
 */
function untilStuck(
  { maxRemits }: RemitBacklog,
  probe: Exclude<RemitProbe, { method: 'none' }>,
): { moving: RemitProbe; stuckDay: number | undefined } {
  const whole = { moving: probe, stuckDay: undefined }
  if (probe.method === 'eth_simulateV1') {
    const stuckCall = probe.calls.findIndex(({ finished, charges }) => !finished && charges.length === 0)
    if (stuckCall < 0) return whole
    return {
      moving: { ...probe, calls: probe.calls.slice(0, stuckCall) },
      stuckDay: probe.calls[stuckCall]?.dayNumber,
    }
  }
  // These calls do not show whom they charged. Two in a row that end on one day are pages of that day, unless a page is empty.
  if (maxRemits !== 0) return whole
  const ends = probe.calls.map((call) => call.nextUncheckedDay)
  const firstOfTwo = ends.findIndex((day, index) => day === ends[index + 1])
  if (firstOfTwo < 0) return whole
  // The first of the two charged nobody either: it has walked empty days up to this day at most.
  return { moving: { ...probe, calls: probe.calls.slice(0, firstOfTwo) }, stuckDay: ends[firstOfTwo] }
}

/** Which known defect of the contract explains a revert, if one does. */
function knownDefect({ data, ranOutOfGas }: RemitFailure, state: RemitState): Stall | undefined {
  const { days, dueDayNumber } = emptyRunFrom(state)
  if ((data === '0x' || ranOutOfGas) && days >= OVERFLOWING_EMPTY_DAYS) {
    const due = dueDayNumber === undefined ? {} : { dueDayNumber }
    return { dayNumber: state.nextUncheckedDay, reason: 'emptyDays', ...due }
  }
  const revert = decodeRevert(data)
  if (revert.kind !== 'panic' || revert.panicCode !== PANIC_ARITHMETIC) return undefined
  const isOutgrown = [...state.lists.values()]
    .flat()
    .some(({ subscribers, unsubscribedCount }) => unsubscribedCount > subscribers.length)
  return isOutgrown
    ? { dayNumber: dueDayNumber ?? state.nextUncheckedDay, reason: 'listedExceedSubscribers' }
    : undefined
}
