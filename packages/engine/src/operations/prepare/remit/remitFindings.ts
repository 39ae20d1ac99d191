import { forecastFromProbe, type ProbedForecast } from '@remit/protocol/remit/forecastFromProbe'
import { type RemitStep, sumUp } from '@remit/protocol/remit/forecastRemit'
import type { RemitProbe, SimulationCut } from '@remit/protocol/remit/observeRemit'
import type { RemitBacklog } from '@remit/protocol/remit/remitState'
import { LRUCache } from 'lru-cache'
import { type Address, getAddress } from 'viem'
import { ViewFailedError } from '../../../errors/chain.ts'
import type { BacklogState, LastingToken } from '../../../ports/chainReads.ts'
import type { ChainView } from '../../../ports/chains.ts'
import type { RemitStop } from './remitStop.ts'
import { findRefusals, findWaysOut, type RefusedTransfer } from './remitWaysOut.ts'

// What is known of remit at one block, and how it is found (`findRemit`). The backlog, all that is due, is read; a probe simulates the
// next calls of remit(). Replaying the probe by the protocol's rules shows what no view tells, such as the checkpoint where the last
// remit broke off in a day (`forecastFromProbe`), and the rules then continue after the simulated calls. Transfers that were not
// simulated are tried one by one. The first that its token refuses stops remit for everybody: then ways out are tried.

/** How many calls are simulated where the backlog cannot be read. With more, the node would take over two seconds. */
const CALLS_WHEN_UNREAD = 16

/** All that is known about remit at the view's block. Both answers about remit are made from it. */
export interface RemitFindings {
  readonly caller: Address
  readonly backlog: BacklogState
  /** The tokens of the forecast, by their checksummed address. */
  readonly tokens: ReadonlyMap<Address, LastingToken>
  /** The calls of remit up to the first that cannot succeed: simulated ones first, then by the rules; `gaps` says what stays uncertain. */
  readonly probed: ProbedForecast
  /** How many of the calls were tried, from the first on: simulated as a whole, or each of their transfers by itself. */
  readonly triedCalls: number
  /** Why no more of them were simulated, where the node is the reason. */
  readonly cut?: SimulationCut | undefined
  /** What stops remit; `undefined` where nothing does. */
  readonly stop: RemitStop | undefined
}

/**
 * Reads the backlog and simulates remit, in one HTTP request.
 *
 * It makes a second request where subscribers are hidden or the rules do not explain the simulation; another to try
 * transfers, where the backlog is longer than the simulated calls or a remit reverts; and another for the ways out,
 * where a transfer is refused.
 *
 * Where more is due than can be read, the forecast is what the simulation shows.
 *
 * Throws ViewFailedError where the views do not tell who is due and the node cannot simulate.
 * @param options.seesAll simulates as many calls as one request can hold, even if the rules can calculate the rest
 */
export async function findRemit(
  chain: ChainView,
  caller: Address,
  { seesAll = false }: { seesAll?: boolean } = {},
): Promise<RemitFindings> {
  const [backlog, probe] = await Promise.all([chain.read.backlog(caller), chain.remit.probe(caller)])
  const findNow = () => foresee(chain, { caller, backlog, probe, seesAll })
  // Only the chain's forecast (makeForecast.ts) sees all, and chain/Forecasts.ts keeps that.
  if (seesAll) return findNow()
  const known = kept.get(backlog)
  // A failure may be only that the caller who began it has disconnected, which aborts the requests. So it is made anew.
  if (known !== undefined) return known.catch(findNow)
  const finding = findNow()
  // Its size is known only when it is made.
  kept.set(backlog, finding, { size: 1 })
  finding.then(
    (findings) => {
      if (kept.peek(backlog) !== finding) return
      // Deleted first: the cache counts no new size for a value that it holds already.
      kept.delete(backlog)
      kept.set(backlog, finding, { size: rowsOf(findings) })
    },
    () => {
      if (kept.peek(backlog) === finding) kept.delete(backlog)
    },
  )
  return finding
}

