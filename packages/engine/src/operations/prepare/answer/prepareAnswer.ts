import { SECONDS_PER_DAY } from '@remit/protocol/calendar'
import type { Address as EvmAddress } from 'viem'
import * as z from 'zod'
import { NotReadyError } from '../../../errors/prepare.ts'
import type { ChainView } from '../../../ports/chains.ts'
import type { PlannedCall, Proof, ProofAttempt } from '../../../ports/proof.ts'
import { byRoute } from '../../../presentation/byRoute.ts'
import { isoTime, toDay } from '../../../presentation/day.ts'
import { amountFields, Token } from '../../../schema/amount.ts'
import { ChainId } from '../../../schema/chain.ts'
import { Issue, Warning } from '../../../schema/envelope.ts'
import { Address, Bytes } from '../../../schema/hex.ts'
import { HexQuantity, IsoTime, Timestamp } from '../../../schema/numbers.ts'
import { AuthorizationToSign, PermitToSign } from '../../../schema/signed.ts'
import { GasEstimate, GasSummary, Simulation } from '../../../schema/transaction.ts'

// What a prepare answers, as schemas, and how the answer is made of what the operation found (`answerPrepare`):
// 1. With `readinessOnly`: whether it would work, by the issues found and, where there are none, by running the calls (`answerReadiness`).
// 2. Where preconditions fail (issues): NotReadyError.
// 3. Where there is nothing to send (`instead`): what to sign, or that it is so already.
// 4. Else the calls are proven by simulation, and answered as unsigned transactions with that proof.

/** What an operation found for its request, before anything is encoded or proven. */
interface Preparation<Preflight, Details = Preflight> {
  /** The action in a word, which the answer and its texts name: "subscribe", "remit". */
  readonly operation: string
  readonly input: {
    readonly from: EvmAddress
    readonly readinessOnly?: boolean | undefined
    readonly simulateFromAddress?: EvmAddress | undefined
    readonly paymasterUrl?: string | undefined
  }
  /** Every precondition that fails. The simulation alone would only say "13" or "23". */
  readonly issues: readonly Issue[]
  readonly warnings: readonly Warning[]
  /**
   * Alternatives, the shortest first: each is a batch, the calls to send in their order. The first that succeeds in simulation is
   * answered. Called only where no precondition fails.
   */
  readonly batches: () => readonly (readonly PlannedCall[])[]
  /** Whether these calls were run already to find all this: then a readiness does not run them again. */
  readonly isTried?: boolean
  /** The signer's, in wei. */
  readonly nativeBalance: bigint
  /** How many such transactions the whole backlog of remit takes. */
  readonly backlogMultiplier?: number
  /** A sentence that says who can help where a transaction needs more gas than the chain allows. */
  readonly gasWayOut?: string
  /** What is answered in place of transactions. Called only where no precondition fails. */
  readonly instead?: (() => Instead) | undefined
  readonly preflight: Preflight
  /** What a readiness tells. Default: the preflight. */
  readonly details?: Details
}

/** Where there is nothing to send: what was asked for is so already, or is to be signed for another to carry. */
export interface Instead {
  /** What to do next, step by step. */
  readonly steps: readonly string[]
  readonly permit?: PermitToSign
  readonly authorization?: AuthorizationToSign
}

/** A preparation without its input: what a plan finds, for a prepare and for the readiness check of the same name alike. */
export type Findings<Preflight, Details = Preflight> = Omit<Preparation<Preflight, Details>, 'input'>

const Call = z.object({ to: Address, data: Bytes, value: HexQuantity })

/** A transaction that a wallet is to sign. */
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
    capabilities: z
      .object({ paymasterService: z.object({ url: z.string(), optional: z.literal(true) }) })
      .optional()
      .describe('Only with paymasterUrl.'),
  })
  .meta({ id: 'Eip5792' })

