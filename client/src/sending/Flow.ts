import type { Address } from 'viem'
import type { CallOptions } from '../request/CallOptions.ts'
import type { PreparedBatch } from './checkPrepared.ts'
import type { Plan } from './Plan.ts'
import type { Sender } from './prepareChecked.ts'
import { type Outcome, sendFlow } from './sendFlow.ts'
import type { SendOptions, Wallet } from './Wallet.ts'

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
  plan: Plan<Prepared, Result, Told>,
): Flow<Prepared, Result, Told> {
  return {
    readiness: (from, options = {}) => plan.readiness(from, options),
    prepare: (from, options = {}) => plan.prepare(from, options),
    send: (wallet, options) => sendFlow(sender, plan, wallet, options),
  }
}
