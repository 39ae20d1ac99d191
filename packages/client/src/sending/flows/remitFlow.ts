import { NotReadyError } from '../../errors/prepare.ts'
import type { CheckRemitReadinessAnswer, PrepareRemitAnswer } from '../../generated/api.ts'
import type { Sender } from '../check/prepareHere.ts'
import { WouldRevertError } from '../errors.ts'
import type { Outcome } from '../send/concludeFlow.ts'
import type { RequestedFlow } from '../send/FlowDefinition.ts'
import type { SendOptions, Wallet } from '../wallet/Wallet.ts'
import { createFlow, type Flow } from './Flow.ts'
import type { Remitted } from './remit.ts'

export interface RemitFlow extends Flow<PrepareRemitAnswer, Remitted, CheckRemitReadinessAnswer> {
  /**
   * Calls remit until nothing is due any more, one transaction after the other, and gives what came of each. Ends at
   * once where nothing is due.
   *
   * @example
   * for await (const { paid, remaining } of client.remit().sendAll(wallet)) {
   *   console.log(`${paid} paid, ${remaining} are still to be charged`)
   * }
   */
  sendAll(wallet: Wallet, options?: SendOptions): AsyncGenerator<Outcome & Remitted, void>
}

type RequestedRemit = RequestedFlow<PrepareRemitAnswer, Remitted, CheckRemitReadinessAnswer>

export function remitFlow(sender: Sender, requested: RequestedRemit): RemitFlow {
  const flow = createFlow(sender, requested)
  return { ...flow, sendAll: (wallet, options) => sendAll(flow, wallet, options) }
}

/** Nothing is due, or none of what is due has a subscriber to charge. */
const DONE = ['REMIT_NOT_DUE', 'NOTHING_DUE']

async function* sendAll(
  flow: Flow<PrepareRemitAnswer, Remitted, CheckRemitReadinessAnswer>,
  wallet: Wallet,
  options: SendOptions = {},
): AsyncGenerator<Outcome & Remitted, void> {
  for (;;) {
    try {
      yield await flow.send(wallet, options)
    } catch (error) {
      if (isDone(error)) return
      if (!isTakenByAnother(error)) throw error
      // What is left for this wallet is prepared after the other's.
      options.signal?.throwIfAborted()
    }
  }
}

function isDone(error: unknown): boolean {
  return (
    error instanceof NotReadyError &&
    error.issues.length > 0 &&
    error.issues.every(({ code }) => code !== undefined && DONE.includes(code))
  )
}

/** Somebody else's remit was first, which was noticed before signing. */
function isTakenByAnother(error: unknown): boolean {
  return error instanceof WouldRevertError && error.sent.length === 0 && error.reason.protocolCode === '6'
}