const always = {
  requestId: z.uuid().describe('For support; nothing is stored under it.'),
  operation: z.string(),
  instructions: z.array(z.string()).describe('What to do next, step by step.'),
  warnings: z.array(Warning),
}

const Unproven = z
  .boolean()
  .describe(
    'true: the node cannot run all the calls as one state, so that a prepare can still fail on them; a warning says which. ' +
      'false: all of them were run, or an issue stands against it.',
  )

/** What a prepare answers beside the rest where its input has `permit`. */
export const permitField = {
  permit: PermitToSign.optional().describe('With permit: true, in place of transactions.'),
}

/** The same where its input has `authorization`. */
export const authorizationField = {
  authorization: AuthorizationToSign.optional().describe(
    'With authorization: true, in place of transactions.',
  ),
}

const signedFields = { ...permitField, ...authorizationField }

/**
 * The answer of every prepare: the transactions and their proof, or with readinessOnly only the readiness.
 * @param own fields of this prepare alone
 */
export function prepareAnswer<
  Preflight extends z.ZodObject,
  Details extends z.ZodObject,
  Own extends Partial<typeof signedFields>,
>(preflight: Preflight, details: Details, own: Own) {
  return z.object({
    ...always,
    ...own,
    unsignedTransactions: z.array(UnsignedTransaction).optional(),
    signingMode: z
      .enum(['raw', 'eip5792'])
      .optional()
      .describe('raw for one transaction, eip5792 for more or with paymasterUrl.'),
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

/** The answer of every readiness check. */
export function readinessAnswer<Details extends z.ZodObject>(details: Details) {
  return z.object({
    requestId: z.uuid().describe('For support; nothing is stored under it.'),
    operation: z.string(),
    ready: z.boolean(),
    unproven: Unproven,
    issues: z
      .array(Issue)
      .describe(
        'Every precondition that fails; empty where it is ready. Where none does, the calls are run as a prepare runs them: ' +
          'SIMULATION_FAILED says how they revert.',
      ),
    warnings: z.array(Warning),
    instructions: z.array(z.string()).describe('What to do next, step by step.'),
    details,
  })
}

/** A caller's fee or another token amount with its token beside it. */
export const TokenQuantity = z.object({ token: Token, ...amountFields }).meta({ id: 'TokenQuantity' })

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
      // A preparation with `details` of its own overrides the preflight.
      { details: preflight, ...preparation, from: input.from, steps: readySteps(operation) },
    )
  }
  if (issues.length > 0) throw new NotReadyError(operation, issues)
  if (preparation.instead !== undefined) {
    const { steps, ...rest } = preparation.instead()
    return { requestId, operation, instructions: [...steps], warnings: [...warnings], ...rest, preflight }
  }

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
    instructions: signingSteps(chain, input, proof.calls),
    warnings: [...warnings, ...proof.calls.flatMap(({ warning }) => warning ?? []), ...proof.warnings],
    ...transactions(chain, input, proof),
    validUntil,
    formattedValidUntil: isoTime(validUntil),
    simulation: proof.simulation,
    gasEstimates: proof.gasEstimates,
    gasSummary: proof.gasSummary,
    preflight,
  }
}

/** Who signs, and whom the wallet may ask to pay the network's fee. */
type Signer = Pick<Preparation<unknown>['input'], 'from' | 'paymasterUrl'>

function transactions(chain: ChainView, { from, paymasterUrl }: Signer, { calls }: Proof) {
  const bare = calls.map(({ to, data, value }) => ({ to, data, value }))
  const unsignedTransactions = bare.map((call) => ({ ...call, chainId: chain.chainId, from }))
  // A wallet takes capabilities by wallet_sendCalls alone.
  if (calls.length === 1 && paymasterUrl === undefined) {
    return { unsignedTransactions, signingMode: 'raw' as const }
  }
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
      ...(paymasterUrl === undefined
        ? {}
        : // Optional: a wallet that knows no paymasters sends the calls as it would without (EIP-5792).
          { capabilities: { paymasterService: { url: paymasterUrl, optional: true as const } } }),
    },
  }
}

