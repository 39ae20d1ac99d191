import { formatHuman } from '@remit/protocol/amounts'
import { numberToHex } from 'viem'
import * as z from 'zod'
import { Quantity } from '../rpc/quantity.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { GasEstimate, GasSummary } from '../schema/transaction.ts'
import { type CallGas, limitFor } from '../simulation/callGas.ts'

/** From how many recent blocks the priority fee is taken. */
const FEE_HISTORY_BLOCKS = 10

/** The percentile of the rewards in a block, weighted by gas. */
const REWARD_PERCENTILE = 50

/** 0.001 gwei: the least that nodes accept by default. An empty chain would suggest 0. */
export const LOWEST_PRIORITY_FEE = 1_000_000n

const WEI_DECIMALS = 18

/** eth_feeHistory over FEE_HISTORY_BLOCKS. `baseFeePerGas` has one row more: the next block's. */
const FeeHistory = z.object({
  baseFeePerGas: z.array(Quantity).min(1),
  gasUsedRatio: z.array(z.number()),
  reward: z.array(z.array(Quantity)).nullish(),
})

/** What a unit of gas costs, in wei. */
interface GasFees {
  /** The base fee of the next block. */
  readonly baseFeePerGas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** Today's fees. They are no part of a block's state, so they come from the newest block. */
export async function readFees(rpc: Rpc, options: { signal?: AbortSignal }): Promise<GasFees> {
  const params = [numberToHex(FEE_HISTORY_BLOCKS), 'latest', [REWARD_PERCENTILE]]
  return feesFrom(await rpc.request('eth_feeHistory', params, FeeHistory, options))
}

/**
 * EIP-1559 fees. The priority fee is the median, over the recent blocks that were not empty, of the reward
 * at their 50th percentile, and at least 0.001 gwei. The highest fee per gas is twice the next block's base fee plus
 * the priority fee: enough for five full blocks in a row, each of which raises the base fee by an eighth.
 */
export function feesFrom(history: z.output<typeof FeeHistory>): GasFees {
  const rewards = (history.reward ?? []).flatMap(([reward], index) =>
    reward !== undefined && (history.gasUsedRatio[index] ?? 0) > 0 ? [reward] : [],
  )
  const baseFeePerGas = history.baseFeePerGas.at(-1) ?? 0n
  const usual = median(rewards)
  const maxPriorityFeePerGas = usual > LOWEST_PRIORITY_FEE ? usual : LOWEST_PRIORITY_FEE
  return { baseFeePerGas, maxPriorityFeePerGas, maxFeePerGas: 2n * baseFeePerGas + maxPriorityFeePerGas }
}

/**
 * One transaction's budget.
 *
 * `estimatedCostWei` is the whole gas limit at the next block's base fee and the priority fee, plus the L1 data fee.
 * The transaction costs less, unless the base fee rises.
 */
export function estimateOf(transaction: {
  chainId: number
  gas: CallGas
  fees: GasFees
  l1DataFeeWei: bigint | null
  gasCap: bigint | undefined
}): GasEstimate {
  const { chainId, gas, fees, l1DataFeeWei, gasCap } = transaction
  const gasLimit = limitFor(gas.peakGas, gasCap)
  const estimatedCostWei = gasLimit * (fees.baseFeePerGas + fees.maxPriorityFeePerGas) + (l1DataFeeWei ?? 0n)
  return {
    chainId,
    gasLimit,
    maxFeePerGas: fees.maxFeePerGas,
    maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
    l1DataFeeWei,
    estimatedCostWei,
    estimatedCostEth: formatHuman(estimatedCostWei, WEI_DECIMALS),
    source: gas.source,
  }
}

/**
 * The sums over a batch.
 * @param backlogMultiplier how many transactions the whole backlog takes, each counted with the cost of this batch
 */
export function summaryOf(
  chainId: number,
  estimates: readonly GasEstimate[],
  backlogMultiplier?: number,
): GasSummary {
  const cost = sum(estimates.map(({ estimatedCostWei }) => estimatedCostWei))
  const summary = {
    chainId,
    totalGasLimit: sum(estimates.map(({ gasLimit }) => gasLimit)),
    totalEstimatedCostWei: cost,
    totalEstimatedCostEth: formatHuman(cost, WEI_DECIMALS),
    transactionCount: estimates.length,
  }
  if (backlogMultiplier === undefined) return summary
  const backlogCost = cost * BigInt(backlogMultiplier)
  return {
    ...summary,
    backlogMultiplier,
    totalBacklogEstimatedCostWei: backlogCost,
    totalBacklogEstimatedCostEth: formatHuman(backlogCost, WEI_DECIMALS),
  }
}

/**
 * What a wallet must hold for a batch, in wei. A node refuses a transaction if the wallet could not pay its whole gas
 * limit at its highest fee, whatever it would really cost.
 */
export function requiredFunds(estimates: readonly GasEstimate[], values: readonly bigint[]): bigint {
  const gas = estimates.map(
    ({ gasLimit, maxFeePerGas, l1DataFeeWei }) => gasLimit * maxFeePerGas + (l1DataFeeWei ?? 0n),
  )
  return sum(gas) + sum(values)
}

function median(values: readonly bigint[]): bigint {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted[Math.floor(sorted.length / 2)] ?? 0n
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n)
}