/** How many findings are kept. Requests name the newest block, so a few serve all. */
const MOST_KEPT = 4
/** How many subscribers and charges the kept findings may have together. */
const MOST_KEPT_ROWS = 120_000

/**
 * Findings by the backlog that they were made from: that is one object for all requests at the same block, for the same
 * caller of remit and the same day.
 */
const kept = new LRUCache<BacklogState, Promise<RemitFindings>>({ max: MOST_KEPT, maxSize: MOST_KEPT_ROWS })

function rowsOf({ backlog, probed }: RemitFindings): number {
  const due = backlog.lists.flatMap(({ entries }) => entries.map(({ subscribers }) => subscribers.length))
  const charged = probed.steps.map(({ charges }) => charges.length)
  return [...due, ...charged].reduce((sum, rows) => sum + rows, 1)
}

/** Joins the rules and the simulation, and makes a longer probe where the first one leaves something open (gaps), or all is to be seen. */
async function foresee(
  chain: ChainView,
  {
    caller,
    backlog,
    probe,
    seesAll,
  }: { caller: Address; backlog: BacklogState; probe: RemitProbe; seesAll: boolean },
): Promise<RemitFindings> {
  const hiding = hidingEntry(backlog)
  if ((hiding !== undefined || !backlog.isRead) && probe.method === 'none') {
    const what = hiding === undefined ? 'is due' : `subscribes to ${hiding.terms.id}`
    throw new ViewFailedError(
      'getSubscribersById',
      `The contract cannot tell who ${what}, and the node cannot simulate remit.`,
    )
  }
  const { systemFee } = backlog.settings
  // The rate is known; whether it is taken is not, so `toRemitBacklog` leaves it out, and the replay of the probe finds out.
  const rules = toRemitBacklog(chain, caller, backlog)
  const known = { systemFee, isHidden: hiding !== undefined, isRead: backlog.isRead }
  let probed = forecastFromProbe(rules, { ...known, probe })
  let { cut } = probe
  const { gaps, steps, seenCalls } = probed
  const isIncomplete = gaps.length > 0 || (seesAll && seenCalls < steps.length)
  if (probe.method === 'eth_simulateV1' && isIncomplete) {
    // With gaps, as many calls as one answer can hold. Else those that the rules foresee, and one more, which shows that nothing is due after.
    const wanted = gaps.length > 0 ? {} : { calls: steps.length + 1 }
    const calls = backlog.isRead ? wanted : { calls: CALLS_WHEN_UNREAD }
    const deep = await chain.remit.probe(caller, { maxRemits: backlog.settings.maxRemits, ...calls })
    const more = deep.calls.length - probe.calls.length
    // It is used where it shows more calls, or as many and how the next one reverts. A node may also give it less gas.
    if (more > 0 || (more === 0 && deep.revert !== undefined)) {
      probed = forecastFromProbe(rules, { ...known, probe: deep })
      cut = deep.cut
    }
  }
  const tokens = await tokensOf(chain, backlog, probed)
  return findStop(chain, { caller, backlog, tokens, probed, cut })
}

async function tokensOf(
  chain: ChainView,
  { isRead, lists }: BacklogState,
  { forecast }: ProbedForecast,
): Promise<RemitFindings['tokens']> {
  if (!isRead) return chain.read.lastingTokens(forecast.callerFees.map(({ token }) => getAddress(token)))
  const entries = lists.flatMap((list) => list.entries)
  return new Map(entries.map(({ token }) => [token.address, token]))
}

/**
 * Finds what stops remit, the first of these that holds. `gas`: the next call needs more than a transaction may have. `transfers`: a token
 * refuses one of a call that was not simulated, or of the day on which the next call reverts. `reverts`: that call reverts for another
 * reason (again `gas` where it ran out of it under a cap). `stalled`: nothing reverts, and by the rules no further call gets on.
 */
