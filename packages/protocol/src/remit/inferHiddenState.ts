/**
 * Finds out from simulated calls of remit what the contract has no view of: the checkpoint, which is where an earlier call broke off, and
 * whether the system takes its share of the fees. It guesses, runs the rules with each guess, and compares. `replayProbe` asks.
 */

import { type Address, isAddressEqual, zeroHash } from 'viem'
import { FREQUENCIES } from '../subscription.ts'
import type { ObservedRemit } from './observeRemit.ts'
import { type RemitOutcome, remit } from './remit.ts'
import {
  type Checkpoint,
  dueListsBetween,
  type RemitBacklog,
  type RemitEntry,
  remitState,
  type TokenTransfer,
} from './remitState.ts'

/** The most guesses at a checkpoint. For each, the rules run one call of remit. */
const MOST_GUESSES = 500

/** The most rows of funds that all guesses may copy. Each copies all of them, so a large backlog gets fewer guesses. */
const MOST_COPIED_ROWS = 200_000

/**
 * Finds the checkpoint with which the rules do exactly what the first simulated call did. The contract has no view of
 * the checkpoint, and the call itself replaces or deletes it.
 *
 * `explained` is true with `undefined` where the call fits without a checkpoint, and false where none of those tried fits. A token that
 * differs from a plain ERC-20 can cause that.
 */
export function explainFirstCall(
  backlog: RemitBacklog,
  observed: ObservedRemit,
): { explained: boolean; checkpoint: Checkpoint | undefined } {
  // Only the lists that the call walked: each guess copies them.
  const walked = listsDueBetween(backlog, backlog.nextUncheckedDay, observed.dayNumber)
  const most = mostGuesses(backlog)
  let guesses = 0
  for (const checkpoint of checkpointGuesses(backlog, observed)) {
    const state = remitState({ ...withCheckpoint(backlog, checkpoint), lists: walked })
    // As many empty days as it takes: the observed call shows how many one walks, which need not be the measured limit.
    state.emptyDaysPerCall = Number.POSITIVE_INFINITY
    if (didTheSame(remit(state), observed)) return { explained: true, checkpoint }
    guesses += 1
    if (guesses === most) break
  }
  return { explained: false, checkpoint: undefined }
}

/** The backlog's lists that are due on a day from `fromDay` to `toDay`, both included. */
function listsDueBetween({ lists }: RemitBacklog, fromDay: number, toDay: number): RemitBacklog['lists'] {
  const due = dueListsBetween(fromDay, toDay).map(({ frequency, dueDay }) => `${frequency}:${dueDay}`)
  const keys = new Set(due)
  return lists.filter(({ frequency, dueDay }) => keys.has(`${frequency}:${dueDay}`))
}

/** How many guesses a backlog of this size gets: ten at least, for the likely ones, which come first. */
export function mostGuesses({ funds }: RemitBacklog): number {
  return Math.max(10, Math.min(MOST_GUESSES, Math.floor(MOST_COPIED_ROWS / Math.max(1, funds.length))))
}

/** Whether a call by the rules made the same charges in the same order as a simulated one. */
export function didTheSame(
  outcome: RemitOutcome,
  { dayNumber, emptyDays, finished, charges }: ObservedRemit,
): outcome is RemitOutcome & { ok: true } {
  if (!outcome.ok || outcome.dayNumber !== dayNumber) return false
  if (outcome.emptyDays !== emptyDays || outcome.finished !== finished) return false
  return (
    outcome.run.charges.length === charges.length &&
    outcome.run.charges.every(({ id, subscriber, outcome: what }, index) => {
      const seen = charges[index]
      return seen?.id === id && what === seen.outcome && isAddressEqual(seen.subscriber, subscriber)
    })
  )
}

/** The backlog with this checkpoint instead of its own; with `undefined`, without any. */
export function withCheckpoint(backlog: RemitBacklog, checkpoint: Checkpoint | undefined): RemitBacklog {
  const { checkpoint: _, ...rest } = backlog
  return checkpoint === undefined ? rest : { ...rest, checkpoint }
}

/** Whether the system takes its share of the fees, and who receives it. */
type SystemFeeSeen = { readonly isOn: false } | { readonly isOn: true; readonly receiver: Address }

