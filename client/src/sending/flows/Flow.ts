import type { Address } from 'viem'
import type { CallOptions } from '../../call/CallOptions.ts'
import { assertAnswersFor } from '../check/assertAnswersFor.ts'
import type { PreparedBatch } from '../check/checkPrepared.ts'
import type { Sender } from '../check/prepareChecked.ts'
import type { RequestedFlow } from '../send/FlowDefinition.ts'
import { type Outcome, sendFlow } from '../send/sendFlow.ts'
import type { SendOptions, Wallet } from '../wallet/Wallet.ts'

/** Something that a wallet can do. Nothing happens until a method is called. */
export interface Flow<Prepared, Result, Told> {
  /** Whether an account could do it now, and what stands against it. */
  readiness(from: Address, options?: CallOptions): Promise<Told>
  /** The unsigned transactions, for those who check, sign and send by themselves. */
  prepare(from: Address, options?: CallOptions): Promise<Prepared>
  /**
   * Prepares it for the wallet's account, checks all that was prepared against what was asked for and against the
   * chain, has it signed and sent, waits, and answers what came of it. Nothing is signed on any doubt.
   * @throws SendingError, and before anything is signed whatever preparing throws
   */
  send(wallet: Wallet, options?: SendOptions): Promise<Outcome & Result>
}

export function createFlow<Prepared extends PreparedBatch, Result, Told>(
  sender: Sender,
  requested: RequestedFlow<Prepared, Result, Told>,
): Flow<Prepared, Result, Told> {
  const { chainId } = requested
  // Of a chain that nobody has named, any answer will do: nothing is signed here.
  const held = <Answer>(answer: Answer) =>
    chainId === undefined ? answer : assertAnswersFor(answer, chainId)
  return {
    readiness: async (from, options = {}) => held(await requested.on(chainId).readiness(from, options)),
    prepare: async (from, options = {}) => held(await requested.on(chainId).prepare(from, options)),
    send: (wallet, options) => sendFlow(sender, requested, wallet, options),
  }
}
