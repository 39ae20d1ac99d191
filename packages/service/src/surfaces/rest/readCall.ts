import { ValidationError } from '@remit/engine/errors/input'
import * as z from 'zod'
import type { RawCall } from '../../calls/pipeline.ts'
import type { Operation } from '../../calls/serviceOperation.ts'
import { ForbiddenError } from '../../errors/access.ts'
import { NotAcceptableError } from '../../errors/http.ts'
import { negotiate } from '../http/Representation.ts'
import { parseJson, readJsonText } from '../http/readJson.ts'
import { formatsIn, MEDIA_TYPES, NDJSON_TYPE } from './mediaTypes.ts'
import { CSV_TYPE } from './table.ts'

// How a REST request becomes an operation's input, not yet checked by its schema: `createCallReader` joins path, query and body. Texts of
// path and query become the JSON types that the schema has (`inputKinds`, `toJsonValue`), for MCP's resources and for pages too.

/** The parts of a request that the operation's input is read from. */
interface CallRequest {
  readonly request: Request
  readonly query: URLSearchParams
  readonly pathParameters: Readonly<Record<string, string>>
  readonly chainId: number
}

/** What a request asks for, and in which form. */
export interface ReadCall extends RawCall {
  /** One of the offered media types. */
  readonly mediaType: string
}

/**
 * Makes the reader of one operation's requests: path, query and body become one raw input.
 *
 * Where an answer has a table, `format` in the query says in which form it is wanted, whatever the Accept header says.
 *
 * The reader throws ValidationError, NotAcceptableError where the Accept header takes none of the offers, and ForbiddenError.
 * @param offers the media types of its answers
 * @param bodyTimeoutMs how long a body may take to arrive
 */
export function createCallReader(operation: Operation, offers: readonly string[], bodyTimeoutMs?: number) {
  /** Made when the first text is read: schemas of all operations at once would delay the start. */
  let kinds: ReturnType<typeof inputKinds> | undefined

  return async ({ request, query, pathParameters, chainId }: CallRequest): Promise<ReadCall> => {
    // A declared POST that changes nothing is served by GET too, with the fields of its body in the query.
    const hasBody = request.method === 'POST'
    if (operation.rest?.method === 'POST' && !hasBody) refuseEmbedding(request.headers)
    const values = readQuery(query)
    const mediaType = offers.includes(CSV_TYPE) ? readFormat(values, offers) : undefined
    const accepted = mediaType ?? negotiate(request.headers.get('accept'), offers)
    if (accepted === undefined) throw new NotAcceptableError(offers)
    // `restApp.ts` has read it before it knew the route.
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

  /** Texts by their fields' names, as an object with the types that the schema has. */
  function typed(values: ReadonlyMap<string, string>): Record<string, unknown> {
    const known = kinds ?? inputKinds(operation)
    kinds = known
    const fields = [...values].map(([name, text]) => [name, toJsonValue(text, known.get(name))] as const)
    return nested(fields, new Set([...known.keys()].flatMap((name) => headOf(name) ?? [])))
  }
}

/** Of `details.url`, the name of the object: `details`. `undefined` for a name without a dot. */
function headOf(name: string): string | undefined {
  const dot = name.indexOf('.')
  return dot === -1 ? undefined : name.slice(0, dot)
}

/**
 * The fields as one object: `details.url` is `url` in `details`. Throws ValidationError for an object that is given as a
 * whole too.
 * @param objects the names of fields that are objects. A dot in another name is a part of it
 */
function nested(
  fields: readonly (readonly [name: string, value: unknown])[],
  objects: ReadonlySet<string>,
): Record<string, unknown> {
  const inside = new Map<string, [name: string, value: unknown][]>()
  const plain: (readonly [name: string, value: unknown])[] = []
  for (const [name, value] of fields) {
    const head = headOf(name)
    if (head === undefined || !objects.has(head)) plain.push([name, value])
    else inside.set(head, [...(inside.get(head) ?? []), [name.slice(head.length + 1), value]])
  }
  const both = plain.find(([name]) => inside.has(name))
  if (both !== undefined) throw ValidationError.of(both[0], 'is an object here: give its fields only')
  const within = [...inside].map(([head, own]) => [head, Object.fromEntries(own)] as const)
  return Object.fromEntries([...plain, ...within])
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

/**
 * Browsers let no foreign page POST JSON without asking this service first. By GET a page could ask, as the address of a
 * picture or a frame, and so spend its visitors' units. Throws ForbiddenError where Sec-Fetch headers say so.
 */
function refuseEmbedding(headers: Headers): void {
  const mode = headers.get('sec-fetch-mode')
  const isFrame = mode === 'navigate' && headers.get('sec-fetch-dest') !== 'document'
  if (mode !== 'no-cors' && !isFrame) return
  throw new ForbiddenError('A page may not embed or prefetch this: it is opened as a link, or fetched.')
}

/** Throws ValidationError where a POST with a body has anything else left in its query. */
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
  get properties() {
    return z.record(z.string(), Schema).optional()
  },
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

/** The JSON types that each field of an operation's input may have. A field of an object in it has a dot: `details.url`. */
export function inputKinds(operation: Operation): ReadonlyMap<string, ReadonlySet<Kind>> {
  const { properties = {} } = Schema.parse(z.toJSONSchema(operation.input, { io: 'input' }))
  const inner = Object.entries(properties).flatMap(([name, field]) =>
    Object.entries(field.properties ?? {}).map(([own, value]) => [`${name}.${own}`, value] as const),
  )
  return new Map(
    [...Object.entries(properties), ...inner].map(([name, field]) => [name, new Set(kindsOf(field))]),
  )
}

function kindsOf(schema: z.output<typeof Schema>): Kind[] {
  const { type, anyOf = [], oneOf = [], allOf = [] } = schema
  const named = typeof type === 'string' ? [type] : (type ?? [])
  const values = [...(schema.enum ?? []), ...('const' in schema ? [schema.const] : [])]
  return [
    ...named.flatMap(toKind),
    ...(named.length === 0 ? values.flatMap((value) => toKind(typeof value)) : []),
    ...[...anyOf, ...oneOf, ...allOf].flatMap(kindsOf),
  ]
}

function toKind(type: string): Kind[] {
  if (type === 'integer' || type === 'number') return ['number']
  return type === 'string' || type === 'boolean' ? [type] : []
}

/** A number of JSON: up to 16 digits before the point and 15 behind it. A longer one might be rounded. */
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
