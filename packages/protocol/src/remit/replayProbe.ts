/**
 * Repeats the simulated calls of remit (the probe) by the rules of `remit.ts`, for `forecastFromProbe`: where both do the same, the rules
 * can go on from the state after them. Calls with logs are compared charge by charge, calls without logs ("counted") by what their caller
 * gained. `inferHiddenState.ts` finds the checkpoint and the system's share for it.
 */

import { type Address, getAddress, isAddressEqual, zeroAddress } from 'viem'
import { type RemitStep, stepOf } from './forecastRemit.ts'
import {
  didTheSame,
  explainFirstCall,
  mostGuesses,
  systemFeeSeen,
  withCheckpoint,
  withSystemFee,
} from './inferHiddenState.ts'
import type { CountedRemit, ObservedRemit, RemitProbe } from './observeRemit.ts'
import { remit } from './remit.ts'
import {
  type Checkpoint,
  dueListsBetween,
  EMPTY_DAYS_PER_CALL,
  type RemitBacklog,
  type RemitEffects,
  type RemitState,
  remitState,
} from './remitState.ts'

/** What is uncertain about a forecast. */
export type RemitGap =
  /** Nothing could be simulated: the checkpoint is unknown, and whether the system takes its share. */
  | 'unprobed'
  /** Calls were simulated without logs: who is charged first is inferred from what they paid. */
  | 'counted'
  /** Calls were simulated without logs, and no checkpoint fits: who is charged is unknown. */
  | 'days'
  /** As `days`, and the caller may be a payer or a payee: what it earns is unknown. */
  | 'callerFees'
  /** No fee was paid in the simulation: whether the system takes its share is unknown. */
  | 'systemFee'
  /** A token moved other amounts than the contract sent: what follows the simulated calls is not certain. */
  | 'tokenFees'
  /** What follows the simulated calls is unknown: the figures are lower bounds. */
  | 'unseen'

/** The simulated calls as steps, and the state after them where the rules can continue from there. */
export interface ReplayedProbe {
  readonly steps: readonly RemitStep[]
  readonly state: RemitState | undefined
  /** What is uncertain about the simulated calls themselves. What follows them: `forecastFromProbe` adds that from the other fields. */
  readonly gaps: readonly RemitGap[]
  /** False where the rules go on and no simulated fee has shown whether the system takes its share. */
  readonly isFeeSeen: boolean
  /** Tokens in which the caller received other fees than the rules say. */
  readonly oddTokens: ReadonlySet<Address>
}

/** The defaults of a result: fees count as seen, and no token as odd, because nothing was compared. */
const NOTHING_COMPARED = { steps: [], gaps: [], isFeeSeen: true, oddTokens: new Set<Address>() } as const

/**
 * Runs the rules along the simulated calls, and says what is uncertain about these. Without a `state` nothing is known of what follows.
 * @param options.systemFee the contract's factor over 10000, which may be switched off
 * @param options.isHidden whether the contract's views leave out subscribers, so that the rules lack whom to charge
 */
export function replayProbe(
  backlog: RemitBacklog,
  { probe, systemFee, isHidden }: { probe: RemitProbe; systemFee: bigint; isHidden: boolean },
): ReplayedProbe {
  if (probe.method === 'eth_simulateV1') {
    const replayed = isHidden ? undefined : replayLogged(backlog, systemFee, probe.calls)
    if (replayed !== undefined) return { ...replayed, gaps: [] }
    const steps = probe.calls.map((call) => stepFromLogs(call, backlog))
    return { ...NOTHING_COMPARED, steps, state: undefined }
  }
  const replayed = isHidden ? undefined : replayCounted(backlog, systemFee, probe.calls)
  // Without a fee, the rules fit with a share of the system and without one.
  const isFeeSeen = probe.calls.some(({ gained }) => gained.length > 0)
  // Nothing was simulated: the rules start from the backlog.
  if (probe.calls.length === 0) return { ...NOTHING_COMPARED, isFeeSeen, state: replayed?.state }
  if (replayed !== undefined) return { ...NOTHING_COMPARED, ...replayed, isFeeSeen, gaps: ['counted'] }
  const areFees = gainsAreFees(backlog, probe.calls)
  return {
    ...NOTHING_COMPARED,
    steps: countedSteps(probe.calls, areFees),
    state: undefined,
    gaps: areFees ? ['days'] : ['days', 'callerFees'],
  }
}

/** Runs the rules along calls with logs; `undefined` where the rules do something else. */
function replayLogged(
  backlog: RemitBacklog,
  systemFee: bigint,
  calls: readonly ObservedRemit[],
): Omit<ReplayedProbe, 'gaps'> | undefined {
  const [first] = calls
  const start = first && explainFirstCall(backlog, first)
  if (start?.explained === false) return undefined
  const begun = withCheckpoint(backlog, start?.checkpoint)
  const fee = systemFeeSeen(begun, systemFee, calls)
  const state = remitState(withSystemFee(begun, systemFee, fee))
  // The calls have shown how many empty days one walks, so the measured limit does not count for them.
  state.emptyDaysPerCall = Number.POSITIVE_INFINITY
  const steps: RemitStep[] = []
  const oddTokens = new Set<Address>()
  for (const call of calls) {
    const outcome = remit(state)
    if (!didTheSame(outcome, call)) return undefined
    // What a token really moved is in its logs. Why a charge failed is only known by the rules.
    const { callerFees } = stepFromLogs(call, backlog)
    const byRules = stepOf(outcome, state)
    const charges = byRules.charges.map((charge, index) => ({ ...charge, ...call.charges[index] }))
    for (const token of tokensThatDiffer(byRules.callerFees, callerFees)) oddTokens.add(token)
    steps.push({ ...byRules, charges, callerFees })
  }
  const walked = calls.map(({ emptyDays }) => emptyDays)
  state.emptyDaysPerCall = Math.max(EMPTY_DAYS_PER_CALL, ...walked)
  return { state, steps, isFeeSeen: fee !== undefined, oddTokens }
}

