import type { Address } from 'viem'
import type { BacklogState } from '../../../core/ports/chainReads.ts'
import type { ChainView } from '../../../core/ports/chains.ts'
import { ViewFailedError } from '../../../errors/chain.ts'
import { forecastFromProbe, type ProbedForecast } from '../../../protocol/remit/forecastFromProbe.ts'
import { tally } from '../../../protocol/remit/forecastRemit.ts'
import type { RemitBacklog } from '../../../protocol/remit/remitBacklog.ts'
import { findRefusals } from './remitRefusals.ts'
import type { RemitStop } from './remitStop.ts'
import { findWaysOut } from './remitWaysOut.ts'

/** All that is known about remit at the view's block. Both answers about remit are made from it. */
export interface RemitFindings {
  readonly caller: Address
  readonly backlog: BacklogState
  /** The calls of remit up to the first that cannot succeed. */
  readonly probed: ProbedForecast
  /** How many of the calls were simulated: the whole call, or each of its transfers. */
  readonly triedCalls: number
  /** What stops remit; `undefined` where nothing does. */
  readonly stop: RemitStop | undefined
}

/**
 * Reads the backlog and simulates remit, in one HTTP request.
 *
 * It makes a second request where subscribers are hidden or the rules do not explain the simulation; another to try
 * transfers, where the backlog is longer than the simulated calls or a remit reverts; and another for the ways out, where
 * a transfer is refused.
 *
 * Throws ViewFailedError where subscribers are hidden from the views and the node cannot simulate.
 */
export async function findRemit(chain: ChainView, caller: Address): Promise<RemitFindings> {
  const [backlog, probe] = await Promise.all([chain.read.backlog(caller), chain.remit.probe(caller)])
  const hiding = hidingEntry(backlog)
  if (hiding !== undefined && probe.method === 'none') {
    throw new ViewFailedError(
      'getSubscribersById',
      `The contract cannot tell who subscribes to ${hiding.terms.id}, and the node cannot simulate remit.`,
    )
  }
  const { systemFee } = backlog.settings
  const rules = toRemitBacklog(chain, caller, backlog)
  const isHidden = hiding !== undefined
  let probed = forecastFromProbe(rules, { probe, systemFee, isHidden })
  if (probe.method === 'eth_simulateV1' && probed.gaps.length > 0) {
    const deep = await chain.remit.probe(caller, backlog.settings)
    if (deep.calls.length > probe.calls.length)
      probed = forecastFromProbe(rules, { probe: deep, systemFee, isHidden })
  }
  return findStop(chain, { caller, backlog, probed })
}

/** Tries the transfers after the simulated calls, up to the first that is refused. */
async function findStop(
  chain: ChainView,
  found: Pick<RemitFindings, 'caller' | 'backlog' | 'probed'>,
): Promise<RemitFindings> {
  const { caller, backlog, probed } = found
  const { steps, seenCalls, forecast, revert, unfinished } = probed
  const { gasCap } = chain.remit
  const stalled = forecast.stalled && { kind: 'stalled' as const, stall: forecast.stalled }
  if (revert?.gasNeeded !== undefined && gasCap !== undefined) {
    const { gasNeeded } = revert
    const dayNumber = unfinished?.dayNumber ?? forecast.nextUncheckedDay
    return { ...found, triedCalls: seenCalls, stop: { kind: 'gas', dayNumber, gasCap, gasNeeded } }
  }
  const behind = [...steps.slice(seenCalls), ...(unfinished === undefined ? [] : [unfinished])]
  const { triedSteps, refused } = await findRefusals(chain, caller, { calls: seenCalls, steps: behind })
  const [first] = refused
  if (first !== undefined) {
    const calls = seenCalls + triedSteps
    const gaps = probed.gaps.filter((gap) => gap !== 'unseen')
    const worked = tally(steps.slice(0, calls), backlog.settings.nextUncheckedDay, undefined)
    const days = gaps.includes('days') ? [] : worked.days
    const charges = behind
      .slice(triedSteps)
      .filter(({ dayNumber }) => dayNumber === first.dayNumber)
      .reduce((sum, step) => sum + step.charges.length, 0)
    const waysOut = await findWaysOut(chain, { caller, backlog, refused, charges, forecast: worked })
    return {
      ...found,
      probed: { ...probed, steps: steps.slice(0, calls), forecast: { ...worked, days }, gaps },
      triedCalls: calls,
      stop: { kind: 'transfers', dayNumber: first.dayNumber, refused, waysOut },
    }
  }
  const triedCalls = Math.min(steps.length, seenCalls + triedSteps)
  if (revert === undefined) return { ...found, triedCalls, stop: stalled }
  const dayNumber = unfinished?.dayNumber ?? forecast.nextUncheckedDay
  const isGas = revert.ranOutOfGas && gasCap !== undefined
  return {
    ...found,
    triedCalls,
    stop: isGas
      ? { kind: 'gas', dayNumber, gasCap, gasNeeded: undefined }
      : { kind: 'reverts', dayNumber, revert },
  }
}

function hidingEntry({ lists }: BacklogState) {
  return lists.flatMap(({ entries }) => entries).find(({ hiddenSubscribers }) => hiddenSubscribers > 0)
}

/** Converts a backlog for the rules. No view tells the checkpoint and whether the system takes its share. */
export function toRemitBacklog(chain: ChainView, caller: Address, backlog: BacklogState): RemitBacklog {
  const { settings, lists, wallets } = backlog
  return {
    currentDay: chain.today,
    nextUncheckedDay: settings.nextUncheckedDay,
    maxRemits: settings.maxRemits,
    callerFee: settings.callerFee,
    systemFee: undefined,
    lists: lists.map(({ frequency, dueDay, entries }) => ({
      frequency,
      dueDay,
      entries: entries.map(({ terms, token, subscribers, listedCount, setSize }) => ({
        terms,
        paused: token.paused,
        decimals: token.decimals,
        listedCount,
        setSize,
        subscribers: subscribers.map(({ subscriber, feeBalance }) => ({ address: subscriber, feeBalance })),
      })),
    })),
    funds: wallets,
    accounts: { contract: chain.contractAddress, caller },
  }
}
