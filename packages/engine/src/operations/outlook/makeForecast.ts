import { packCharges } from '@remit/protocol/outlook/PackedCharges'
import { isNotDue } from '@remit/protocol/remit/forecastFromProbe'
import { NOT_PROBED, type RemitProbe } from '@remit/protocol/remit/observeRemit'
import { stepFromLogs } from '@remit/protocol/remit/replayProbe'
import { getAddress } from 'viem'
import { ViewFailedError } from '../../errors/chain.ts'
import { BacklogTooLongError, type ProtocolSettings } from '../../ports/chainReads.ts'
import type { ChainView } from '../../ports/chains.ts'
import type { Blocker, Foreseen, ForeseenStop } from '../../ports/forecasts.ts'
import { findRemit, type RemitFindings } from '../prepare/remit/remitFindings.ts'
import { remitSight } from '../prepare/remit/remitReadiness.ts'
import { type RemitStop, stopIssues, stoppedDay } from '../prepare/remit/remitStop.ts'

// How a chain's forecast of remit is made (`Foreseen`, ports/forecasts.ts): calls of remit() are simulated on the forecast's last day, one
// after the other, until nothing is due or one reverts. With the backlog (who is due) the protocol's rules explain the calls and find
// what stops remit (`fromFindings`). Where the backlog is too long to read, the simulation's logs alone tell (`fromProbe`; a probe is
// the row of simulated calls). Days after the last simulated call count as unknown.

/** Who calls remit in the simulation. Nobody has this address's key, so it pays for nothing and no token treats it specially. */
const CALLER = getAddress('0x000000000000000000000000000000000a71d0c5')

/** How many entries of due lists, and how many of their subscribers, are read at most. */
const MOST_ROWS = 3_000

/**
 * Simulates remit on the last day, from the view's state on. That shows what remit does on each day until then: it
 * charges day by day, and by today's state a day's charges are the same whenever remit reaches it.
 *
 * Takes one to three HTTP requests where nothing stops remit, some more to find out what does. If more subscribers are
 * due than may be read, only the simulation's logs are known. Simulating and decoding take seconds of a processor where
 * thousands are due.
 */
export async function makeForecast(chain: ChainView, lastDay: number): Promise<Foreseen> {
  const view = chain.onDay(lastDay, MOST_ROWS)
  try {
    return { lastDay, ...fromFindings(view, await findRemit(view, CALLER, { seesAll: true })) }
  } catch (error) {
    if (!isUnread(error)) throw error
  }
  const settings = await view.read.protocol()
  const probe = await view.remit.probe(CALLER, settings).catch((error: unknown) => {
    if (isUnread(error)) return NOT_PROBED
    throw error
  })
  return { lastDay, ...fromProbe(view, { probe, settings }) }
}

/**
 * The forecast without its last day. Charges are known of the days from `fromDay` on and before `beforeDay`; everything was tried up to
 * the day `through`, that day included.
 */
type Found = Omit<Foreseen, 'lastDay'>

/** Whether more subscribers are due than may be read, or a view fails where remit does not. Then the simulation's logs must do. */
function isUnread(error: unknown): boolean {
  return error instanceof BacklogTooLongError || error instanceof ViewFailedError
}

/** Makes the forecast from the simulation and the backlog together, which also tell what stops remit. */
function fromFindings(view: ChainView, findings: RemitFindings): Found {
  const { probed, backlog } = findings
  const { nextUncheckedDay, maxRemits } = backlog.settings
  const stop = isIdle(findings.stop) ? undefined : findings.stop
  const { calls, through } = remitSight(view, { ...findings, stop })
  // `unprobed`: nothing was simulated. `days`: no rules explain the simulated calls. Then no day's charges are known.
  const isUnsure = probed.gaps.some((gap) => gap === 'days' || gap === 'unprobed')
  // `unseen`: what follows the simulated calls is unknown.
  const isUnseen = probed.gaps.includes('unseen')
  const nextDay = probed.steps.at(-1)?.nextUncheckedDay ?? nextUncheckedDay
  // The first day that is not whole: the day of the stop, because remit passes the empty days before it, or the day after the last.
  const partialDay = stop === undefined ? view.today + 1 : stoppedDay(stop)
  return {
    charges: packCharges(isUnsure ? [] : probed.steps),
    fromDay: nextUncheckedDay,
    beforeDay: isUnsure ? nextUncheckedDay : isUnseen ? nextDay : partialDay,
    stop: stop && toForeseen(stop, maxRemits),
    calls,
    through: through?.dayNumber,
  }
}

/** Whether only empty days stop remit, too many for one call, and no due day comes after them. Then nobody waits for it. */
function isIdle(stop: RemitStop | undefined): boolean {
  return (
    stop?.kind === 'stalled' && stop.stall.reason === 'emptyDays' && stop.stall.dueDayNumber === undefined
  )
}

/** Makes the forecast from the logs of the simulation alone: who makes remit revert is not known. */
function fromProbe(
  view: ChainView,
  { probe, settings }: { probe: RemitProbe; settings: ProtocolSettings },
): Found {
  const { nextUncheckedDay: fromDay, maxRemits } = settings
  if (probe.method !== 'eth_simulateV1') {
    const nothing = { charges: packCharges([]), stop: undefined, calls: 0, through: undefined }
    return { ...nothing, fromDay, beforeDay: fromDay }
  }
  const accounts = { contract: view.contractAddress, caller: CALLER }
  const steps = probe.calls.map((call) => stepFromLogs(call, { accounts }))
  const { revert } = probe
  const nextDay = steps.at(-1)?.nextUncheckedDay ?? fromDay
  const isDone = revert !== undefined && isNotDue(revert)
  // Out of gas counts only where more gas was seen to help (`gasNeeded`): else it may be the node's own limit for a simulation.
  const isStopped = revert !== undefined && !isDone && (!revert.ranOutOfGas || revert.gasNeeded !== undefined)
  const stop = isStopped ? stopOf(revert, nextDay, view.remit.gasCap) : undefined
  const beforeDay = isDone ? view.today + 1 : nextDay
  return {
    charges: packCharges(steps),
    fromDay,
    beforeDay,
    stop: stop && toForeseen(stop, maxRemits),
    calls: steps.length,
    through: beforeDay > fromDay ? beforeDay - 1 : undefined,
  }
}

/** What stops remit, by how its next call reverts: too little gas in one transaction, or anything else. */
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

function toForeseen(stop: RemitStop, maxRemits: number): ForeseenStop {
  return {
    dayNumber: stoppedDay(stop),
    blockedBy: blockerOf(stop),
    issues: stopIssues(stop, maxRemits),
    payer: stop.kind === 'transfers' ? payerOf(stop.refused) : undefined,
  }
}

/** Whose charge is refused first; `undefined` if only fees are. */
function payerOf(refused: Extract<RemitStop, { kind: 'transfers' }>['refused']): ForeseenStop['payer'] {
  const [first] = refused.flatMap(({ charge, transfer }) =>
    charge === undefined ? [] : [{ ...charge, ...transfer }],
  )
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
