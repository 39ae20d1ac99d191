import type { Sender } from '../check/prepareHere.ts'
import { TransactionRevertedError, WouldRevertError } from '../errors.ts'
import { createFlow, type Flow } from '../flows/Flow.ts'
import type { PreparedBatch, RequestedFlow } from '../send/FlowDefinition.ts'

/** A flow that carries what somebody has signed. What somebody else carries meanwhile is as good as carried by oneself. */
export function carriedFlow<Prepared extends PreparedBatch, Result, Told>(
  sender: Sender,
  requested: RequestedFlow<Prepared, Result, Told>,
): Flow<Prepared, Result, Told> {
  const flow = createFlow(sender, requested)
  return {
    ...flow,
    async send(wallet, options) {
      try {
        return await flow.send(wallet, options)
      } catch (error) {
        if (!(error instanceof WouldRevertError || error instanceof TransactionRevertedError)) throw error
        // Prepared anew it is a success if somebody has carried it, or the error that says why it is void now.
        const { prepared: _, ...again } = options ?? {}
        return flow.send(wallet, again)
      }
    },
  }
}

/** A flow that is loaded when it is used: few pages carry anything. */
export function laterFlow<Prepared, Result, Told>(
  load: () => Promise<Flow<Prepared, Result, Told>>,
): Flow<Prepared, Result, Told> {
  return {
    readiness: async (...asked) => (await load()).readiness(...asked),
    prepare: async (...asked) => (await load()).prepare(...asked),
    send: async (...asked) => (await load()).send(...asked),
    follow: async (...asked) => (await load()).follow(...asked),
  }
}
