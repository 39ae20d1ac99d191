/** Runs remit by the rules (`remit.ts`) again and again until nothing is due, and sums up what the calls do. */

import { type Address, getAddress, type Hex } from 'viem'
import { FREQUENCIES } from '../subscription.ts'
import { type RemitOutcome, remit } from './remit.ts'
import type { RemitEffects, RemitRevert, SubscriberCharge, TokenTransfer } from './remitState.ts'
import { listOfDay, type RemitBacklog, type RemitState, remitState } from './remitState.ts'

/** What remit will do with one day that is not empty. */
interface ForecastDay {
  readonly dayNumber: number
  /** Subscriptions with at least one subscriber charged or dropped. */
  readonly subscriptions: number
  /** Subscribers charged or dropped, counted once per subscription. */
  readonly subscribers: number
  readonly willPay: number
  readonly willFail: number
  /** Calls of remit. */
  readonly transactions: number
}

/** A subscriber who will be dropped. */
interface ForecastFailure {
  readonly id: Hex
  readonly subscriber: Address
  readonly dayNumber: number
  /** `undefined` if unknown: the logs of a simulated call do not tell it. */
  readonly reason: 'allowance' | 'balance' | undefined
}

/** Why the backlog cannot be cleared, and the day on which it stops. */
export interface Stall {
  /** The first day that remit cannot finish; for `emptyDays`, the first empty day. */
  readonly dayNumber: number
  /** `maxRemits`: the contract's limit is 0, so no call charges anybody. */
  readonly reason: Exclude<RemitRevert, 'notDue'> | 'maxRemits'
  /** For `emptyDays`: the due day that no call reaches. */
  readonly dueDayNumber?: number
}

export interface RemitForecast {
  readonly days: readonly ForecastDay[]
  /** Calls of remit until nothing is left to charge. Each charges maxRemits subscribers at most. */
  readonly expectedTransactions: number
  /** What the caller of all of them earns, in raw units, per token. */
  readonly callerFees: readonly { readonly token: Address; readonly amountRaw: bigint }[]
  readonly failing: readonly ForecastFailure[]
  /** Due subscriptions that lose their period, because a call of remit broke off at maxRemits (docs/protocol.md). */
  readonly skipped: readonly { readonly id: Hex; readonly dayNumber: number }[]
  /** The contract's nextUncheckedDay after the last call. */
  readonly nextUncheckedDay: number
  readonly stalled?: Stall
}

/** A transfer of a remit, and the charge that it is part of; `undefined` for a fee. */
export interface StepTransfer {
  readonly transfer: TokenTransfer
  readonly charge: Pick<SubscriberCharge, 'id' | 'subscriber'> | undefined
}

/** One call of remit, calculated by the rules or read from a simulation. */
export interface RemitStep {
  readonly dayNumber: number
  readonly charges: readonly Omit<SubscriberCharge, 'transfers'>[]
  /** All of its transfers, in order. Empty where only its logs are known. */
  readonly transfers: readonly StepTransfer[]
  /** What the call pays its caller. */
  readonly callerFees: readonly { readonly token: Address; readonly amountRaw: bigint }[]
  readonly skipped: readonly { readonly id: Hex; readonly dayNumber: number }[]
  /** The contract's nextUncheckedDay after the call. */
  readonly nextUncheckedDay: number
}

/**
 * What calling remit again and again on one day will do until it has nothing left to charge.
 *
 * Balances, allowances, fee balances and subscriber sets change from call to call: a subscriber who can pay the first due
 * day may be dropped on the second. Where every day up to today is empty, there is no transaction. Every token counts as
 * a plain ERC-20. Only a simulation can show that a token refuses a transfer, which reverts remit.
 * @throws RangeError where a subscriber's funds are missing from the backlog
 */
export function forecastRemit(backlog: RemitBacklog): RemitForecast {
  const { steps, stalled } = stepsFrom(remitState(backlog))
  return sumUp(steps, backlog.nextUncheckedDay, stalled)
}

/** Every call of remit from a state on, up to the last one that gets on, and why none does after it though something is left. It uses up the state. */
export function stepsFrom(state: RemitState): { steps: RemitStep[]; stalled: Stall | undefined } {
  const steps: RemitStep[] = []
  while (state.nextUncheckedDay <= state.backlog.currentDay) {
    const fromDay = state.nextUncheckedDay
    const outcome = remit(state)
    const stalled = stallOf(outcome, state, fromDay)
    if (!outcome.ok || stalled !== undefined) return { steps, stalled }
    steps.push(stepOf(outcome, state))
  }
  return { steps, stalled: undefined }
}

