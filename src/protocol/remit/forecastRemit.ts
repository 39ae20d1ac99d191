import { type Address, getAddress, type Hex } from 'viem'
import { FREQUENCIES } from '../subscription.ts'
import type { RemitRevert, RemitRun, SubscriberCharge } from './RemitRun.ts'
import { type RemitOutcome, remit } from './remit.ts'
import { listOfDay, type RemitBacklog, type RemitState, remitState } from './remitBacklog.ts'
import type { TokenTransfer } from './TokenBalances.ts'

/** What remit will do with one day that is not empty. */
export interface ForecastDay {
  readonly dayNumber: number
  /** Subscriptions with at least one subscriber charged or dropped. */
  readonly subscriptions: number
  /** Subscribers charged or dropped, counted once per subscription. */
  readonly subscribers: number
  readonly willPay: number
  readonly willFail: number
  readonly transactions: number
}

/** A subscriber who will be dropped. */
export interface ForecastFailure {
  readonly id: Hex
  readonly subscriber: Address
  readonly dayNumber: number
  /** `undefined` where nobody can tell. */
  readonly reason: 'allowance' | 'balance' | undefined
}

/** Why the backlog cannot be worked off, and on which day it stops. */
export interface Stall {
  /** First day that remit cannot finish; for `emptyDays` the first of the empty run. */
  readonly dayNumber: number
  /** `maxRemits`: the contract's limit is 0, so no page gets on. */
  readonly reason: Exclude<RemitRevert, 'notDue'> | 'maxRemits'
  /** For `emptyDays`: the day that is due and out of reach. */
  readonly dueDayNumber?: number
}

export interface RemitForecast {
  readonly days: readonly ForecastDay[]
  /** Calls of remit until nothing is left to charge; each page of maxRemits subscribers is one. */
  readonly expectedTransactions: number
  /** What the caller of all of them earns, in raw units, per token. */
  readonly callerFees: readonly { readonly token: Address; readonly amountRaw: bigint }[]
  readonly failing: readonly ForecastFailure[]
  /** Due subscriptions that lose their period to a page break. */
  readonly skipped: readonly { readonly id: Hex; readonly dayNumber: number }[]
  /** The contract's nextUncheckedDay after the last call. */
  readonly nextUncheckedDay: number
  readonly stalled?: Stall
}

/** A transfer of a remit, and whose charge it is part of; a fee's is nobody's. */
export interface StepTransfer {
  readonly transfer: TokenTransfer
  readonly of: Pick<SubscriberCharge, 'id' | 'subscriber'> | undefined
}

/** One call of remit, by the rules or as it was seen. */
export interface RemitStep {
  readonly dayNumber: number
  readonly charges: readonly Omit<SubscriberCharge, 'transfers'>[]
  /** Everything that it moves, in order; empty where only its logs are known. */
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
 * Balances, allowances, fee balances and subscriber sets run through the whole backlog: who can pay
 * the first due day may be dropped on the second. With every day up to today empty there is nothing to
 * do and no transaction. Tokens are taken for plain ERC-20s; one that refuses a transfer reverts remit,
 * which only a simulation can tell.
 * @throws RangeError where a subscriber's funds are missing from the backlog
 */
export function forecastRemit(backlog: RemitBacklog): RemitForecast {
  const { steps, stalled } = stepsFrom(remitState(backlog))
  return tally(steps, backlog.nextUncheckedDay, stalled)
}

/** Every call of remit from a state on, up to the last that gets on. The state is spent. */
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

/** What a call that got on did to a state. */
export function stepOf(outcome: RemitOutcome & { ok: true }, state: RemitState): RemitStep {
  const { run, dayNumber } = outcome
  const { charges, callerFees, skipped } = run
  const { nextUncheckedDay } = state
  return { dayNumber, charges, transfers: ownedTransfers(run), callerFees, skipped, nextUncheckedDay }
}

function ownedTransfers({ charges, transfers }: RemitRun): StepTransfer[] {
  const owners = new Map<TokenTransfer, StepTransfer['of']>()
  for (const { transfers: own, id, subscriber } of charges) {
    for (const transfer of own) owners.set(transfer, { id, subscriber })
  }
  return transfers.map((transfer) => ({ transfer, of: owners.get(transfer) }))
}

/** Adds calls of remit up. */
export function tally(
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

function stallOf(outcome: RemitOutcome, state: RemitState, fromDay: number): Stall | undefined {
  if (outcome.ok) {
    const stuck = !outcome.finished && outcome.run.charges.length === 0
    return stuck ? { dayNumber: outcome.dayNumber, reason: 'maxRemits' } : undefined
  }
  switch (outcome.reason) {
    case 'notDue':
      return undefined
    case 'emptyDays': {
      // Where nothing waits behind the run there is nothing due today either.
      const dueDayNumber = firstDueDay(state)
      return dueDayNumber === undefined
        ? undefined
        : { dayNumber: fromDay, reason: outcome.reason, dueDayNumber }
    }
    default:
      return { dayNumber: state.nextUncheckedDay, reason: outcome.reason }
  }
}

/** How many empty days lie before the next that is due, and which that is. */
export function emptyRunFrom(state: RemitState): { days: number; dueDayNumber: number | undefined } {
  const dueDayNumber = firstDueDay(state)
  const end = dueDayNumber ?? state.backlog.currentDay + 1
  return { days: end - state.nextUncheckedDay, dueDayNumber }
}

/** The first day from the state's next one to today with a subscriber on a due list. */
function firstDueDay(state: RemitState): number | undefined {
  // Every due day comes round within a year; an empty one has nothing to wait for.
  const lastDay = Math.min(state.backlog.currentDay, state.nextUncheckedDay + 366)
  for (let day = state.nextUncheckedDay; day <= lastDay; day += 1) {
    const lists = FREQUENCIES.map((frequency) => listOfDay(state, day, frequency))
    if (lists.flat().some(({ subscribers }) => subscribers.length > 0)) return day
  }
  return undefined
}