async function findStop(
  chain: ChainView,
  found: Pick<RemitFindings, 'caller' | 'backlog' | 'tokens' | 'probed' | 'cut'>,
): Promise<RemitFindings> {
  const { caller, probed } = found
  const { steps, seenCalls, forecast, revert, unfinished } = probed
  // `unfinished`: by the rules, what is left of the day on which the next call reverts.
  const { gasCap } = chain.remit
  const stalled = forecast.stalled && { kind: 'stalled' as const, stall: forecast.stalled }
  if (revert?.gasNeeded !== undefined && gasCap !== undefined) {
    const { gasNeeded } = revert
    const dayNumber = unfinished?.dayNumber ?? forecast.nextUncheckedDay
    return { ...found, triedCalls: seenCalls, stop: { kind: 'gas', dayNumber, gasCap, gasNeeded } }
  }
  // The calls that were not simulated, and what is left of the day on which one reverts.
  const unsimulated = [...steps.slice(seenCalls), ...(unfinished === undefined ? [] : [unfinished])]
  const trial = await findRefusals(chain, caller, { calls: seenCalls, steps: unsimulated })
  const { triedSteps, refused } = trial
  if (refused.length > 0) return stoppedByTransfers(chain, found, { unsimulated, triedSteps, refused })
  const triedCalls = Math.min(steps.length, seenCalls + triedSteps)
  if (revert === undefined) {
    // Where the transfers of all other calls were tried, nothing is left untried, whatever cut the probe off.
    const isWhole = triedCalls === steps.length
    return { ...found, triedCalls, cut: isWhole ? undefined : (trial.cut ?? found.cut), stop: stalled }
  }
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

/**
 * The findings up to refused transfers, with the ways out of them.
 * @param trial.unsimulated the steps of which transfers were tried; of the first `triedSteps`, all succeeded
 */
async function stoppedByTransfers(
  chain: ChainView,
  found: Pick<RemitFindings, 'caller' | 'backlog' | 'tokens' | 'probed' | 'cut'>,
  trial: {
    readonly unsimulated: readonly RemitStep[]
    readonly triedSteps: number
    readonly refused: readonly RefusedTransfer[]
  },
): Promise<RemitFindings> {
  const { caller, backlog, probed } = found
  const { unsimulated, triedSteps, refused } = trial
  const dayNumber = refused[0]?.dayNumber ?? backlog.settings.nextUncheckedDay
  const triedCalls = probed.seenCalls + triedSteps
  const steps = probed.steps.slice(0, triedCalls)
  // `unseen` says that what follows the simulated calls is unknown. Here it is known: remit stops.
  const gaps = probed.gaps.filter((gap) => gap !== 'unseen')
  const worked = sumUp(steps, backlog.settings.nextUncheckedDay, undefined)
  // With that gap nobody knows all charges of the simulated calls, so their days are not told.
  const days = gaps.includes('days') ? [] : worked.days
  // What is left of that day: so many charges a way out has to get past.
  const charges = unsimulated
    .slice(triedSteps)
    .filter((step) => step.dayNumber === dayNumber)
    .reduce((sum, step) => sum + step.charges.length, 0)
  const waysOut = await findWaysOut(chain, { caller, backlog, refused, charges, forecast: worked })
  return {
    ...found,
    probed: { ...probed, steps, forecast: { ...worked, days }, gaps },
    triedCalls,
    stop: { kind: 'transfers', dayNumber, refused, waysOut },
  }
}

/** A subscription whose view leaves out subscribers, if there is one. */
function hidingEntry({ lists }: BacklogState) {
  return lists.flatMap(({ entries }) => entries).find(({ hiddenSubscribers }) => hiddenSubscribers > 0)
}

/** Converts a backlog for the rules. The checkpoint, and whether the system takes its share, are missing: no view returns them. */
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
      entries: entries.map(({ terms, token, subscribers, unsubscribedCount, setSize }) => ({
        terms,
        paused: token.paused,
        decimals: token.decimals,
        unsubscribedCount,
        setSize,
        subscribers: subscribers.map(({ subscriber, feeBalance }) => ({ address: subscriber, feeBalance })),
      })),
    })),
    funds: wallets,
    accounts: { contract: chain.contractAddress, caller },
  }
}