/** The tokens in which the caller's fees, added up, differ. */
function tokensThatDiffer(expected: RemitStep['callerFees'], seen: RemitStep['callerFees']): Address[] {
  const differences = new Map<Address, bigint>()
  const add = (token: Address, amountRaw: bigint) => {
    const key = getAddress(token)
    differences.set(key, (differences.get(key) ?? 0n) + amountRaw)
  }
  for (const { token, amountRaw } of expected) add(token, amountRaw)
  for (const { token, amountRaw } of seen) add(token, -amountRaw)
  return [...differences].flatMap(([token, difference]) => (difference === 0n ? [] : [token]))
}

/** A call as a step, by its logs alone. */
export function stepFromLogs(
  { dayNumber, finished, charges, fees }: ObservedRemit,
  { accounts }: Pick<RemitBacklog, 'accounts'>,
): RemitStep {
  return {
    dayNumber,
    charges,
    transfers: [],
    callerFees: fees.filter(({ to }) => isAddressEqual(to, accounts.caller)),
    skipped: [],
    nextUncheckedDay: finished ? dayNumber + 1 : dayNumber,
  }
}

/**
 * Runs the rules along calls of which only the day and the caller's gains are known, with the first checkpoint and system
 * fee that fit all of them. `undefined` where none fits.
 */
function replayCounted(
  backlog: RemitBacklog,
  systemFee: bigint,
  calls: readonly CountedRemit[],
): { state: RemitState; steps: RemitStep[] } | undefined {
  const { caller } = backlog.accounts
  const most = mostGuesses(backlog)
  let guesses = 0
  for (const checkpoint of everyCheckpoint(backlog)) {
    // The zero address stands for any other receiver: the caller's gains are the same.
    for (const receiver of [undefined, zeroAddress, caller]) {
      const fee = receiver === undefined ? undefined : ({ isOn: true, receiver } as const)
      const replayed = replayWith(withSystemFee(withCheckpoint(backlog, checkpoint), systemFee, fee), calls)
      if (replayed !== undefined) return replayed
    }
    guesses += 1
    if (guesses === most) break
  }
  return undefined
}

/** Whether what the caller gained can only be fees: it is no subscriber or provider of the backlog, and lost nothing. */
function gainsAreFees(
  { lists, accounts: { caller } }: RemitBacklog,
  calls: readonly CountedRemit[],
): boolean {
  const isCaller = (account: Address) => isAddressEqual(account, caller)
  const entries = lists.flatMap((list) => list.entries)
  const takesPart = entries.some(
    ({ terms, subscribers }) =>
      isCaller(terms.provider) || subscribers.some(({ address }) => isCaller(address)),
  )
  // If no entry was read, the backlog is unknown.
  return (
    entries.length > 0 &&
    !takesPart &&
    calls.every(({ gained }) => gained.every(({ amountRaw }) => amountRaw > 0n))
  )
}

/** Calls that no checkpoint fits: only their number is known, and what they paid where that can be told. */
function countedSteps(calls: readonly CountedRemit[], areFees: boolean): RemitStep[] {
  return calls.map(({ nextUncheckedDay, gained }) => ({
    dayNumber: nextUncheckedDay,
    charges: [],
    transfers: [],
    callerFees: areFees ? gained : [],
    skipped: [],
    nextUncheckedDay,
  }))
}

/** Runs the rules along calls without logs, from a backlog with a guessed checkpoint and fee. `undefined` where the gains differ. */
function replayWith(
  backlog: RemitBacklog,
  calls: readonly CountedRemit[],
): { state: RemitState; steps: RemitStep[] } | undefined {
  const state = remitState(backlog)
  state.emptyDaysPerCall = Number.POSITIVE_INFINITY
  const steps: RemitStep[] = []
  for (const { nextUncheckedDay, gained } of calls) {
    const outcome = remit(state)
    if (!outcome.ok || state.nextUncheckedDay !== nextUncheckedDay) return undefined
    if (asText(gains(outcome.run, backlog.accounts.caller)) !== asText(gained)) return undefined
    steps.push(stepOf(outcome, state))
  }
  state.emptyDaysPerCall = EMPTY_DAYS_PER_CALL
  return { state, steps }
}

/** What a call changed of the caller's balances, by the rules. */
function gains({ transfers }: RemitEffects, caller: Address): CountedRemit['gained'] {
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

/** No checkpoint, and then every position of the first day at which a call can have broken off. */
function* everyCheckpoint({ lists, nextUncheckedDay }: RemitBacklog): Generator<Checkpoint | undefined> {
  yield undefined
  for (const { frequency, dueDay } of dueListsBetween(nextUncheckedDay, nextUncheckedDay)) {
    const list = lists.find((known) => known.frequency === frequency && known.dueDay === dueDay)
    for (const [index, { terms, subscribers, setSize }] of (list?.entries ?? []).entries()) {
      const subscription = { id: terms.id, subscriptionPosition: index + 1, frequency }
      // The contract's set may be larger than what its views show.
      const size = Math.max(subscribers.length, setSize ?? 0)
      for (let subscriberPosition = size; subscriberPosition >= 1; subscriberPosition -= 1) {
        yield { ...subscription, subscriberPosition }
      }
    }
  }
}
