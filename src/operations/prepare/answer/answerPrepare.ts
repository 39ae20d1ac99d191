import type { Address } from 'viem'
import type { ChainView } from '../../../core/ports/chains.ts'
import type { PlannedCall, Proof } from '../../../core/ports/proof.ts'
import { NotReadyError } from '../../../errors/prepare.ts'
import { isoTime } from '../../../presentation/day.ts'
import { midnightAfter } from './dayEndsSoon.ts'
import type { Preparation } from './preparation.ts'
import { answerReadiness } from './readinessAnswer.ts'

/**
 * The answer of a prepare: unsigned transactions with their proof, or with `readinessOnly` only the readiness.
 * Throws NotReadyError, SimulationFailedError.
 */
export async function answerPrepare<Preflight, Details>(
  { chain, requestId }: { chain: ChainView; requestId: string },
  preparation: Preparation<Preflight, Details>,
) {
  const { operation, input, issues, warnings, preflight } = preparation
  if (input.readinessOnly) {
    return answerReadiness(
      { chain, requestId },
      { ...preparation, from: input.from, steps: readySteps(operation) },
    )
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
