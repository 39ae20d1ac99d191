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
import { type RemitBacklog, type RemitState, remitState } from './remitState.ts'
import { type RemitGap, replayProbe } from './replayProbe.ts'

/** After this many empty days in a row, a revert without a reason counts as a stack overflow. The stack holds some 200. */
const TELLING_EMPTY_DAYS = 100

const PANIC_ARITHMETIC = 0x11n

/** A forecast that begins with simulated calls and continues by the rules. */
export interface ProbedForecast {
  readonly forecast: RemitForecast
  /** The calls of the forecast, in order. */
  readonly steps: readonly RemitStep[]
  /** How many of the calls were simulated. The others are calculated by the rules. */
  readonly seenCalls: number
  /** What is uncertain; empty if everything is certain. */
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
    const forecast = tally(steps, backlog.nextUncheckedDay, stalled)
    return { forecast, steps, seenCalls: 0, gaps: ['unprobed'], revert: undefined, unfinished: undefined }
  }
  const { moving, stuckDay } = untilStuck(backlog, probe)
  const seen = replayProbe(backlog, { ...options, probe: moving, isHidden: options.isHidden || !isRead })
  const { steps, state, gaps, isFeeSeen, oddTokens } = seen
  const nextDay = steps.at(-1)?.nextUncheckedDay ?? backlog.nextUncheckedDay
  const found = (
    more: readonly RemitStep[],
    stalled: Stall | undefined,
    others: Partial<ProbedForecast> = {},
  ) => {
    const all = [...steps, ...more]
    const forecast = tally(all, backlog.nextUncheckedDay, stalled)
    // Days with unknown charges are left out: they would read as days without charges.
    const known = gaps.includes('days') ? { ...forecast, days: [] } : forecast
    const nothing = { revert: undefined, unfinished: undefined }
    return { forecast: known, steps: all, seenCalls: steps.length, gaps, ...nothing, ...others }
  }

  if (stuckDay !== undefined) return found([], { dayNumber: stuckDay, reason: 'maxRemits' })
  if (probe.revert !== undefined) {
    if (isNotDue(probe.revert)) return found([], undefined)
    const here = state ?? remitState({ ...backlog, nextUncheckedDay: nextDay })
    const stalled = isRead ? stallBehind(probe.revert, here) : undefined
    if (stalled !== undefined) return found([], stalled)
    // After other calls, running out of gas may only mean the node's own gas limit for a simulation.
    const isTelling = !probe.revert.ranOutOfGas || probe.revert.gasNeeded !== undefined || steps.length === 0
    if (isTelling)
      return found([], undefined, { revert: probe.revert, unfinished: isRead ? restOfDay(here) : undefined })
  }
  if (state === undefined) {
    const isDone = nextDay > backlog.currentDay
    return isDone ? found([], undefined) : found([], undefined, { gaps: [...gaps, 'unseen'] })
  }
  const { steps: reckoned, stalled } = stepsFrom(state)
  // How many empty days one call can walk depends on how the contract was compiled. Only the chain knows.
  const isUnsure = stalled?.reason === 'emptyDays'
  const paid = reckoned.flatMap(({ callerFees }) => callerFees.map(({ token }) => getAddress(token)))
  const more: RemitGap[] = []
  if (!isFeeSeen && paid.length > 0) more.push('systemFee')
  if (paid.some((token) => oddTokens.has(token))) more.push('tokenFees')
  if (isUnsure) more.push('unseen')
  return found(reckoned, isUnsure ? undefined : stalled, { gaps: [...gaps, ...more] })
}

/** Everything that the rest of the state's day moves. It uses up the state. */
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
 * Cuts a probe before the first call that charges nobody, and names its day. With maxRemits 0 every call breaks off before
 * its first charge.
 */
function untilStuck(
  { maxRemits, nextUncheckedDay }: RemitBacklog,
  probe: Exclude<RemitProbe, { method: 'none' }>,
): { moving: RemitProbe; stuckDay: number | undefined } {
  if (probe.method === 'eth_simulateV1') {
    const stuckCall = probe.calls.findIndex(({ finished, charges }) => !finished && charges.length === 0)
    if (stuckCall < 0) return { moving: probe, stuckDay: undefined }
    return {
      moving: { ...probe, calls: probe.calls.slice(0, stuckCall) },
      stuckDay: probe.calls[stuckCall]?.dayNumber,
    }
  }
  const days = probe.calls.map((call) => call.nextUncheckedDay)
  const stuckCall = days.findIndex((day, index) => maxRemits === 0 && day === days[index + 1])
  if (stuckCall < 0) return { moving: probe, stuckDay: undefined }
  // The call before it may have walked empty days up to this day, and then charged nobody either.
  return {
    moving: { ...probe, calls: probe.calls.slice(0, stuckCall) },
    stuckDay: days[stuckCall] ?? nextUncheckedDay,
  }
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
    .some(({ subscribers, unsubscribedCount }) => unsubscribedCount > subscribers.length)
  return outgrown
    ? { dayNumber: dueDayNumber ?? state.nextUncheckedDay, reason: 'listedExceedSubscribers' }
    : undefined
}
