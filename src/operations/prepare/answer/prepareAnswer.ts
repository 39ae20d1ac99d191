import * as z from 'zod'
import { Address } from '../../../schema/address.ts'
import { amountFields } from '../../../schema/amount.ts'
import { Issue, Warning } from '../../../schema/answer.ts'
import { ChainId } from '../../../schema/chainId.ts'
import { Bytes } from '../../../schema/hash.ts'
import { HexQuantity, IsoTime, Timestamp } from '../../../schema/numbers.ts'
import { Token } from '../../../schema/token.ts'
import { GasEstimate, GasSummary, Simulation } from '../../../schema/transaction.ts'
import { Unproven } from './readinessAnswer.ts'

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

const always = {
  requestId: z.uuid().describe('For support; nothing is stored under it.'),
  operation: z.string(),
  instructions: z.array(z.string()).describe('What to do next, step by step.'),
  warnings: z.array(Warning),
}

/** The answer of every prepare: the transactions and their proof, or with readinessOnly only the readiness. */
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
    unproven: Unproven.optional(),
    issues: z.array(Issue).optional().describe('With readinessOnly: every precondition that fails.'),
    details: details.optional().describe('With readinessOnly.'),
  })
}

/** A caller's fee or another token amount with its token beside it. */
export const TokenQuantity = z.object({ token: Token, ...amountFields }).meta({ id: 'TokenQuantity' })
