import { type Address, getAddress, type Hex, isAddressEqual } from 'viem'
import { BacklogTooLongError, type ProtocolSettings } from '../../core/ports/chainReads.ts'
import type { ChainView } from '../../core/ports/chains.ts'
import type { BlockedCharge } from '../../core/ports/verdicts.ts'
import { ViewFailedError } from '../../errors/chain.ts'
import type { RemitAhead } from '../../protocol/outlook/outlook.ts'
import { isNotDue } from '../../protocol/remit/forecastFromProbe.ts'
import type { RemitStep } from '../../protocol/remit/forecastRemit.ts'
import { NOT_PROBED, type RemitProbe } from '../../protocol/remit/observeRemit.ts'
import { seenStep } from '../../protocol/remit/replayProbe.ts'
import type { Issue } from '../../schema/answer.ts'
import { findRemit, type RemitFindings } from '../prepare/remit/remitFindings.ts'
import { remitSight } from '../prepare/remit/remitSight.ts'
import { type RemitStop, stopIssues, stoppedDay } from '../prepare/remit/remitStop.ts'

/** What holds remit up, whoever is charged. */
export const BLOCKERS = [
  'transfer',
  'sweptTransfer',
  'gasCap',
  'emptyDays',
  'paging',
  'contractFunds',
  'unsubscribedList',
  'revert',
] as const

export type Blocker = (typeof BLOCKERS)[number]

/** What remit does up to a day, for one of those whom it charges. */
export interface RemitSeen extends RemitAhead<Blocker> {
  /** Why remit stops, one issue for each cause. Empty where nothing is known to stop it. */
  readonly issues: readonly Issue[]
  /** Whether remit was seen to drop the wallet with this charge. */
  hasFailed(dayNumber: number, id: Hex): boolean
  /** Calls of remit that were simulated. */
  readonly calls: number
  /** The last day up to which everything was tried; `undefined` where there is none. */
  readonly through: number | undefined
  /** Whose transfer its token refuses, where that stops remit. */
  readonly payer?: Pick<BlockedCharge, 'subscriptionId' | 'subscriber' | 'token'> | undefined
  /** The block of the verdict, where only the sweep knows of the stop. */
  readonly sweptAt?: { readonly blockNumber: number; readonly timestamp: number }
}

/** Calls remit in the simulation. Nobody has its key, so it is no payer, and no token knows it. */
const CALLER = getAddress('0x000000000000000000000000000000000a71d0c5')

/** The most entries and subscribers that are read of everybody's, for one wallet's outlook. */
const MOST_ROWS = 3_000

/**
 * Simulates remit on the last day, from today's state on. That shows what remit does on each day until then: it charges
 * day by day, and what today's state says of a day does not depend on when remit comes to it.
 *
 * Takes one to three HTTP requests where nothing stops remit, some more to find out what does. Where more subscribers are
 * due than one request may read, only what the simulation logs is known.
 */
export async function remitAhead(chain: ChainView, account: Address, throughDay: number): Promise<RemitSeen> {
  const view = chain.onDay(throughDay, MOST_ROWS)
  try {
    return fromFindings(view, account, await findRemit(view, CALLER, { seesAll: true }))
  } catch (error) {
    if (!isUnread(error)) throw error
  }
  const settings = await view.read.protocol()
  const probe = await view.remit.probe(CALLER, settings).catch((error: unknown) => {
    if (isUnread(error)) return NOT_PROBED
    throw error
  })
  return fromProbe(view, account, { probe, settings })
}

/** What stops remit up to a day, whoever is charged. */
export function remitStopAhead(chain: ChainView, throughDay: number): Promise<RemitSeen> {
  return remitAhead(chain, CALLER, throughDay)
}

/** Whether too many are due, or a view tells less than remit does. */
function isUnread(error: unknown): boolean {
  return error instanceof BacklogTooLongError || error instanceof ViewFailedError
}

function fromFindings(view: ChainView, account: Address, findings: RemitFindings): RemitSeen {
  const { probed, backlog } = findings
  const { nextUncheckedDay, maxRemits } = backlog.settings
  const stop = isIdle(findings.stop) ? undefined : findings.stop
  const { calls, through } = remitSight(view, { ...findings, stop })
  const isUnsure = probed.gaps.some((gap) => gap === 'days' || gap === 'unprobed')
  const isWhole = stop === undefined && !probed.gaps.includes('unseen')
  const nextDay = probed.steps.at(-1)?.nextUncheckedDay ?? nextUncheckedDay
  return {
    ...chargesIn(isUnsure ? [] : probed.steps, account, {
      fromDay: nextUncheckedDay,
      beforeDay: isUnsure ? nextUncheckedDay : isWhole ? view.today + 1 : nextDay,
      stopDay: stop && stoppedDay(stop),
    }),
    ...(stop && { stop: { dayNumber: stoppedDay(stop), blockedBy: blockerOf(stop) } }),
    issues: stop === undefined ? [] : stopIssues(stop, maxRemits),
    payer: stop?.kind === 'transfers' ? payerOf(stop.refused) : undefined,
    calls,
    through: through?.dayNumber,
  }
}

