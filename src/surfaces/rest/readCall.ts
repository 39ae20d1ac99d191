import type { Operation } from '../../core/operation.ts'
import type { RawCall } from '../../core/pipeline.ts'
import { NotAcceptableError } from '../../errors/http.ts'
import { ValidationError } from '../../errors/input.ts'
import { negotiate } from '../http/accept.ts'
import { parseJson } from '../http/parseJson.ts'
import { readJsonText } from '../http/readBody.ts'
import { inputKinds } from './jsonKinds.ts'
import { readQuery, toJsonValue } from './query.ts'

/** One request, as far as its operation's input depends on it. */
export interface CallRequest {
  readonly request: Request
  readonly query: URLSearchParams
  readonly pathParameters: Readonly<Record<string, string>>
  readonly chainId: number
}

/**
 * Makes the reader of one operation's requests: path, query and body become one raw input.
 * @param offers the media types of its answers
 */
export function createCallReader(operation: Operation, offers: readonly string[], bodyTimeoutMs?: number) {
  const kinds = inputKinds(operation)
  const hasBody = operation.rest?.method === 'POST'

  return async ({ request, query, pathParameters, chainId }: CallRequest): Promise<RawCall> => {
    if (negotiate(request.headers.get('accept'), offers) === undefined) throw new NotAcceptableError()
    const values = readQuery(query)
    // Judged before the route was known.
    values.delete('chainId')
    const minBlock = operation.onChain ? values.get('minBlock') : undefined
    if (operation.onChain) values.delete('minBlock')
    if (hasBody) refuseQuery(values, operation)
    const given = hasBody ? await readBody(request, bodyTimeoutMs) : typed(values)
    const repeated = Object.keys(pathParameters).find((name) => Object.hasOwn(given, name))
    if (repeated !== undefined)
      throw ValidationError.of(repeated, 'is given by the path: leave it out elsewhere')
    return {
      chainId,
      ...(minBlock === undefined ? {} : { minBlock: toJsonValue(minBlock, new Set(['number'])) }),
      input: { ...given, ...typed(new Map(Object.entries(pathParameters))) },
    }
  }

  function typed(values: ReadonlyMap<string, string>): Record<string, unknown> {
    return Object.fromEntries([...values].map(([name, text]) => [name, toJsonValue(text, kinds.get(name))]))
  }
}

function refuseQuery(values: ReadonlyMap<string, string>, { onChain }: Operation): void {
  const [name] = values.keys()
  if (name === undefined) return
  throw ValidationError.of(
    name.slice(0, 200),
    `is not a known query parameter here: this POST takes ${onChain ? 'chainId and minBlock' : 'chainId'} only, and the rest in its body`,
  )
}

async function readBody(request: Request, timeoutMs?: number): Promise<Record<string, unknown>> {
  const { value, flaw } = parseJson(await readJsonText(request, timeoutMs))
  if (flaw !== undefined) throw flaw
  if (!isObject(value)) throw new ValidationError([{ message: 'The request body must be a JSON object.' }])
  return value
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
