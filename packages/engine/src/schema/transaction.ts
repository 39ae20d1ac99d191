import * as z from 'zod'
import { RawAmount, SignedQuantity, Token, TokenDecimals } from './amount.ts'
import { ChainId } from './chain.ts'
import { Address, Bytes, SubscriptionId, TransactionHash } from './hex.ts'
import { BlockNumber, Uint256 } from './numbers.ts'

/** A decoded event of a simulated or mined transaction. */
export const EventRow = z
  .object({
    event: z.string().nullable().describe('Its name in the ABI; null where it could not be decoded.'),
    address: Address.describe('The contract that emitted it.'),
    eventName: z.string().optional().describe('For a SubLog: what happened, such as Subscribed.'),
    args: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    amount: z.string().optional().describe('The human token amount, where the event states one.'),
    amountRaw: RawAmount.optional(),
    tokenDecimals: TokenDecimals.optional(),
  })
  .meta({ id: 'TransactionEvent' })

export type EventRow = z.output<typeof EventRow>

/** How a simulated batch changes what one account holds of one token. */
export const BalanceChange = z.object({ account: Address, token: Token, ...SignedQuantity.shape })

export type BalanceChange = z.output<typeof BalanceChange>

/**
 * The result of each call of a batch that was run on top of a block and succeeded. `method` is how it was run; partial: each call alone,
 * without those before it (`BatchRuns` of simulation/batchRun.ts).
 */
export const Simulation = z
  .object({
    success: z.literal(true),
    method: z.enum(['eth_simulateV1', 'eth_call', 'partial']),
    blockNumber: BlockNumber,
    calls: z.array(
      z.object({ success: z.boolean(), gasUsed: Uint256, events: z.array(EventRow).nullable() }),
    ),
    balanceChanges: z.array(BalanceChange),
  })
  .meta({ id: 'Simulation' })

export type Simulation = z.output<typeof Simulation>

const Eth = z.string().describe('Exact, in ether.')

/**
 * What one transaction may cost; fees are in wei for a unit of gas. `source` says how its gas is known. simulated: from running the batch.
 * estimated: from the node's estimate of the call alone, sent by the signer, or by the input's `simulateFromAddress` where another wallet is
 * to send it. heuristic: a generous guess.
 */
export const GasEstimate = z
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

export type GasEstimate = z.output<typeof GasEstimate>

/** What all transactions of a prepare may cost together. */
export const GasSummary = z
  .object({
    chainId: ChainId,
    totalGasLimit: Uint256,
    totalEstimatedCostWei: Uint256,
    totalEstimatedCostEth: Eth,
    transactionCount: z.int(),
    backlogMultiplier: z
      .int()
      .optional()
      .describe(
        'Of remit: how many such transactions its whole backlog takes (the preflight’s expectedTransactions). The totals below are as many times this one.',
      ),
    totalBacklogEstimatedCostWei: Uint256.optional(),
    totalBacklogEstimatedCostEth: Eth.optional(),
  })
  .meta({ id: 'GasSummary' })

export type GasSummary = z.output<typeof GasSummary>

/** Why a call reverted, as far as it is known. */
export const RevertReason = z.object({
  protocolCode: z.string().exactOptional().describe('The contract’s own revert string, "0" to "25".'),
  name: z.string(),
  message: z.string(),
  data: Bytes.exactOptional().describe('The raw revert data, where it could not be decoded.'),
})

export type RevertReason = z.output<typeof RevertReason>

/** What became of a transaction, as of one block. `replaced`: another one has used its nonce; `unknown`: no node has it. */
export const TransactionOutcome = z.object({
  transactionHash: TransactionHash,
  status: z.enum(['pending', 'success', 'reverted', 'replaced', 'unknown']),
  confirmed: z.boolean().describe('Whether it has a receipt.'),
  confirmations: z.int().min(0),
  finalized: z.boolean(),
  blockNumber: BlockNumber.nullable(),
  gasUsed: Uint256.nullable(),
  events: z.array(EventRow),
  createdSubscriptionId: SubscriptionId.nullable().describe(
    'Id of the subscription that it created. Where it created several, as a bundle of smart accounts may, or was not sent by the ' +
      'input’s `from`: the one that `from` created, if there is exactly one. Else null.',
  ),
  reason: RevertReason.nullable().describe('Why it reverted.'),
  reasonSource: z
    .enum(['replay'])
    .nullable()
    .describe(
      'replay: from running it again on the parent block, without the transactions before it in its own.',
    ),
})

export type TransactionOutcome = z.output<typeof TransactionOutcome>
