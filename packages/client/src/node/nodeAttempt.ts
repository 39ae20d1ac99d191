import { NeedsServiceError, TimeoutError } from '../errors/RemitError.ts'
import { operations } from '../generated/operations.ts'
import type { Attempt, CallerOptions } from '../request/createCaller.ts'
import { Deadline } from '../request/Deadline.ts'
import { decodeChecked } from '../request/readReply.ts'
import type { NodeChains } from './NodeChains.ts'

/**
 * One try of a call at one's own node.
 * @param atService one try at a service, for what a node cannot answer (without a service: NeedsServiceError), and for what is more
 *   complete with an index
 */
export function nodeAttempt(
  opened: () => Promise<NodeChains>,
  options: Pick<CallerOptions, 'chainId'>,
  atService: Attempt | undefined,
): Attempt {
  return async (name, input, how) => {
    const { nodeOperations } = await import('../generated/nodeOperations.ts')
    const operation = nodeOperations[name]
    if (operation === undefined || (operation.readsIndex && atService !== undefined)) {
      if (atService === undefined) throw new NeedsServiceError(name)
      if (operations[name]?.onChain !== true) return atService(name, input, how)
      // Without a chain, the service would answer for its default chain, which need not be the node's.
      const chainId = input.chainId ?? options.chainId ?? (await (await opened()).chainId())
      return atService(name, { ...input, chainId }, how)
    }
    const { timeoutMs, signal } = how
    const deadline = new Deadline(timeoutMs, signal)
    try {
      // Opened first: that loads the engine with zod's settings for pages (openNode.ts), and operations need it too.
      const chains = await opened()
      const answer = await chains.answer(await operation.load(), input, deadline.signal)
      return decodeChecked(name, answer, { status: 200 })
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      throw deadline.isOver ? new TimeoutError('The node', timeoutMs) : error
    } finally {
      deadline.drop()
    }
  }
}
