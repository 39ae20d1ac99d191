import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import * as z from 'zod'

const Text = z.string()
const AddressText = z.templateLiteral(['0x', z.string()])
const Call = z.looseObject({ to: AddressText, data: AddressText, value: Text })
const Transaction = Call.extend({ chainId: z.number(), from: AddressText })
const Amount = z.looseObject({ amountRaw: Text })

/** A prepared answer as it is on the wire, as far as lies are about it. */
const Batch = z.looseObject({
  chainId: z.number(),
  asOf: z.looseObject({ blockNumber: z.number() }),
  validUntil: z.number(),
  signingMode: Text,
  unsignedTransactions: z.array(Transaction),
  eip5792: z
    .looseObject({
      version: Text,
      from: AddressText,
      chainId: AddressText,
      atomicRequired: z.boolean(),
      calls: z.array(Call),
    })
    .optional(),
  gasEstimates: z.array(z.looseObject({ chainId: z.number(), gasLimit: Text })),
  gasSummary: z.looseObject({ chainId: z.number() }),
  preflight: z.looseObject({
    allowance: z.looseObject({ proposed: Amount.optional(), needed: Amount.optional() }).optional(),
  }),
})

export type Batch = z.output<typeof Batch>
export type Transaction = z.output<typeof Transaction>

/** Reads an answer anew, so that every lie begins with the truth. */
export function readBatch(text: string): Batch {
  return Batch.parse(JSON.parse(text))
}

const APPROVE = '0x095ea7b3'

/** Where the approval is that counts, or -1. */
export function approvalIn({ unsignedTransactions }: Batch): number {
  return unsignedTransactions.findLastIndex(({ data }) => data.startsWith(APPROVE))
}

/** Changes the transactions, and what else is said of them, as an attacker would who knows what is compared. */
export function retransact(batch: Batch, change: (all: Transaction[]) => Transaction[]): Batch {
  const [first] = batch.unsignedTransactions
  if (first === undefined) throw new Error('There is nothing to change')
  const { from, chainId } = first
  const unsignedTransactions = change(batch.unsignedTransactions)
  const { eip5792: _, ...rest } = batch
  const several = unsignedTransactions.length > 1
  const told = { ...rest, unsignedTransactions, signingMode: several ? 'eip5792' : 'raw' }
  if (!several) return told
  const calls = unsignedTransactions.map(({ to, data, value }) => ({ to, data, value }))
  const hex = `0x${chainId.toString(16)}` as const
  return { ...told, eip5792: { version: '2.0.0', from, chainId: hex, atomicRequired: false, calls } }
}

/** Changes one of the transactions, the last where -1 is said. */
export function at(batch: Batch, index: number, patch: (one: Transaction) => Partial<Transaction>): Batch {
  return retransact(batch, (all) => {
    const place = index < 0 ? all.length + index : index
    return all.map((one, each) => (each === place ? { ...one, ...patch(one) } : one))
  })
}

export function approval(spender: Address, amount: bigint): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] })
}

/** The amount of the approval in this calldata. */
export function approvedBy(data: Hex): bigint {
  return BigInt(`0x${data.slice(-64)}`)
}
