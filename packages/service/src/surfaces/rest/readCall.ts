import { ValidationError } from '@remit/engine/errors/input'
import * as z from 'zod'
import type { RawCall } from '../../calls/pipeline.ts'
import type { Operation } from '../../calls/serviceOperation.ts'
import { NotAcceptableError } from '../../errors/http.ts'
import { negotiate } from '../http/accept.ts'
import { parseJson, readJsonText } from '../http/readJson.ts'
import { JSON_TYPE } from './reply.ts'
import { CSV_TYPE } from './table.ts'
import { NDJSON_TYPE } from './wholeTable.ts'

/** The parts of a request that the operation's input is read from. */
interface CallRequest {
  readonly request: Request
  readonly query: URLSearchParams
  readonly pathParameters: Readonly<Record<string, string>>
  readonly chainId: number
}

/** What a request asks for, and in which form. */
interface ReadCall extends RawCall {
  /** One of the offered media types. */
  readonly mediaType: string
}

const MEDIA_TYPES: Readonly<Record<string, string>> = { json: JSON_TYPE, csv: CSV_TYPE, ndjson: NDJSON_TYPE }

/** What `format` may say where these media types are offered. */
export function formatsIn(offers: readonly string[]): string[] {
  return Object.keys(MEDIA_TYPES).filter((name) => offers.includes(MEDIA_TYPES[name] ?? ''))
}

/**
 * Makes the reader of one operation's requests: path, query and body become one raw input.
 *
 * Where an answer has a table, `format` says in which form it is wanted, whatever the Accept header says.
 * @param offers the media types of its answers
 */
export function createCallReader(operation: Operation, offers: readonly string[], bodyTimeoutMs?: number) {
  /** Made when the first text is read: schemas of all operations at once would delay the start. */
  let kinds: ReturnType<typeof inputKinds> | undefined
  const hasBody = operation.rest?.method === 'POST'

  return async ({ request, query, pathParameters, chainId }: CallRequest): Promise<ReadCall> => {
    const values = readQuery(query)
    const mediaType = offers.includes(CSV_TYPE) ? readFormat(values, offers) : undefined
    const accepted = mediaType ?? negotiate(request.headers.get('accept'), offers)
    if (accepted === undefined) throw new NotAcceptableError(offers)
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
      mediaType: accepted,
      chainId,
      complete: accepted === CSV_TYPE || accepted === NDJSON_TYPE,
      ...(minBlock === undefined ? {} : { minBlock: toJsonValue(minBlock, new Set(['number'])) }),
      input: { ...given, ...typed(new Map(Object.entries(pathParameters))) },
    }
  }

  function typed(values: ReadonlyMap<string, string>): Record<string, unknown> {
    const known = kinds ?? inputKinds(operation)
    kinds = known
    return Object.fromEntries([...values].map(([name, text]) => [name, toJsonValue(text, known.get(name))]))
  }
}

/** Takes `format` out of the query. `undefined` where it is not given. */
function readFormat(values: Map<string, string>, offers: readonly string[]): string | undefined {
  const format = values.get('format')
  values.delete('format')
  if (format === undefined) return undefined
  const known = formatsIn(offers)
  if (!known.includes(format)) throw ValidationError.of('format', `must be ${known.join(' or ')}`)
  return MEDIA_TYPES[format]
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

/** The values of a query string. Throws ValidationError for a name that is given more than once. */
function readQuery(parameters: URLSearchParams): Map<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of parameters) {
    if (values.has(name)) throw ValidationError.of(name.slice(0, 200), 'is given more than once')
    values.set(name, value)
  }
  return values
}

/** The JSON types that matter for a query string. */
export type Kind = 'string' | 'number' | 'boolean'

/** The parts of a JSON Schema that are read here. */
const Schema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  get anyOf() {
    return z.array(Schema).optional()
  },
  get oneOf() {
    return z.array(Schema).optional()
  },
  get allOf() {
    return z.array(Schema).optional()
  },
})

const ObjectSchema = z.looseObject({ properties: z.record(z.string(), Schema).optional() })

/** The JSON types that each field of an operation's input may have. */
export function inputKinds(operation: Operation): ReadonlyMap<string, ReadonlySet<Kind>> {
  const schema = ObjectSchema.parse(z.toJSONSchema(operation.input, { io: 'input' }))
  return new Map(
    Object.entries(schema.properties ?? {}).map(([name, field]) => [name, new Set(kinds(field))]),
  )
}

function kinds(schema: z.output<typeof Schema>): Kind[] {
  const { type, anyOf = [], oneOf = [], allOf = [] } = schema
  const named = typeof type === 'string' ? [type] : (type ?? [])
  const values = [...(schema.enum ?? []), ...('const' in schema ? [schema.const] : [])]
  return [
    ...named.flatMap(kindOf),
    ...(named.length === 0 ? values.flatMap((value) => kindOf(typeof value)) : []),
    ...[...anyOf, ...oneOf, ...allOf].flatMap(kinds),
  ]
}

function kindOf(type: string): Kind[] {
  if (type === 'integer' || type === 'number') return ['number']
  return type === 'string' || type === 'boolean' ? [type] : []
}

const DECIMAL = /^-?(0|[1-9]\d{0,15})(\.\d{1,15})?$/

/**
 * Converts a text of the path or query to the JSON type that its field's schema asks for.
 *
 * Text in another form stays text, so that the schema refuses it and names the field.
 */
export function toJsonValue(text: string, kinds: ReadonlySet<Kind> | undefined): string | number | boolean {
  if (kinds === undefined || kinds.has('string')) return text
  if (kinds.has('number') && DECIMAL.test(text)) return Number(text)
  if (kinds.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
