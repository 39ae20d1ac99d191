import type { PageAddress, PageAnswer, PageAnswers } from '../../../../site/src/page/pageContents.ts'
import type { Pipeline } from '../../../core/pipeline.ts'
import type { Operation } from '../../../core/serviceOperation.ts'
import { toRemitError, toWire } from '../../../errors/toWire.ts'
import type { Responses } from '../../http/responses.ts'
import { inputKinds, toJsonValue } from '../../rest/readCall.ts'
import type { PageRead, PageReads, PageTime, SitePage } from './definePage.ts'

interface AnswersOptions {
  readonly operations: readonly Operation[]
  readonly pipeline: Pick<Pipeline, 'callForItself'>
  readonly responses: Pick<Responses, 'report'>
}

/** Runs the reads of pages in this process. A read that fails is an answer too: the page shows it. */
export function createAnswerReader({ operations, pipeline, responses }: AnswersOptions) {
  const byName = new Map(operations.map((operation) => [operation.name, operation]))

  return async (
    page: SitePage,
    address: PageAddress,
    { chainId, today }: PageTime & { readonly chainId: number },
    requestId: string,
  ) => {
    const at = { today }
    const run = async (reads: PageReads): Promise<PageAnswers> => {
      const rows = Object.entries(reads).map(
        async ([key, read]) => [key, await answer(read, chainId, requestId)] as const,
      )
      return Object.fromEntries(await Promise.all(rows))
    }
    const first = await run(page.reads(address, at))
    return { ...first, ...(await run(page.readsNext(first, address, at))) }
  }

  async function answer(
    { operation: name, input = {}, most = {} }: PageRead,
    chainId: number,
    requestId: string,
  ): Promise<PageAnswer> {
    const operation = byName.get(name)
    if (operation === undefined) throw new RangeError(`a page reads ${name}, which is no operation`)
    const known = inputKinds(operation)
    const given = Object.entries(input).filter(([, value]) => value !== undefined)
    const typed = Object.fromEntries(
      given.map(([field, value]) => [
        field,
        typeof value === 'string' ? toJsonValue(value, known.get(field)) : value,
      ]),
    )
    const shown = { operation: camelCase(name), input: typed }
    try {
      const { body } = await pipeline.callForItself(operation, { chainId, input: typed })
      return { ...shown, status: 200, body: cutTo(most, body) }
    } catch (thrown) {
      const { status, body } = toWire(toRemitError(thrown), requestId)
      responses.report(thrown, { requestId })
      return { ...shown, status, body }
    }
  }
}

/** The body with no more rows in these lists. How many there are stands beside them. */
function cutTo(
  most: Readonly<Record<string, number>>,
  body: Readonly<Record<string, unknown>>,
): PageAnswer['body'] {
  const shorter: Record<string, unknown> = { ...body }
  for (const [field, count] of Object.entries(most)) {
    const rows = body[field]
    if (Array.isArray(rows)) shorter[field] = rows.slice(0, count)
  }
  return shorter
}

/** `get_subscription` is `getSubscription` in the client. */
function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
