import type { ApartQuestion } from '../core/ports/apart.ts'
import type { ChainView } from '../core/ports/chains.ts'
import { noPasses } from '../core/ports/passes.ts'
import { checkRemitReadiness } from '../operations/prepare/remit/checkRemitReadiness.ts'
import { prepareRemit } from '../operations/prepare/remit/prepareRemit.ts'
import { simulateRemit } from '../operations/simulate/simulateRemit.ts'

/** Those that are declared with `apart`. */
const OPERATIONS = [prepareRemit, checkRemitReadiness, simulateRemit]

/** The result of an operation at a view, before it is encoded. Throws what its handler throws. */
export async function answerApart(
  chain: ChainView,
  { operation, input, requestId }: ApartQuestion,
): Promise<object> {
  const bound = OPERATIONS.find(({ name }) => name === operation)?.bind(input, 'developer')
  if (bound?.scope !== 'chain') throw new RangeError(`${operation} is not answered in a thread`)
  const { result } = await bound.run({
    requestId,
    lane: 'developer',
    signal: undefined,
    passes: noPasses,
    chain,
    askIndex: async () => undefined,
  })
  return result
}