/**
 * Finds out from the fees that were paid whether the system's share is switched on; `undefined` where no fee was paid.
 * The payments are compared with both calculations, and the one that fits more often wins.
 * @param systemFee the contract's factor over 10000, which applies only while it is switched on
 */
export function systemFeeSeen(
  backlog: RemitBacklog,
  systemFee: bigint,
  calls: readonly ObservedRemit[],
): SystemFeeSeen | undefined {
  const seen = calls.flatMap(({ fees }) => fees)
  if (seen.length === 0) return undefined
  const receivers = [...new Set(seen.map(({ to }) => to))]
  const candidates: SystemFeeSeen[] = [
    { isOn: false },
    ...receivers.map((receiver) => ({ isOn: true, receiver }) as const),
  ]
  let best: { candidate: SystemFeeSeen; fits: number } | undefined
  for (const candidate of candidates) {
    const fits = countFits(withSystemFee(backlog, systemFee, candidate), calls)
    if (fits > (best?.fits ?? 0)) best = { candidate, fits }
  }
  if (best !== undefined) return best.candidate
  // No calculation fits. A payment to somebody else can only be the share.
  const other = receivers.find((receiver) => !isAddressEqual(receiver, backlog.accounts.caller))
  return other === undefined ? { isOn: false } : { isOn: true, receiver: other }
}

/** The backlog with the system's share as it was seen: as it is where it was seen to be off, or not at all. */
export function withSystemFee(
  backlog: RemitBacklog,
  systemFee: bigint,
  seen: SystemFeeSeen | undefined,
): RemitBacklog {
  if (!seen?.isOn) return backlog
  return { ...backlog, systemFee, accounts: { ...backlog.accounts, systemFeeReceiver: seen.receiver } }
}

/** In how many tokens and calls the rules pay the fees that were seen. */
function countFits(backlog: RemitBacklog, calls: readonly ObservedRemit[]): number {
  const state = remitState(backlog)
  state.emptyDaysPerCall = Number.POSITIVE_INFINITY
  let fits = 0
  for (const { fees } of calls) {
    const outcome = remit(state)
    if (!outcome.ok) break
    const expected = byToken(outcome.run.fees)
    for (const [token, payments] of byToken(fees)) if (expected.get(token) === payments) fits += 1
  }
  return fits
}

/** A token's payments as one text, in their order, to compare them. */
function byToken(transfers: readonly TokenTransfer[]): Map<string, string> {
  const payments = new Map<string, string>()
  for (const { token, to, amountRaw } of transfers) {
    const key = token.toLowerCase()
    payments.set(key, `${payments.get(key) ?? ''}${to.toLowerCase()}:${amountRaw} `)
  }
  return payments
}

/**
 * The checkpoints to try, the likely ones first: none; then the position of the first charge; then those of the first day at which
 * remit charges nobody; then those whose subscription is on no list any more: their position only cuts lists short (see `DayWalk`).
 */
function* checkpointGuesses(
  backlog: RemitBacklog,
  { first }: ObservedRemit,
): Generator<Checkpoint | undefined> {
  const { nextUncheckedDay } = backlog
  yield undefined
  if (first?.nextUncheckedDay === nextUncheckedDay) {
    const { id, subscriberPosition, subscriptionPosition, frequency } = first
    yield { id, subscriberPosition, subscriptionPosition, frequency }
  }
  const due = listsDueBetween(backlog, nextUncheckedDay, nextUncheckedDay)
  for (const { frequency, entries } of due) {
    for (const [index, entry] of entries.entries()) {
      const subscription = { id: entry.terms.id, subscriptionPosition: index + 1, frequency }
      for (const subscriberPosition of quietPositions(entry)) yield { ...subscription, subscriberPosition }
    }
  }
  const longest = Math.max(0, ...due.map(({ entries }) => entries.length))
  for (const frequency of FREQUENCIES) {
    for (let position = longest; position >= 0; position -= 1) {
      yield { id: zeroHash, subscriberPosition: 1, subscriptionPosition: position, frequency }
    }
  }
}

/** Checkpoint positions in an entry at which nobody is charged. */
function quietPositions({ terms, paused, subscribers, setSize }: RemitEntry): number[] {
  if (terms.cancelled || paused) return [1]
  const size = Math.max(subscribers.length, setSize ?? 0)
  // Accounts on the unsubscribed list come last and are all skipped alike, so one of them stands for all.
  return size > subscribers.length ? [size] : []
}
