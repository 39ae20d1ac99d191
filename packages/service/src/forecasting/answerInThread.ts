import { prepareAt } from '@remit/engine/declare/chainAnswers'
import { decode } from '@remit/engine/declare/codec'
import type { ChainView } from '@remit/engine/ports/chains'
import type { ThreadQuestion } from '@remit/engine/ports/threadAnswers'
import { operations } from '../operations/index.ts'

/** The result of an operation at a view, before it is encoded. Throws what its handler throws. */
export async function answerInThread(
  chain: ChainView,
  { operation: name, input, requestId }: ThreadQuestion,
): Promise<object> {
  const operation = operations.find((one) => one.name === name)
  if (operation?.kind !== 'prepare' || !operation.inThread)
    throw new RangeError(`${name} is not answered in a thread`)
  // Its lane has bounded the input already.
  const asked = decode(operation, { input }, 'developer')
  const { result } = await prepareAt({ requestId, chain }, operation, asked)
  return result
}
