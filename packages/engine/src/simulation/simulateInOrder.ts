import { type BlockReader, findResult } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import { gasAsked, ranOutOfGas, type SimulatedCall, type SimulationCall } from '../block/simulateV1.ts'
import { saysOutOfGas } from '../rpc/refusal.ts'
import { least, limitFor, most, peakBeforeRefunds } from './callGas.ts'
import { UNKNOWN_CALL_GAS } from './simulationBudget.ts'

// Runs more calls by eth_simulateV1 than a node's gas budget may allow at once: what the node grants all calls of one request together.
// The budget is `simulationGas` of its NodeLimits: set by the operator, named in a refusal, or seen where calls got less gas than they
// asked for. The first run shares it out among the first calls. Calls that succeeded are measured, so the next run gives them just what
// they took, and has more left for those behind them, until all calls are seen or no more fit.

/** How often calls are run. Each run shows more of them than the one before, which has measured the first ones. */
const MOST_RUNS = 4
/** How many refusals are taken. Each shows the node's limit more exactly. */
const MOST_REFUSALS = 8

/** A call with the most gas that it may have. */
export type OrderedCall = SimulationCall & { readonly gas: bigint }

/** What the first of some calls do, one after the other. */
export interface OrderedRun {
  /** Each call had all the gas that it may have, or did not need it. */
  readonly answers: readonly SimulatedCall[]
  /** The gas that each of them had. */
  readonly gasGiven: readonly bigint[]
  /** Present where not all calls are there, because the node simulates no more gas at once. */
  readonly cut?: 'gasBudget'
}

/** A call that was seen: its final answer, which more gas would not change, and the gas that it had. */
interface Seen {
  readonly answer: SimulatedCall
  readonly gas: bigint
}

/**
 * Runs calls in order as one state, by eth_simulateV1. `undefined` if the node lacks the method, or refuses for another
 * reason than gas.
 *
 * Takes one HTTP request where nothing is known of the node’s limit, or all calls fit into it. Otherwise each call gets a
 * share of it. What a call really takes shows how much the next request can leave to the calls behind it: that request
 * runs all of them again, because no state can be carried from one to the next.
 * @param isLast whether nothing behind a call with this answer matters
 */
export async function simulateInOrder(
  blocks: BlockReader,
  view: BlockView,
  calls: readonly OrderedCall[],
  isLast: (answer: SimulatedCall) => boolean = () => false,
): Promise<OrderedRun | undefined> {
  let seen: readonly Seen[] = []
  /** The gas with which the first call that is not seen yet ran out of it; 0 where it was not tried. */
  let tried = 0n
  for (let runs = 0, refusals = 0; runs < MOST_RUNS && refusals < MOST_REFUSALS; ) {
    const gas = shareOut(calls, seen, tried, budgetOf(blocks))
    if (gas.length <= seen.length) break
    const asked = calls.slice(0, gas.length).map((call, index) => ({ ...call, gas: gas[index] ?? call.gas }))
    const answer = await blocks.simulate(view, asked)
    const simulated = findResult(answer)
    if (simulated === undefined) {
      // It is asked again only if the refusal has shown that the node grants less.
      const budget = budgetOf(blocks)
      refusals += 1
      if (budget !== undefined && budget < (gasAsked(asked) ?? 0n)) continue
      if (seen.length === 0) return undefined
      break
    }
    runs += 1
    const found = conclusive(simulated, asked, calls)
    // The node has shown its limit without naming it: all calls together took so much, and then one got less than it asked for.
    if (found.spent !== undefined && answer.kind === 'result') {
      const all = Number(gasAsked(asked))
      blocks.limits(answer.node).refused('simulationGas', all, Number(found.spent))
    }
    seen = found.seen
    tried = found.tried
    const last = seen.at(-1)
    if (seen.length === calls.length || (last !== undefined && isLast(last.answer))) return toInOrder(seen)
  }
  return { ...toInOrder(seen), cut: 'gasBudget' }
}

