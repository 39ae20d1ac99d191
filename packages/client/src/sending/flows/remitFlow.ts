import { getBlockNumber } from 'viem/actions'
import { NotReadyError } from '../../errors/prepare.ts'
import type { CheckRemitReadinessAnswer, PrepareRemitAnswer } from '../../generated/api.ts'
import { sleep } from '../../request/sleep.ts'
import type { Sender } from '../check/prepareChecked.ts'
import { WouldRevertError } from '../errors.ts'
import type { Outcome } from '../send/concludeFlow.ts'
import type { RequestedFlow } from '../send/FlowDefinition.ts'
import { currentChain } from '../wallet/account.ts'
import type { SendOptions, Wallet } from '../wallet/Wallet.ts'
import { createFlow, type Flow } from './Flow.ts'
import type { Remitted } from './remit.ts'

export interface RemitFlow extends Flow<PrepareRemitAnswer, Remitted, CheckRemitReadinessAnswer> {
  /**
   * Calls remit until nothing is due any more, one transaction after the other, and gives what came of each. Ends at
   * once where nothing is due. Throws WouldRevertError where the service goes on saying that something is due and the
   * wallet's node that nothing is.
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
  return { ...flow, sendAll: (wallet, options) => sendAll(sender, flow, requested, wallet, options) }
}

/** Nothing is due, or none of what is due has a subscriber to charge. */
const DONE = ['REMIT_NOT_DUE', 'NOTHING_DUE']

/** How often in a row the service may say that something is due while the wallet's node says that nothing is. */
const MOST_LOOKS = 5

async function* sendAll(
  { ownWrites }: Sender,
  flow: Flow<PrepareRemitAnswer, Remitted, CheckRemitReadinessAnswer>,
  { chainId }: RequestedRemit,
  wallet: Wallet,
  options: SendOptions = {},
): AsyncGenerator<Outcome & Remitted, void> {
  for (let looks = 1; ; looks += 1) {
    try {
      yield await flow.send(wallet, options)
      looks = 0
    } catch (error) {
      if (isDone(error)) return
      if (!isTakenByAnother(error) || looks === MOST_LOOKS) throw error
      // The service may not have seen that remit yet, and would prepare the same again.
      const head = await getBlockNumber(options.publicClient ?? wallet, { cacheTime: 0 })
      ownWrites.note(chainId ?? (await currentChain(wallet)), Number(head))
      const forMs = options.pollingIntervalMs ?? wallet.pollingInterval
      options.onProgress?.({ kind: 'waiting', for: 'node', step: 0, of: 0, functions: ['remit'], forMs })
      await sleep(forMs, options.signal)
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
