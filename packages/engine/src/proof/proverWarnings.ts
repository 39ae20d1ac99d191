import type { Address } from 'viem'
import type { PlannedCall, PreparePlan, Proof } from '../ports/proof.ts'
import type { Warning } from '../schema/envelope.ts'
import type { GasEstimate } from '../schema/transaction.ts'
import type { BatchSuccess } from '../simulation/batchRun.ts'
import { requiredFunds } from './gas.ts'

/** A proof, and the plan that it is of. */
interface Proven {
  readonly plan: PreparePlan
  readonly calls: readonly PlannedCall[]
  readonly method: Proof['simulation']['method']
  readonly run: BatchSuccess
  readonly gasEstimates: readonly GasEstimate[]
  /** For each call, whether its gas could be estimated from `simulateFromAddress`. */
  readonly estimated: readonly boolean[]
}

/** What a caller should know about a proof that is incomplete, or that the wallet cannot pay for. */
export function proofWarnings(proven: Proven): Warning[] {
  return [
    partialWarning(proven),
    eventsUnshown(proven),
    ...balancesIncomplete(proven),
    estimateReverts(proven),
    gasGuessed(proven),
    insufficientFunds(proven),
  ].flatMap((warning) => warning ?? [])
}

/** The calls were not run as one state. */
export function partialWarning({ method, run }: Pick<Proven, 'method' | 'run'>): Warning | undefined {
  if (method !== 'partial') return undefined
  const callIndexes = indexesOf(run.calls, ({ success }) => !success)
  const unproven =
    callIndexes.length === 0
      ? 'each call was simulated by itself'
      : `${positions(callIndexes)} could not be simulated by itself, since it builds on the ones before`
  return {
    code: 'SIMULATION_PARTIAL',
    message: `The batch could not be simulated as one state: ${unproven}. balanceChanges is empty.`,
    callIndexes,
  }
}

function eventsUnshown({ method }: Proven): Warning | undefined {
  if (method !== 'eth_call') return undefined
  return {
    code: 'SIMULATION_PARTIAL',
    message:
      'The node does not run this batch by eth_simulateV1. It was run as one state all the same, but its events ' +
      'are not shown, and its gas limits have more room than usual.',
    gap: 'events',
  }
}

/**
 * Says where balance changes are missing. Without logs, only the balances of known accounts are compared. If their changes of one token add up to another sum
 * than zero, the rest went to, or came from, an unknown account.
 */
function balancesIncomplete({ method, run }: Proven): Warning[] {
  if (method !== 'eth_call') return []
  const sums = new Map<Address, bigint>()
  for (const { token, delta } of run.deltas) sums.set(token, (sums.get(token) ?? 0n) + delta)
  const missing = [...sums].filter(([, sum]) => sum !== 0n)
  if (missing.length === 0) return []
  const amounts = missing.map(([token, sum]) => `${-sum} of ${token}, in its smallest unit`).join('; ')
  return [
    {
      code: 'SIMULATION_PARTIAL',
      message:
        'balanceChanges leaves out accounts that no view names: ' +
        `${amounts}. In a remit that is mostly the receiver of the system’s part of the fees.`,
      gap: 'balanceChanges',
      missing: missing.map(([token, sum]) => ({ token, amountRaw: (-sum).toString() })),
    },
  ]
}

function estimateReverts({ plan: { simulateFromAddress }, estimated }: Proven): Warning | undefined {
  if (simulateFromAddress === undefined) return undefined
  const callIndexes = indexesOf(estimated, (succeeded) => !succeeded)
  if (callIndexes.length === 0) return undefined
  return {
    code: 'ESTIMATE_ADDRESS_REVERTS',
    message:
      `From simulateFromAddress ${simulateFromAddress}, ${positions(callIndexes)} reverts, ` +
      'so its gas is that of the proof from `from`.',
    simulateFromAddress,
    callIndexes,
  }
}

function gasGuessed({ gasEstimates }: Proven): Warning | undefined {
  const callIndexes = indexesOf(gasEstimates, ({ source }) => source === 'heuristic')
  if (callIndexes.length === 0) return undefined
  return {
    code: 'GAS_HEURISTIC',
    message: `The gas of ${positions(callIndexes)} could not be measured; its limit is a generous guess.`,
    callIndexes,
  }
}

function insufficientFunds({ plan, calls, gasEstimates }: Proven): Warning | undefined {
  const values = calls.map(({ value }) => value)
  const required = requiredFunds(gasEstimates, values)
  if (plan.nativeBalance >= required) return undefined
  return {
    code: 'INSUFFICIENT_GAS_FUNDS',
    message:
      `${plan.from} holds ${plan.nativeBalance} wei; to send this it needs up to ${required} wei, ` +
      'its gas limits at the highest fee per gas.',
    balanceWei: plan.nativeBalance.toString(),
    requiredWei: required.toString(),
  }
}

function indexesOf<T>(values: readonly T[], matches: (value: T) => boolean): number[] {
  return values.flatMap((value, index) => (matches(value) ? [index] : []))
}

/** Places of calls for people, from 1. */
function positions(indexes: readonly number[]): string {
  return `call ${indexes.map((index) => index + 1).join(', ')}`
}
