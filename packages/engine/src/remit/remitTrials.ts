import { dayNumberAt } from '@remit/protocol/calendar'
import { NOT_PROBED, type RemitProbe } from '@remit/protocol/remit/observeRemit'
import { type Address, getAddress, keccak256, stringToHex } from 'viem'
import type { BlockReader } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import { BlockCache } from '../block/blockCache.ts'
import { type ChainEntry, gasCapOf } from '../chain/registry.ts'
import type { RemitTrials } from '../ports/remit.ts'
import { deeplyProbedCalls, PROBED_CALLS } from '../simulation/simulationBudget.ts'
import { runFutureRemits } from './futureRemits.ts'
import { probeRemit } from './remitProbe.ts'
import { runRemits } from './remitRunner.ts'
import { tryTransfers } from './remitTransfers.ts'
import { tryCredits } from './tryCredits.ts'
import { tryWaysOut } from './tryWaysOut.ts'

/** Trials that are kept, a small object each beside its charges. */
const MOST_TRIALS = 600
/** Charges that the trials may have together. */
const MOST_CHARGES = 100_000

/**
 * The trials of one chain, at any block. Each caller's remit is tried once while the head and the day stay the
 * same.
 */
export function createRemitTrials(options: {
  blocks: BlockReader
  entry: Pick<ChainEntry, 'contractAddress' | 'txGasCap'>
  onCacheAsked?: (known: boolean) => void
}): (view: BlockView) => RemitTrials {
  const { blocks, entry, onCacheAsked = () => {} } = options
  const contract = entry.contractAddress
  const gasCap = gasCapOf(entry)
  // What the last probe found. A probe comes before any other trial.
  let simulates = true
  const cache = new BlockCache({ max: MOST_TRIALS, maxRows: MOST_CHARGES, onAsked: onCacheAsked })

  // Callers share an answer, so one caller that leaves must not abort it.
  const shared = ({ signal: _, ...view }: BlockView): BlockView => view
  const probe = (view: BlockView, caller: Address, calls: number) =>
    cache.get(view.asOf.blockHash, `probe:${dayNumberAt(view.now)}:${caller}:${calls}`, async () => {
      const value = await tryRemits(shared(view), caller, calls)
      return { value, rows: rowsOf(value) }
    })

  async function tryRemits(view: BlockView, caller: Address, calls: number): Promise<RemitProbe> {
    const simulated = await probeRemit(blocks, view, { contract, caller, calls, gasCap })
    simulates = simulated.method !== 'none'
    if (simulates) return simulated
    // Costs no request, because whoever tries remit reads the backlog as well.
    const { lists } = await view.read.backlog(caller)
    const named = lists.flatMap(({ entries }) => entries.map(({ terms }) => getAddress(terms.token)))
    const tokens = [...new Set(named)]
    return (await runRemits(blocks, view, { contract, caller, tokens, gasCap })) ?? NOT_PROBED
  }

  return (view) => ({
    gasCap,
    probe: (caller, deep) => probe(view, caller, deep === undefined ? PROBED_CALLS : deepCalls(deep)),
    future: (caller, dayNumber, maxRemits) =>
      cache.get(view.asOf.blockHash, `future:${dayNumberAt(view.now)}:${dayNumber}:${caller}`, async () => {
        const plan = { contract, caller, dayNumber, maxRemits, gasCap }
        const value = await runFutureRemits(blocks, shared(view), plan)
        return { value, rows: value.calls.reduce((sum, { charges }) => sum + charges.length, 1) }
      }),
    transfers: (caller, plan) =>
      cache.get(view.asOf.blockHash, `transfers:${questionOf(view, caller, plan)}`, async () => {
        const all = { ...plan, contract, caller, simulates, gasCap }
        const value = await tryTransfers(blocks, shared(view), all)
        return { value, rows: value.refusals.length }
      }),
    tryCredits: (transfers) => tryCredits(blocks, shared(view), contract, transfers),
    async waysOut(caller, plan) {
      if (!simulates) return undefined
      const question = `waysOut:${questionOf(view, caller, plan)}`
      const { worked } = await cache.get(view.asOf.blockHash, question, async () => {
        const all = { ...plan, contract, caller, gasCap }
        return { value: { worked: await tryWaysOut(blocks, shared(view), all) }, rows: 1 }
      })
      return worked
    },
  })
}

function deepCalls({ maxRemits, calls }: { maxRemits: number; calls?: number }): number {
  return Math.min(deeplyProbedCalls(maxRemits), calls ?? Number.POSITIVE_INFINITY)
}

/** A short key for a long plan. */
function questionOf({ now }: BlockView, caller: Address, plan: object): string {
  const text = JSON.stringify(plan, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))
  return keccak256(stringToHex(`${dayNumberAt(now)}:${caller}:${text}`))
}

function rowsOf(probe: RemitProbe): number {
  if (probe.method !== 'eth_simulateV1') return probe.calls.length
  return probe.calls.reduce((sum, { charges }) => sum + charges.length, 0)
}