/** The gas that one request to the node that is asked first may ask for; `undefined` where no limit is known. */
export function budgetOf(blocks: BlockReader): bigint | undefined {
  const most = blocks.preferred.most('simulationGas')
  return most === undefined ? undefined : BigInt(most)
}

/**
 * The answers up to the first call that might succeed with more gas, and how much gas that call had.
 * @returns `spent` where the node's own limit ended the run: the gas that all calls together took of it
 */
function conclusive(
  simulated: readonly SimulatedCall[],
  asked: readonly OrderedCall[],
  calls: readonly OrderedCall[],
): { readonly seen: readonly Seen[]; readonly tried: bigint; readonly spent?: bigint } {
  const seen: Seen[] = []
  let spent = 0n
  for (const [index, answer] of simulated.entries()) {
    const gas = asked[index]?.gas ?? 0n
    spent += answer.gasUsed
    if (answer.status !== 1n) {
      // The node lets a call begin with less than it asks for when little of its own limit is left: then it ran out below nine tenths.
      const saysRanOut = saysOutOfGas(answer.error?.message) && answer.returnData === '0x'
      const hadLess = saysRanOut && answer.gasUsed * 10n < gas * 9n
      if (hadLess) return { seen, tried: answer.gasUsed, spent }
      if (gas < (calls[index]?.gas ?? 0n) && ranOutOfGas(answer, gas)) return { seen, tried: gas }
    }
    seen.push({ answer, gas })
  }
  return { seen, tried: 0n }
}

/**
 * The gas that each call is to have, for as many calls as fit into the budget: what a call was seen to take, and for the
 * others as much as is left, but no less than calls of their kind were seen to take.
 * @param tried with so much, the first call that was not seen yet ran out of gas
 */
function shareOut(
  calls: readonly OrderedCall[],
  seen: readonly Seen[],
  tried: bigint,
  budget: bigint | undefined,
): readonly bigint[] {
  if (budget === undefined) return calls.map(({ gas }) => gas)
  const taken = seen.map(({ answer, gas }) => least(gas, takenBy(answer)))
  const usual = usualGas(calls, seen)
  let left = budget - sum(taken)
  const shares: bigint[] = []
  for (const call of calls.slice(seen.length)) {
    // The first one is run even with less than it usually takes, if only with more than before.
    const isFirst = shares.length === 0
    const wanted = least(call.gas, isFirst ? most(usual(call), tried * 2n) : usual(call))
    const share = isFirst ? least(wanted, left) : wanted
    if (share > left || (isFirst && share <= tried)) break
    shares.push(share)
    left -= share
  }
  const more = shares.length === 0 ? 0n : left / BigInt(shares.length)
  const spread = shares.map((share, index) => least(calls[seen.length + index]?.gas ?? share, share + more))
  return [...taken, ...spread]
}

/** How much gas a call of the same kind takes, by what was seen of them. */
function usualGas(calls: readonly OrderedCall[], seen: readonly Seen[]): (call: OrderedCall) => bigint {
  const highest = new Map<string, bigint>()
  for (const [index, { answer }] of seen.entries()) {
    const call = calls[index]
    if (call !== undefined) highest.set(kindOf(call), most(highest.get(kindOf(call)) ?? 0n, takenBy(answer)))
  }
  return (call) => highest.get(kindOf(call)) ?? UNKNOWN_CALL_GAS
}

function kindOf({ to, data }: OrderedCall): string {
  return `${to}:${data.slice(0, 10)}`.toLowerCase()
}

/** The gas with which this call surely succeeds again. */
function takenBy({ gasUsed }: SimulatedCall): bigint {
  return limitFor(peakBeforeRefunds(gasUsed))
}

function toInOrder(seen: readonly Seen[]): OrderedRun {
  return { answers: seen.map(({ answer }) => answer), gasGiven: seen.map(({ gas }) => gas) }
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n)
}