/** A successful call as a step. @param state after the call */
export function stepOf(outcome: RemitOutcome & { ok: true }, state: RemitState): RemitStep {
  const { run, dayNumber } = outcome
  const { charges, callerFees, skipped } = run
  const { nextUncheckedDay } = state
  return { dayNumber, charges, transfers: ownedTransfers(run), callerFees, skipped, nextUncheckedDay }
}

/** Each transfer with its charge. A charge holds the very objects that are in the list of all, so they are found by identity. */
function ownedTransfers({ charges, transfers }: RemitEffects): StepTransfer[] {
  const owners = new Map<TokenTransfer, StepTransfer['charge']>()
  for (const { transfers: own, id, subscriber } of charges) {
    for (const transfer of own) owners.set(transfer, { id, subscriber })
  }
  return transfers.map((transfer) => ({ transfer, charge: owners.get(transfer) }))
}

/**
 * Sums up calls of remit.
 * @param nextUncheckedDay the contract's before the first call
 */
export function sumUp(
  steps: readonly RemitStep[],
  nextUncheckedDay: number,
  stalled: Stall | undefined,
): RemitForecast {
  const days = new Map<number, DayTally>()
  const callerFees = new Map<Address, bigint>()
  const failing: ForecastFailure[] = []
  for (const step of steps) {
    const { dayNumber } = step
    const day = days.get(dayNumber) ?? { ids: new Set(), willPay: 0, willFail: 0, transactions: 0 }
    days.set(dayNumber, day)
    day.transactions += 1
    for (const { id, subscriber, outcome, reason } of step.charges) {
      day.ids.add(id)
      if (outcome !== 'failed') day.willPay += 1
      else {
        day.willFail += 1
        failing.push({ id, subscriber, dayNumber, reason })
      }
    }
    for (const { token, amountRaw } of step.callerFees) {
      const address = getAddress(token)
      callerFees.set(address, (callerFees.get(address) ?? 0n) + amountRaw)
    }
  }
  return {
    days: [...days].map(([dayNumber, day]) => forecastDay(dayNumber, day)),
    expectedTransactions: steps.length,
    callerFees: [...callerFees].map(([token, amountRaw]) => ({ token, amountRaw })),
    failing,
    skipped: steps.flatMap(({ skipped }) => skipped),
    nextUncheckedDay: steps.at(-1)?.nextUncheckedDay ?? nextUncheckedDay,
    ...(stalled === undefined ? {} : { stalled }),
  }
}

interface DayTally {
  readonly ids: Set<Hex>
  willPay: number
  willFail: number
  transactions: number
}

function forecastDay(dayNumber: number, { ids, willPay, willFail, transactions }: DayTally): ForecastDay {
  const subscribers = willPay + willFail
  return { dayNumber, subscriptions: ids.size, subscribers, willPay, willFail, transactions }
}

/** Why no further call moves on from here, if so. @param fromDay the state's next unchecked day before the call */
function stallOf(outcome: RemitOutcome, state: RemitState, fromDay: number): Stall | undefined {
  if (outcome.ok) {
    const isStuck = !outcome.finished && outcome.run.charges.length === 0
    return isStuck ? { dayNumber: outcome.dayNumber, reason: 'maxRemits' } : undefined
  }
  switch (outcome.reason) {
    case 'notDue':
      return undefined
    case 'emptyDays': {
      // If no due day follows the empty days, remit is not stuck: nothing is due today.
      const dueDayNumber = firstDueDay(state)
      return dueDayNumber === undefined
        ? undefined
        : { dayNumber: fromDay, reason: outcome.reason, dueDayNumber }
    }
    default:
      return { dayNumber: state.nextUncheckedDay, reason: outcome.reason }
  }
}

/** How many empty days come before the next due day, and that day; without one, how many come up to today. */
export function emptyRunFrom(state: RemitState): { days: number; dueDayNumber: number | undefined } {
  const dueDayNumber = firstDueDay(state)
  const end = dueDayNumber ?? state.backlog.currentDay + 1
  return { days: end - state.nextUncheckedDay, dueDayNumber }
}

/** The first day from the state's next one to today with a subscriber on a due list. */
function firstDueDay(state: RemitState): number | undefined {
  // Every due day occurs within a year. A list that is empty now stays empty.
  const lastDay = Math.min(state.backlog.currentDay, state.nextUncheckedDay + 366)
  for (let day = state.nextUncheckedDay; day <= lastDay; day += 1) {
    const lists = FREQUENCIES.map((frequency) => listOfDay(state, day, frequency))
    if (lists.flat().some(({ subscribers }) => subscribers.length > 0)) return day
  }
  return undefined
}
