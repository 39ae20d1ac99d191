import type { Address, Hex } from 'viem'
import type { ChainView } from '../../../core/ports/chains.ts'
import type { RemitStep, StepTransfer } from '../../../protocol/remit/forecastRemit.ts'
import type { SimulationCut } from '../../../protocol/remit/observeRemit.ts'
import type { TokenTransfer } from '../../../protocol/remit/TokenBalances.ts'

/** A transfer that stops every remit, because its token reverts or answers false. */
export interface RefusedTransfer {
  readonly transfer: TokenTransfer
  readonly data: Hex | undefined
  /** The charge that it is part of; `undefined` for a fee. */
  readonly of: StepTransfer['of']
  /** The day that remit works on when it makes this transfer. */
  readonly dayNumber: number
}

/**
 * Tries the transfers of steps, after `calls` calls of remit().
 *
 * `triedSteps` counts the first steps of which every transfer succeeded. `refused` are the refused transfers of the next
 * step and the rest of its day; empty where nothing is refused. `cut` says why others were not tried, where the node is
 * the reason.
 */
export async function findRefusals(
  chain: ChainView,
  caller: Address,
  { calls, steps }: { calls: number; steps: readonly RemitStep[] },
): Promise<{ triedSteps: number; refused: readonly RefusedTransfer[]; cut?: SimulationCut }> {
  const all = steps.flatMap(({ transfers, dayNumber }, step) =>
    transfers.map((own) => ({ ...own, dayNumber, step })),
  )
  if (all.length === 0) return { triedSteps: steps.length, refused: [] }
  const transfers = all.map(({ transfer }) => transfer)
  const { tried, refusals, cut } = await chain.remit.transfers(caller, { calls, transfers })
  const refused = refusals.flatMap(({ index, data }) => {
    const own = all[index]
    return own === undefined ? [] : [{ ...own, data }]
  })
  const [first] = refused
  if (first === undefined)
    return { triedSteps: all[tried]?.step ?? steps.length, refused: [], ...(cut && { cut }) }
  const ofThatDay = refused.filter(({ dayNumber }) => dayNumber === first.dayNumber)
  return { triedSteps: first.step, refused: ofThatDay.map(({ step: _, ...own }) => own) }
}
