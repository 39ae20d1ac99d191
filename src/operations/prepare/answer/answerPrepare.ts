import type { Address } from 'viem'
import type { ChainView } from '../../../core/ports/chains.ts'
import type { PlannedCall, Proof } from '../../../core/ports/proof.ts'
import { NotReadyError } from '../../../errors/prepare.ts'
import { isoTime } from '../../../presentation/day.ts'
import type { Issue, Warning } from '../../../schema/answer.ts'
import { midnightAfter } from './dayEndsSoon.ts'
import { answerReadiness } from './readinessAnswer.ts'

/** What an operation found for its request, before anything is encoded or proven. */
interface Preparation<Preflight, Details> {
  /** The contract's action, for people: "subscribe", "remit". */
  readonly operation: string
  readonly input: {
    readonly from: Address
    readonly readinessOnly?: boolean | undefined
    readonly simulateFromAddress?: Address | undefined
  }
  /** Every precondition that fails. The simulation alone would only say "13" or "23". */
  readonly issues: readonly Issue[]
  readonly warnings: readonly Warning[]
  /** Alternative batches, the shortest first. Called only where no precondition fails. */
  readonly batches: () => readonly (readonly PlannedCall[])[]
  readonly nativeBalance: bigint
  readonly backlogMultiplier?: number
  /** A sentence that says who can help where a transaction needs more gas than the chain allows. */
  readonly gasWayOut?: string
  readonly preflight: Preflight
  readonly details: Details
}

/** The same without the input: a readiness check answers it too. */
export type Findings<Preflight, Details> = Omit<Preparation<Preflight, Details>, 'input'>

/**
 * The answer of a prepare: unsigned transactions with their proof, or with `readinessOnly` only the readiness.
 * Throws NotReadyError, SimulationFailedError.
 */
export async function answerPrepare<Preflight, Details>(
  { chain, requestId }: { chain: ChainView; requestId: string },
  preparation: Preparation<Preflight, Details>,
) {
  const { operation, input, issues, warnings, preflight, details } = preparation
  if (input.readinessOnly) {
    return answerReadiness(requestId, { operation, issues, warnings, details, steps: readySteps(operation) })
  }
  if (issues.length > 0) throw new NotReadyError(operation, issues)

  const proof = await chain.prove({
    operation,
    from: input.from,
    batches: preparation.batches(),
    nativeBalance: preparation.nativeBalance,
    ...(input.simulateFromAddress === undefined ? {} : { simulateFromAddress: input.simulateFromAddress }),
    ...(preparation.gasWayOut === undefined ? {} : { gasWayOut: preparation.gasWayOut }),
    ...(preparation.backlogMultiplier === undefined
      ? {}
      : { backlogMultiplier: preparation.backlogMultiplier }),
  })
  const validUntil = midnightAfter(chain)
  return {
    requestId,
    operation,
    instructions: signingSteps(chain, input.from, proof.calls),
    warnings: [...warnings, ...proof.calls.flatMap(({ warning }) => warning ?? []), ...proof.warnings],
    ...transactions(chain, input.from, proof),
    validUntil,
    formattedValidUntil: isoTime(validUntil),
    simulation: proof.simulation,
    gasEstimates: proof.gasEstimates,
    gasSummary: proof.gasSummary,
    preflight,
  }
}

function transactions(chain: ChainView, from: Address, { calls }: Proof) {
  const bare = calls.map(({ to, data, value }) => ({ to, data, value }))
  const unsignedTransactions = bare.map((call) => ({ ...call, chainId: chain.chainId, from }))
  if (calls.length === 1) return { unsignedTransactions, signingMode: 'raw' as const }
  return {
    unsignedTransactions,
    signingMode: 'eip5792' as const,
    eip5792: {
      version: '2.0.0',
      from,
      chainId: BigInt(chain.chainId),
      // Wallets that cannot send atomically can serve it too. Where the order alone is not safe, a warning says so.
      atomicRequired: false,
      calls: bare,
    },
  }
}

function signingSteps(chain: ChainView, from: Address, calls: readonly PlannedCall[]): string[] {
  const count = calls.length
  const together =
    count > 1
      ? [`Where the wallet has wallet_sendCalls, send \`eip5792\` in one go; otherwise do steps one by one.`]
      : []
  const sign = calls.map(
    ({ instruction }, index) =>
      `Sign and send transaction ${index + 1} of ${count}: ${instruction}.${
        index + 1 < count ? ' Wait until it is mined.' : ''
      }`,
  )
  return [
    `Connect the wallet ${from} to ${chain.name} (chain id ${chain.chainId}).`,
    ...together,
    ...sign,
    `Poll POST /transactions/status?chainId=${chain.chainId} with {"txHash": "<hash>"} until \`confirmed\` is true.`,
  ]
}

function readySteps(operation: string): string[] {
  return [
    `Nothing stands against it: ask for the transactions of ${operation} without readinessOnly, then sign.`,
  ]
}
