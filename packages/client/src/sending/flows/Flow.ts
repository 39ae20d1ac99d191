import type { Address } from 'viem'
import type { CallOptions } from '../../call/CallOptions.ts'
import { UnexpectedAnswerError } from '../../errors/RemitError.ts'
import type { AsOf, Issue, Warning } from '../../generated/api.ts'
import { assertAnswersFor } from '../check/assertAsShown.ts'
import type { Sender } from '../check/prepareHere.ts'
import type { Outcome } from '../send/concludeFlow.ts'
import type { PreparedBatch, RequestedFlow } from '../send/FlowDefinition.ts'
import { followFlow } from '../send/followFlow.ts'
import { sendFlow } from '../send/sendFlow.ts'
import type { SendOptions, SendPreparedOptions, Sent, Wallet } from '../wallet/Wallet.ts'

/**
 * Something that a wallet can do. Nothing happens until a method is called. `Prepared` is what `prepare` answers,
 * `Told` what `readiness` does; `Result` is what this kind of flow adds to the `Outcome` that all have.
 */
export interface Flow<Prepared, Result, Told> {
  /**
   * Whether an account could do it now, and what stands against it.
   *
   * @example
   * const { ready, issues } = await client.subscribe({ id }).readiness(account)
   * if (!ready) for (const { code, message } of issues) console.log(code, message)
   */
  readiness(from: Address, options?: CallOptions): Promise<Told>
  /**
   * The unsigned transactions, for those who check, sign and send by themselves.
   *
   * @example
   * const { unsignedTransactions = [] } = await client.subscribe({ id }).prepare(account)
   * for (const { to, data, value } of unsignedTransactions) console.log(to, data, value)
   */
  prepare(from: Address, options?: CallOptions): Promise<Prepared>
  /**
   * Prepares the transactions for the wallet's account at the wallet's own node, has them signed, sends them, waits until they
   * are mined, and returns the result. With `prepared` they must be the very ones that it has; else nothing is signed.
   * @throws SendingError, and before anything is signed whatever preparing throws
   *
   * @example
   * const { transactions } = await client.subscribe({ id }).send(wallet, {
   *   signal: AbortSignal.timeout(300_000),
   *   onProgress: ({ kind, step, of }) => console.log(`${kind} (${step} of ${of})`),
   * })
   * console.log(transactions.at(-1)?.hash)
   */
  send(wallet: Wallet, options?: SendPreparedOptions<Prepared>): Promise<Outcome & Result>
  /**
   * Waits for what an earlier `send` has sent, which its `onProgress` has told, and returns the result: nothing is prepared or signed.
   * It is for another run of the program, for which the first one kept that as JSON, and for waiting on after a StillPendingError. `undefined` if only a part was sent.
   * @throws SendingError, like `send`
   *
   * @example
   * async function goOn(kept: string) {
   *   const outcome = await client.subscribe({ id }).follow(wallet, JSON.parse(kept))
   *   console.log(outcome === undefined ? 'approved, and not subscribed yet' : outcome.subscriptionId)
   * }
   */
  follow(wallet: Wallet, sent: Sent, options?: SendOptions): Promise<(Outcome & Result) | undefined>
}

/** A flow of a client, by its definition. */
export function createFlow<Prepared extends PreparedBatch, Result, Told>(
  sender: Sender,
  requested: RequestedFlow<Prepared, Result, Told>,
): Flow<Prepared, Result, Told> {
  const { chainId } = requested
  const { api } = sender
  // Where the caller named no chain, an answer for any chain is fine: nothing is signed here.
  const held = <Answer>(answer: Answer) =>
    chainId === undefined ? answer : assertAnswersFor(answer, chainId)
  return {
    readiness: async (from, options = {}) => held(await requested.on(api, chainId).readiness(from, options)),
    prepare: async (from, options = {}) => held(await requested.on(api, chainId).prepare(from, options)),
    send: (wallet, options) => sendFlow(sender, requested, wallet, options),
    follow: (wallet, sent, options) => followFlow(sender, requested, wallet, sent, options),
  }
}

/** Whether something can be done now, and what stands against it. */
export interface Readiness<Details> {
  readonly requestId: string
  readonly operation: string
  readonly ready: boolean
  /** Every precondition that fails; empty where it is ready. */
  readonly issues: readonly Issue[]
  readonly warnings: readonly Warning[]
  readonly instructions: readonly string[]
  readonly details: Details
  readonly chainId: number
  readonly asOf: AsOf
}

/** The readiness in a prepare's answer. */
export type ReadinessOf<Answer extends { readonly details?: unknown }> = Readiness<
  NonNullable<Answer['details']>
>

/** A prepare's answer to `readinessOnly`, as its type says: the same answer is given without it. */
interface ReadinessOnly<Details> extends Omit<Readiness<Details>, 'ready' | 'issues' | 'details'> {
  readonly ready?: boolean
  readonly issues?: readonly Issue[]
  readonly details?: Details
}

/** The readiness in a prepare's answer. Throws UnexpectedAnswerError where it has none. */
export async function readinessIn<Details>(
  answer: Promise<ReadinessOnly<Details>>,
): Promise<Readiness<Details>> {
  const { requestId, operation, ready, issues, warnings, instructions, details, chainId, asOf } = await answer
  if (ready === undefined || issues === undefined || details === undefined) {
    const problem = 'The service prepared something where only the readiness was asked for.'
    throw new UnexpectedAnswerError(problem, { status: 200, requestId })
  }
  return { requestId, operation, ready, issues, warnings, instructions, details, chainId, asOf }
}
