import { type Lie, lie, NOT_PREPARED, ONE_CALL } from './Lie.ts'
import type { Attacker } from './lies.ts'
import { approval, approvalIn, approvedBy, at, type Batch } from './Wire.ts'

/** About where, by whom and until when. */
export function liesAboutChain(attacker: Attacker): Lie[] {
  return [
    lie('is for chain 1 at its top', (batch) => ({ ...batch, chainId: 1 })),
    lie('is for chain 1 in the first transaction', (batch) => onlyIn(batch, 0)),
    lie('is for chain 1 in the last transaction', (batch) =>
      batch.unsignedTransactions.length === 1
        ? ONE_CALL
        : onlyIn(batch, batch.unsignedTransactions.length - 1),
    ),
    lie('is for chain 1 in the list to send together', (batch) =>
      batch.eip5792 === undefined ? ONE_CALL : { ...batch, eip5792: { ...batch.eip5792, chainId: '0x1' } },
    ),
    lie('is for chain 1 in an estimate of gas', (batch) => ({
      ...batch,
      gasEstimates: batch.gasEstimates.map((estimate) => ({ ...estimate, chainId: 1 })),
    })),
    lie('is for chain 1 in the sum of the gas', (batch) => ({
      ...batch,
      gasSummary: { ...batch.gasSummary, chainId: 1 },
    })),
    lie('is for chain 1 in a field that nobody knows', (batch) => ({
      ...batch,
      preflight: { ...batch.preflight, bridge: { chainId: 1 } },
    })),
    lie('is for chain 1 throughout', (batch) => everywhere(batch, 1)),
    lie('is for Base throughout, where a contract is built in', (batch) => everywhere(batch, 8453)),
    lie('is for chain 1 and a contract of the attacker’s there throughout', (batch) => {
      const approves = approvalIn(batch)
      const moved =
        batch.unsignedTransactions.length > 1 || approves < 0
          ? at(batch, -1, () => ({ to: attacker.contract }))
          : batch
      const all =
        approves < 0
          ? moved
          : at(moved, approves, ({ data }) => ({ data: approval(attacker.contract, approvedBy(data)) }))
      return everywhere(all, 1)
    }),
    lie('names its chain by a text', (batch) => withField(batch, 'chainId', '31337')),
    lie('names its chain by a number with a sign, as a text', (batch) =>
      withField(batch, 'chainId', '+31337'),
    ),
    lie('is for a chain that is the right one in 32 bits', (batch) => everywhere(batch, 31_337 + 2 ** 32)),
    lie('names no chain at its top', (batch) => withField(batch, 'chainId', undefined)),
    lie('is from the attacker in the transactions', (batch) => ({
      ...batch,
      unsignedTransactions: batch.unsignedTransactions.map((one) => ({ ...one, from: attacker.account })),
    })),
    lie('is from the attacker in the list to send together', (batch) =>
      batch.eip5792 === undefined
        ? ONE_CALL
        : { ...batch, eip5792: { ...batch.eip5792, from: attacker.account } },
    ),
    lie(
      'is what was prepared for another account',
      async (_, { other }) => (await other({ from: attacker.account })) ?? NOT_PREPARED,
    ),
    lie('has held until yesterday', (batch) => ({ ...batch, validUntil: batch.validUntil - 2 * 86_400 })),
    lie('holds for ever', (batch) => ({ ...batch, validUntil: 4_000_000_000 })),
    lie('does not say until when it holds', (batch) => withField(batch, 'validUntil', undefined)),
    lie('says until when it holds by a text', (batch) => withField(batch, 'validUntil', '4000000000')),
    lie('was prepared for a block long ago', (batch) => ({
      ...batch,
      asOf: { ...batch.asOf, blockNumber: 1 },
    })),
  ]
}

function onlyIn(batch: Batch, index: number): Batch {
  const all = batch.unsignedTransactions
  return {
    ...batch,
    unsignedTransactions: all.map((one, each) => (each === index ? { ...one, chainId: 1 } : one)),
  }
}

function everywhere(batch: Batch, chainId: number): Batch {
  const hex = `0x${chainId.toString(16)}` as const
  return {
    ...batch,
    chainId,
    unsignedTransactions: batch.unsignedTransactions.map((one) => ({ ...one, chainId })),
    gasEstimates: batch.gasEstimates.map((one) => ({ ...one, chainId })),
    gasSummary: { ...batch.gasSummary, chainId },
    ...(batch.eip5792 && { eip5792: { ...batch.eip5792, chainId: hex } }),
  }
}

function withField(batch: Batch, name: keyof Batch, value: unknown): Batch {
  return Object.assign(batch, { [name]: value })
}
