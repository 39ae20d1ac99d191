import * as z from 'zod'
import { EventRow } from '../../../presentation/eventRow.ts'
import { Address } from '../../../schema/address.ts'
import { amountFields, SignedQuantity } from '../../../schema/amount.ts'
import { Issue, Warning } from '../../../schema/answer.ts'
import { ChainId } from '../../../schema/chainId.ts'
import { Bytes } from '../../../schema/hash.ts'
import { BlockNumber, HexQuantity, IsoTime, Timestamp, Uint256 } from '../../../schema/numbers.ts'
import { Token } from '../../../schema/token.ts'

const Call = z.object({ to: Address, data: Bytes, value: HexQuantity })

export const UnsignedTransaction = Call.extend({ chainId: ChainId, from: Address }).meta({
  id: 'UnsignedTransaction',
})

const Eip5792 = z
  .object({
    version: z.string(),
    from: Address,
    chainId: HexQuantity,
    atomicRequired: z.boolean(),
    calls: z.array(Call),
  })
  .meta({ id: 'Eip5792' })

const Simulation = z
  .object({
    success: z.literal(true),
    method: z.enum(['eth_simulateV1', 'eth_call', 'partial']),
    blockNumber: BlockNumber,
    calls: z.array(
      z.object({ success: z.boolean(), gasUsed: Uint256, events: z.array(EventRow).nullable() }),
    ),
    balanceChanges: z.array(z.object({ account: Address, token: Token, ...SignedQuantity.shape })),
  })
  .meta({ id: 'Simulation' })

const Eth = z.string().describe('Exact, in ether.')

const GasEstimate = z
  .object({
    chainId: ChainId,
    gasLimit: Uint256,
    maxFeePerGas: Uint256,
    maxPriorityFeePerGas: Uint256,
    l1DataFeeWei: Uint256.nullable().describe('null where the chain has no such fee.'),
    estimatedCostWei: Uint256,
    estimatedCostEth: Eth,
    source: z.enum(['simulated', 'estimated', 'heuristic']),
  })
  .meta({ id: 'GasEstimate' })

const GasSummary = z
  .object({
    chainId: ChainId,
    totalGasLimit: Uint256,
    totalEstimatedCostWei: Uint256,
    totalEstimatedCostEth: Eth,
    transactionCount: z.int(),
    backlogMultiplier: z
      .int()
      .optional()
      .describe('The preflight’s expectedTransactions, each reckoned as dear as this one.'),
    totalBacklogEstimatedCostWei: Uint256.optional(),
    totalBacklogEstimatedCostEth: Eth.optional(),
  })
  .meta({ id: 'GasSummary' })

const always = {
  requestId: z.uuid().describe('For support; nothing is stored under it.'),
  operation: z.string(),
  instructions: z.array(z.string()).describe('What to do next, step by step.'),
  warnings: z.array(Warning),
}

/** What every prepare answers: the transactions and their proof, or with readinessOnly only the readiness. */
export function prepareAnswer<Preflight extends z.ZodObject, Details extends z.ZodObject>(
  preflight: Preflight,
  details: Details,
) {
  return z.object({
    ...always,
    unsignedTransactions: z.array(UnsignedTransaction).optional(),
    signingMode: z.enum(['raw', 'eip5792']).optional().describe('raw for one transaction, eip5792 for more.'),
    eip5792: Eip5792.optional().describe('Ready for wallet_sendCalls; only where signingMode is eip5792.'),
    validUntil: Timestamp.optional().describe('The next UTC midnight of the chain: prepare again after it.'),
    formattedValidUntil: IsoTime.optional(),
    simulation: Simulation.optional(),
    gasEstimates: z.array(GasEstimate).optional().describe('One for each transaction, in order.'),
    gasSummary: GasSummary.optional(),
    preflight: preflight.optional().describe('What the preparation found on chain.'),
    ready: z.boolean().optional().describe('With readinessOnly.'),
    issues: z.array(Issue).optional().describe('With readinessOnly: every precondition that fails.'),
    details: details.optional().describe('With readinessOnly.'),
  })
}

/** A caller's fee or another token amount with its token beside it. */
export const TokenQuantity = z.object({ token: Token, ...amountFields }).meta({ id: 'TokenQuantity' })
