import type { Address } from 'viem'
import type { BlockReader } from '../block/BlockReader.ts'
import type { BlockView } from '../block/BlockView.ts'
import type { PreparePlan } from '../ports/proof.ts'
import { forEachCall } from '../simulation/batchRun.ts'
import { peakBeforeRefunds, readEstimate } from '../simulation/callGas.ts'
import { simulateInOrder } from '../simulation/simulateInOrder.ts'
import { BATCH_GAS } from '../simulation/simulationBudget.ts'

/** For each batch of a plan, the gas that each of its calls takes; `undefined` for a call that reverts. */
type GasOfBatches = readonly (readonly (bigint | undefined)[])[]

/**
 * The gas of a plan's calls if `from` sends them.
 *
 * By eth_simulateV1 each batch is run as one state in the next block: the head's own time may still be of the day before,
 * on which a remit would revert. A node without it estimates each call alone, on the view's block.
 */
export async function gasFrom(
  blocks: BlockReader,
  view: BlockView,
  from: Address,
  { batches, ...plan }: PreparePlan,
  gasCap: bigint | undefined,
): Promise<GasOfBatches> {
  const simulated = await Promise.all(
    batches.map(async (batch) => {
      const share = BATCH_GAS / BigInt(batch.length)
      const gas = gasCap !== undefined && gasCap < share ? gasCap : share
      const calls = batch.map(({ to, data, value }) => ({ from, to, data, value, gas }))
      const run = await simulateInOrder(blocks, view, calls)
      if (run === undefined || run.cut !== undefined) return undefined
      return run.answers.map(({ status, gasUsed }) =>
        status === 1n ? peakBeforeRefunds(gasUsed) : undefined,
      )
    }),
  )
  const known = simulated.filter((gas) => gas !== undefined)
  if (known.length === simulated.length) return known
  const estimate = await forEachCall({ ...plan, batches }, (call) =>
    readEstimate(blocks, view, from, call, gasCap),
  )
  return batches.map((batch) => batch.map(estimate))
}