function signingSteps(
  chain: ChainView,
  { from, paymasterUrl }: Signer,
  calls: readonly PlannedCall[],
): string[] {
  const count = calls.length
  const paid =
    paymasterUrl === undefined
      ? ''
      : `, with which the wallet can have ${new URL(paymasterUrl).host} pay the network’s fee`
  const together =
    count > 1 || paymasterUrl !== undefined
      ? [
          `Where the wallet has wallet_sendCalls, send \`eip5792\` in one go${paid}; otherwise do steps one by one.`,
        ]
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
    `Ask get_transaction_status${byRoute(`POST /transactions/status?chainId=${chain.chainId}`)} with ` +
      '{"txHash": "<hash>"} until `confirmed` is true.',
  ]
}

function readySteps(operation: string): string[] {
  return [
    `Nothing stands against it: ask for the transactions of ${operation} without readinessOnly, then sign.`,
  ]
}

/**
 * A readiness: the next steps where it is ready, else what is wrong. Where no precondition fails, the calls are run,
 * because a token can still refuse them: so a prepare and its readiness always agree.
 */
export async function answerReadiness<Preflight, Details>(
  { chain, requestId }: { readonly chain: ChainView; readonly requestId: string },
  found: Omit<Preparation<Preflight, Details>, 'input' | 'preflight' | 'details'> & {
    readonly details: Details
    readonly from: EvmAddress
    /** The next steps where it is ready. */
    readonly steps: readonly string[]
  },
) {
  const { operation, from, warnings, details, steps, gasWayOut } = found
  const needsNoTrial = found.issues.length > 0 || found.isTried === true
  // Empty too where nothing is left to send.
  const batches = needsNoTrial ? [] : found.batches()
  const attempt =
    batches.length === 0
      ? NOTHING_TRIED
      : await chain.attempt({
          operation,
          from,
          batches,
          ...(gasWayOut === undefined ? {} : { gasWayOut }),
        })
  const issues = [...found.issues, ...attempt.issues]
  const ready = issues.length === 0
  return {
    requestId,
    operation,
    ready,
    unproven: attempt.unproven !== undefined,
    issues,
    warnings: [
      ...warnings,
      ...attempt.calls.flatMap(({ warning }) => warning ?? []),
      ...(attempt.unproven === undefined ? [] : [attempt.unproven]),
    ],
    instructions: ready ? [...steps] : issues.map((issue) => issue.message),
    details,
  }
}

const NOTHING_TRIED: ProofAttempt = { issues: [], calls: [], unproven: undefined }

/** What is signed in the last ten minutes of a day may be mined on the next one. */
const SOON_SECONDS = 600

/** The next midnight UTC by the chain's clock, unix seconds. What a first charge takes and what is due change then. */
export function midnightAfter({ today }: Pick<ChainView, 'today'>): number {
  return (today + 1) * SECONDS_PER_DAY
}

/** Whether an answer about today holds for less than ten minutes. */
export function endsSoon(chain: Pick<ChainView, 'today' | 'now'>): boolean {
  return midnightAfter(chain) - chain.now < SOON_SECONDS
}

/** Says what changes at the next midnight. */
export function dayEndsSoon(chain: ChainView, message: string, facts: Record<string, unknown>): Warning {
  const dayAfter = toDay(chain.today + 1)
  return { code: 'DAY_ENDS_SOON', message, validUntil: midnightAfter(chain), dayAfter, ...facts }
}

const anyPrepare = prepareAnswer(z.object({}), z.object({}), signedFields)
const anyReadiness = readinessAnswer(z.object({}))

/** The common fields of every prepare. */
export type AnyPrepare = Omit<z.output<typeof anyPrepare>, 'preflight' | 'details'>

/** The common fields of every readiness. */
export type AnyReadiness = Omit<z.output<typeof anyReadiness>, 'details'>