/** Too many empty days hold up only a due day behind them, and there is none. */
function isIdle(stop: RemitStop | undefined): boolean {
  return (
    stop?.kind === 'stalled' && stop.stall.reason === 'emptyDays' && stop.stall.dueDayNumber === undefined
  )
}

/** By the logs of the simulation alone: who makes remit revert is not known. */
function fromProbe(
  view: ChainView,
  account: Address,
  { probe, settings }: { probe: RemitProbe; settings: ProtocolSettings },
): RemitSeen {
  const { nextUncheckedDay: fromDay, maxRemits } = settings
  if (probe.method !== 'eth_simulateV1') {
    return {
      ...chargesIn([], account, { fromDay, beforeDay: fromDay }),
      issues: [],
      calls: 0,
      through: undefined,
    }
  }
  const accounts = { contract: view.contractAddress, caller: CALLER }
  const steps = probe.calls.map((call) => seenStep(call, { accounts }))
  const { revert } = probe
  const nextDay = steps.at(-1)?.nextUncheckedDay ?? fromDay
  const isDone = revert !== undefined && isNotDue(revert)
  // After other calls, running out of gas may only mean the node's own limit for a simulation.
  const isTold = revert !== undefined && !isDone && (!revert.ranOutOfGas || revert.gasNeeded !== undefined)
  const stop = isTold ? stopOf(revert, nextDay, view.remit.gasCap) : undefined
  const beforeDay = isDone ? view.today + 1 : nextDay
  return {
    ...chargesIn(steps, account, { fromDay, beforeDay, stopDay: stop && nextDay }),
    ...(stop && { stop: { dayNumber: nextDay, blockedBy: blockerOf(stop) } }),
    issues: stop === undefined ? [] : stopIssues(stop, maxRemits),
    calls: steps.length,
    through: beforeDay > fromDay ? beforeDay - 1 : undefined,
  }
}

function stopOf(
  revert: NonNullable<RemitProbe['revert']>,
  dayNumber: number,
  gasCap: bigint | undefined,
): RemitStop {
  const { gasNeeded } = revert
  return gasNeeded !== undefined && gasCap !== undefined
    ? { kind: 'gas', dayNumber, gasCap, gasNeeded }
    : { kind: 'reverts', dayNumber, revert }
}

/** The charges of one account: those of every day before `beforeDay`, and what succeeds on the day of the stop. */
function chargesIn(
  steps: readonly RemitStep[],
  account: Address,
  { fromDay, beforeDay, stopDay }: { fromDay: number; beforeDay: number; stopDay?: number | undefined },
): Pick<RemitSeen, 'chargesOn' | 'hasFailed'> {
  const days = new Map<number, Hex[]>()
  const failed = new Set<string>()
  for (const { dayNumber, charges } of steps) {
    for (const { id, subscriber, outcome } of charges) {
      if (!isAddressEqual(subscriber, account)) continue
      const ids = days.get(dayNumber) ?? []
      days.set(dayNumber, [...ids, id])
      if (outcome === 'failed') failed.add(`${dayNumber}:${id}`)
    }
  }
  return {
    chargesOn: (day) =>
      (day >= fromDay && day < beforeDay) || day === stopDay ? (days.get(day) ?? []) : undefined,
    hasFailed: (day, id) => failed.has(`${day}:${id}`),
  }
}

/** Nobody where only fees are refused. */
function payerOf(refused: Extract<RemitStop, { kind: 'transfers' }>['refused']): RemitSeen['payer'] {
  const [first] = refused.flatMap(({ of, transfer }) => (of === undefined ? [] : [{ ...of, ...transfer }]))
  return first && { subscriptionId: first.id, subscriber: first.subscriber, token: first.token }
}

function blockerOf(stop: RemitStop): Blocker {
  switch (stop.kind) {
    case 'gas':
      return 'gasCap'
    case 'transfers':
      return 'transfer'
    case 'reverts':
      return 'revert'
    case 'stalled':
      return STALLS[stop.stall.reason]
  }
}

const STALLS = {
  emptyDays: 'emptyDays',
  maxRemits: 'paging',
  contractFunds: 'contractFunds',
  listedExceedSubscribers: 'unsubscribedList',
} as const satisfies Record<Extract<RemitStop, { kind: 'stalled' }>['stall']['reason'], Blocker>
