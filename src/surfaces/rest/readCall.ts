import type { Operation } from '../../core/operation.ts'
import type { RawCall } from '../../core/pipeline.ts'
import { NotAcceptableError } from '../../errors/http.ts'
import { ValidationError } from '../../errors/input.ts'
import { negotiate } from '../http/accept.ts'
import { parseJson } from '../http/parseJson.ts'
import { readJsonText } from '../http/readBody.ts'
import { inputKinds, type Kind } from './jsonKinds.ts'

/** The parts of a request that the operation's input is read from. */
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
    // Checked before the route was known.
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

const DECIMAL = /^-?(0|[1-9]\d{0,15})(\.\d{1,15})?$/

/** The values of a query string. Throws ValidationError for a name that is given more than once. */
function readQuery(parameters: URLSearchParams): Map<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of parameters) {
    if (values.has(name)) throw ValidationError.of(name.slice(0, 200), 'is given more than once')
    values.set(name, value)
  }
  return values
}

/**
 * Converts a text of the path or query to the JSON type that its field's schema asks for.
 *
 * Text in another form stays text, so that the schema refuses it and names the field.
 */
function toJsonValue(text: string, kinds: ReadonlySet<Kind> | undefined): string | number | boolean {
  if (kinds === undefined || kinds.has('string')) return text
  if (kinds.has('number') && DECIMAL.test(text)) return Number(text)
  if (kinds.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
