import { type Address, getAddress } from 'viem'
import type { RemitTrials } from '../core/remit.ts'
import { dayNumberAt } from '../protocol/calendar.ts'
import { NOT_PROBED, type RemitProbe } from '../protocol/remitObserved.ts'
import { BlockCache } from './blockCache.ts'
import type { ChainEntry } from './registry.ts'
import { deeplyProbedCalls, PROBED_CALLS, probeRemit } from './remitProbe.ts'
import { findRefusals } from './remitRefusals.ts'
import { runRemits } from './remitRunner.ts'
import type { Rpc } from './rpc.ts'
import type { SimulateSupport } from './SimulateSupport.ts'
import type { BlockView, PinnedView } from './simulateBlock.ts'
import { BlockPins } from './simulatePins.ts'

const MOST_PROBES = 200
/** Charges that the probes may have together. */
const MOST_CHARGES = 100_000

/**
 * The trials of one chain, at whichever block: each caller's remit is tried once as long as the head stays and the
 * day has not ended.
 */
export function createRemitTrials(options: {
  rpc: Rpc
  entry: Pick<ChainEntry, 'contractAddress'>
  support: SimulateSupport
  onCacheAsked?: (known: boolean) => void
}): (view: BlockView) => RemitTrials {
  const { rpc, entry, support, onCacheAsked = () => {} } = options
  const contract = entry.contractAddress
  const pins = new BlockPins(rpc)
  // As the last probe found the nodes; it comes before any search.
  let simulates = true
  const probes = new BlockCache<RemitProbe>({
    max: MOST_PROBES,
    maxRows: MOST_CHARGES,
    onAsked: onCacheAsked,
  })

  // An answer is shared, so none may be given up because one of those who wait for it has left.
  const shared = ({ signal: _, ...view }: BlockView): BlockView => view
  const probe = (view: BlockView, caller: Address, calls: number) =>
    probes.get(view.asOf.blockHash, `${dayNumberAt(view.now)}:${caller}:${calls}`, async () => {
      const value = await pins.at(shared(view), (pinned) => tryRemits(pinned, caller, calls))
      return { value, rows: rowsOf(value) }
    })

  async function tryRemits(view: PinnedView, caller: Address, calls: number): Promise<RemitProbe> {
    const simulated = await probeRemit(rpc, view, { contract, caller, calls, support })
    simulates = simulated.method !== 'none'
    if (simulates) return simulated
    // Costs no request: whoever tries remit has asked for the backlog beside it.
    const { lists } = await view.read.backlog(caller)
    const named = lists.flatMap(({ entries }) => entries.map(({ terms }) => getAddress(terms.token)))
    const tokens = [...new Set(named)]
    return (await runRemits(rpc, view, { contract, caller, tokens })) ?? NOT_PROBED
  }

  return (view) => ({
    probe: (caller, deep) =>
      probe(view, caller, deep === undefined ? PROBED_CALLS : deeplyProbedCalls(deep.maxRemits)),
    refusals: (transfers) =>
      pins.at(view, (pinned) => findRefusals(rpc, pinned, { contract, transfers, simulates })),
  })
}

function rowsOf(probe: RemitProbe): number {
  if (probe.method !== 'eth_simulateV1') return probe.calls.length
  return probe.calls.reduce((sum, { charges }) => sum + charges.length, 0)
}
