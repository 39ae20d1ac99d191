import type { OperationRow } from './OperationRow.ts'

/** An operation's input, by the names of its fields. */
export type Input = Readonly<Record<string, unknown>>

/** The parts of a request that the operation and its input decide. */
interface OperationRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly body: string | undefined
}

/** They go into the query of a POST too. */
const CHAIN_PARAMETERS = ['chainId', 'minBlock']

/**
 * Spreads an input over path, query and body. Fields that are `undefined` are left out.
 *
 * Throws TypeError for a path that cannot be made; the service checks everything else.
 * @param chainId the chain to use where the input names none
 */
export function toRequest(
  name: string,
  { method, path, onChain }: OperationRow,
  input: Input,
  chainId?: number,
): OperationRequest {
  const inPath = [...path.matchAll(/:(\w+)/g)].flatMap(([, parameter]) => parameter ?? [])
  const filled = path.replace(/:(\w+)/g, (_, parameter: string) => {
    const text = toText(input[parameter] ?? '')
    // A URL parser would remove `.` and `..` as path segments.
    if (text === '' || text === '.' || text === '..') throw new TypeError(`${name} needs \`${parameter}\``)
    return encodeURIComponent(text)
  })
  const rest = Object.entries(input).filter(
    ([field, value]) => value !== undefined && !inPath.includes(field),
  )
  const inQuery = rest.filter(
    ([field]) => method !== 'POST' || (onChain === true && CHAIN_PARAMETERS.includes(field)),
  )
  const query = new URLSearchParams(
    Object.fromEntries(inQuery.map(([field, value]) => [field, toText(value)])),
  )
  if (onChain === true && chainId !== undefined && !query.has('chainId'))
    query.set('chainId', String(chainId))
  const body = Object.fromEntries(rest.filter((entry) => !inQuery.includes(entry)))
  return {
    method,
    target: query.size === 0 ? filled : `${filled}?${query}`,
    body: method === 'POST' ? JSON.stringify(body, toJson) : undefined,
  }
}

/** An input as it travels in a body. Fields that are `undefined` are left out. */
export function jsonOf(input: Input): unknown {
  return JSON.parse(JSON.stringify(input, toJson))
}

/** JSON has no bigint; the wire writes it as a decimal text. */
function toJson(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}

function toText(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value)
}
