import { type Address, getAddress, isAddressEqual, zeroAddress } from 'viem'
import { mostGuesses, withCheckpoint, withSystemFee } from './remitExplain.ts'
import { type RemitStep, stepOf } from './remitForecast.ts'
import type { CountedRemit } from './remitObserved.ts'
import { remitOnce } from './remitOnce.ts'
import type { RemitRun } from './remitPage.ts'
import {
  type Checkpoint,
  dueListsBetween,
  EMPTY_DAYS_PER_CALL,
  type RemitBacklog,
  type RemitState,
  remitState,
} from './remitState.ts'

/**
 * Takes a state through calls of which only the day and the caller's gains are known: with the first place to
 * begin at, and the first reckoning of the system's part, that fit all of them. `undefined` where none does.
 */
export function replayCounted(
  backlog: RemitBacklog,
  systemFee: bigint,
  calls: readonly CountedRemit[],
): { state: RemitState; steps: RemitStep[] } | undefined {
  const { caller } = backlog.accounts
  const most = mostGuesses(backlog)
  let guesses = 0
  for (const checkpoint of everyCheckpoint(backlog)) {
    // Whoever else receives the system's part, the caller's own gains are the same.
    for (const receiver of [undefined, zeroAddress, caller]) {
      const fee = receiver === undefined ? undefined : ({ isOn: true, receiver } as const)
      const replayed = replay(withSystemFee(withCheckpoint(backlog, checkpoint), systemFee, fee), calls)
      if (replayed !== undefined) return replayed
    }
    guesses += 1
    if (guesses === most) break
  }
  return undefined
}

/** What calls amount to that no reckoning fits: how many they are, and what they paid. */
export function countedSteps(calls: readonly CountedRemit[]): RemitStep[] {
  return calls.map(({ nextUncheckedDay, gained }) => ({
    dayNumber: nextUncheckedDay,
    charges: [],
    transfers: [],
    callerFees: gained,
    skipped: [],
    nextUncheckedDay,
  }))
}

function replay(
  backlog: RemitBacklog,
  calls: readonly CountedRemit[],
): { state: RemitState; steps: RemitStep[] } | undefined {
  const state = remitState(backlog)
  state.emptyDaysPerCall = Number.POSITIVE_INFINITY
  const steps: RemitStep[] = []
  for (const { nextUncheckedDay, gained } of calls) {
    const outcome = remitOnce(state)
    if (!outcome.ok || state.nextUncheckedDay !== nextUncheckedDay) return undefined
    if (asText(gains(outcome.run, backlog.accounts.caller)) !== asText(gained)) return undefined
    steps.push(stepOf(outcome, state))
  }
  state.emptyDaysPerCall = EMPTY_DAYS_PER_CALL
  return { state, steps }
}

function gains({ transfers }: RemitRun, caller: Address): CountedRemit['gained'] {
  const sums = new Map<Address, bigint>()
  for (const { token, from, to, amountRaw } of transfers) {
    const key = getAddress(token)
    const sum = sums.get(key) ?? 0n
    const gained = isAddressEqual(to, caller) ? amountRaw : 0n
    const lost = isAddressEqual(from, caller) ? amountRaw : 0n
    sums.set(key, sum + gained - lost)
  }
  return [...sums].map(([token, amountRaw]) => ({ token, amountRaw }))
}

function asText(gained: CountedRemit['gained']): string {
  const changed = gained.filter(({ amountRaw }) => amountRaw !== 0n)
  return changed
    .map(({ token, amountRaw }) => `${token.toLowerCase()}:${amountRaw}`)
    .sort()
    .join()
}

/** None, and then every place of the first day at which a page can have broken off. */
function* everyCheckpoint({ lists, nextUncheckedDay }: RemitBacklog): Generator<Checkpoint | undefined> {
  yield undefined
  for (const { frequency, dueDay } of dueListsBetween(nextUncheckedDay, nextUncheckedDay)) {
    const list = lists.find((known) => known.frequency === frequency && known.dueDay === dueDay)
    for (const [index, { terms, subscribers, setSize }] of (list?.entries ?? []).entries()) {
      const at = { id: terms.id, subscriptionPosition: index + 1, frequency }
      const size = Math.max(subscribers.length, setSize ?? 0)
      for (let subscriberPosition = size; subscriberPosition >= 1; subscriberPosition -= 1) {
        yield { ...at, subscriberPosition }
      }
    }
  }
}
