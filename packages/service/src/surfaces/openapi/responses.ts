import { STATUS_CODES } from 'node:http'
import type { EventStreamRoute, FileRoute, RestRoute } from '@remit/engine/declare/operation'
import type { ErrorClass } from '@remit/engine/errors/base'
import type { Operation } from '../../calls/serviceOperation.ts'
import { offersOf } from '../rest/mediaTypes.ts'
import { JSON_TYPE } from '../rest/reply.ts'
import { routesOf } from '../rest/routes.ts'
import { commonErrors, errorSchema, errorsOf } from './errors.ts'
import type { Examples } from './examples.ts'
import { inPascalCase, type JsonObject, type SchemaBook } from './SchemaBook.ts'

// The responses of the OpenAPI document: of answers, files, streams and errors, with their headers and recorded examples.

const ref = (kind: string, name: string): JsonObject => ({ $ref: `#/components/${kind}/${name}` })

const COMMON_HEADERS = {
  'X-Request-Id': ref('headers', 'RequestId'),
  'X-Service-Lane': ref('headers', 'Lane'),
  'Cache-Control': ref('headers', 'CacheControl'),
}

const QUOTA_HEADERS = {
  'RateLimit-Policy': ref('headers', 'RateLimitPolicy'),
  RateLimit: ref('headers', 'RateLimit'),
}

/** The success of an operation, and 304 where answers have an ETag. One that a POST and a GET share stands once, under `components`. */
export function successResponse(
  operation: Operation,
  examples: Examples,
  { schemas, responses }: Books,
): JsonObject {
  const { method, status = 200 } = operation.rest ?? {}
  const isKept = method === 'GET' && !operation.isSecret
  const headers = {
    ...COMMON_HEADERS,
    ...(isCharged(operation) ? QUOTA_HEADERS : {}),
    ...(isKept ? { ETag: ref('headers', 'ETag') } : {}),
  }
  const answers = examples.operations[operation.name]?.answers ?? []
  const content = {
    schema: schemas.schemaOf(operation.answer, inPascalCase(operation.name)),
    ...named(answers.map(({ name, summary, body }) => [name, { summary, value: body }])),
  }
  const others = offersOf(operation).filter((mediaType) => mediaType !== JSON_TYPE)
  const table = Object.fromEntries(others.map((mediaType) => [mediaType, { schema: { type: 'string' } }]))
  const response = {
    description: `${operation.summary}.`,
    headers,
    content: { [JSON_TYPE]: content, ...table },
  }
  return {
    [status]: isShared(operation)
      ? responses.add(`${inPascalCase(operation.name)}Answer`, response)
      : response,
    ...(isKept ? { 304: { description: 'The answer named by If-None-Match still holds.', headers } } : {}),
  }
}

export function fileResponse({ summary, contentType }: FileRoute): JsonObject {
  const headers = { ...COMMON_HEADERS, ...QUOTA_HEADERS, ETag: ref('headers', 'ETag') }
  const [mediaType = contentType] = contentType.split(';')
  return {
    200: { description: `${summary}.`, headers, content: { [mediaType]: { schema: { type: 'string' } } } },
    304: { description: 'The file named by If-None-Match still holds.', headers },
  }
}

/** The answer of a stream's route: one `data` line for each event. */
export function streamResponse({ summary }: EventStreamRoute): JsonObject {
  const headers = { ...COMMON_HEADERS, ...QUOTA_HEADERS }
  const schema = { type: 'string' }
  return { 200: { description: `${summary}.`, headers, content: { 'text/event-stream': { schema } } } }
}

/** One response for each status, naming every code that it may carry and when. Routes share it, unless this one has examples of its own. */
export function errorResponses(
  operation: Operation,
  rest: RestRoute,
  examples: Examples,
  { schemas, responses }: Books,
): JsonObject {
  const byStatus = new Map<number, ErrorClass[]>()
  for (const error of errorsOf(operation, rest)) {
    byStatus.set(error.status, [...(byStatus.get(error.status) ?? []), error])
  }
  const own = examples.operations[operation.name]?.errors ?? []
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, errors]) => {
        const response = errorResponse({ operation, rest, status, errors }, { examples, schemas })
        const isOwn = own.some((example) => example.status === status)
        const name = nameOf(status)
        if (!isOwn) return [`${status}`, responses.add(name, response)]
        const ownName = `${inPascalCase(operation.name)}${name}`
        return [`${status}`, isShared(operation) ? responses.add(ownName, response) : response]
      }),
  )
}

/** Whether two routes (POST and GET) have the same responses. */
function isShared(operation: Operation): boolean {
  return routesOf(operation).length > 1
}

function nameOf(status: number): string {
  return (STATUS_CODES[status] ?? `Status ${status}`).replaceAll(/\W/g, '')
}

/** The examples that stand under `components`: recorded answers of errors that any route may have. */
export function sharedExamples({ errors }: Examples): JsonObject {
  return Object.fromEntries(errors.map(({ name, summary, body }) => [name, { summary, value: body }]))
}

interface ErrorResponse {
  readonly operation: Operation
  readonly rest: RestRoute
  readonly status: number
  readonly errors: readonly ErrorClass[]
}

function errorResponse(
  about: ErrorResponse,
  { examples, schemas }: { examples: Examples; schemas: SchemaBook },
): JsonObject {
  const { operation, status, errors } = about
  const conditions = [...new Set(errors.map(({ code, when }) => `\`${code}\`: ${when}`))]
  const codes = [...new Set(errors.map(({ code }) => code))]
  return {
    description: `${conditions.join('; ')}.`,
    headers: {
      ...COMMON_HEADERS,
      ...(CHARGED_STATUSES.includes(status) && isCharged(operation) ? QUOTA_HEADERS : {}),
      ...(status === 429 || status === 503 ? { 'Retry-After': ref('headers', 'RetryAfter') } : {}),
      ...(status === 401 ? { 'WWW-Authenticate': ref('headers', 'WwwAuthenticate') } : {}),
    },
    content: {
      'application/json': {
        schema: errorSchema(codes, schemas),
        ...named(codes.flatMap((code) => examplesOf(about, code, examples))),
      },
    },
  }
}

/** The examples of one code: recorded for this operation, and where any route may answer it, those that are shared, by reference. */
function examplesOf(
  { operation, rest, status }: ErrorResponse,
  code: string,
  { operations, errors }: Examples,
): [name: string, example: JsonObject][] {
  const is = (example: { code: string; status: number }) => example.code === code && example.status === status
  const own = (operations[operation.name]?.errors ?? []).filter(is)
  const inOwnWords = own.map(({ summary, body }) => [code, { summary, value: body }] as [string, JsonObject])
  const isCommon = commonErrors(operation, rest).some((error) => error.code === code)
  if (own.length > 0 && !isCommon) return inOwnWords
  const shared = errors.filter(is)
  // An error may read differently for one audience (on operators' routes, say): then that one's examples, else those for everybody.
  const theirs = shared.filter(({ audience }) => audience === operation.audience)
  const others = shared.filter(({ audience }) => audience === undefined)
  const told = theirs.length > 0 ? theirs : others
  return [...inOwnWords, ...told.map(({ name }): [string, JsonObject] => [name, ref('examples', name)])]
}

/** Statuses of requests that have taken units, or that were refused at a limit: their responses have the RateLimit headers. */
const CHARGED_STATUSES = [400, 404, 409, 422, 429, 502, 504]

/** Whether calls of it take units that can run out. */
function isCharged({ metering, audience }: Operation): boolean {
  return metering === 'metered' && audience !== 'operators'
}

/** The field `examples`, left out where there are none. */
function named(examples: readonly (readonly [name: string, example: JsonObject])[]): JsonObject {
  return examples.length === 0 ? {} : { examples: Object.fromEntries(examples) }
}

/** Collects what is written under `components`. */
export interface Books {
  readonly schemas: SchemaBook
  readonly responses: ResponseBook
}

/** Responses that operations share, each once under `components`. */
export class ResponseBook {
  readonly #named = new Map<string, { readonly text: string; readonly response: JsonObject }>()

  /** A reference to this response. Of different responses with one name, the later ones get a number behind it. */
  add(word: string, response: JsonObject): JsonObject {
    const text = JSON.stringify(response)
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? word : `${word}${number}`
      const known = this.#named.get(name)
      if (known !== undefined && known.text !== text) continue
      this.#named.set(name, { text, response })
      return { $ref: `#/components/responses/${name}` }
    }
  }

  entries(): JsonObject {
    const rows = [...this.#named].sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(rows.map(([name, { response }]) => [name, response]))
  }
}

/** Response headers by their names in the document. */
const HEADERS = {
  RequestId: {
    header: 'X-Request-Id',
    description: 'Names this request in the operator’s log.',
    schema: { type: 'string', format: 'uuid' },
  },
  Lane: {
    header: 'X-Service-Lane',
    description: 'The lane that was applied.',
    schema: { type: 'string', enum: ['free', 'developer'] },
  },
  CacheControl: {
    header: 'Cache-Control',
    description:
      'Whether the answer may be kept: `no-store` on errors, on keys and on what answers a POST, or is asked by GET instead of it.',
    schema: { type: 'string' },
  },
  RateLimitPolicy: {
    header: 'RateLimit-Policy',
    description: 'The limits that the request took from: quota and window in seconds.',
    schema: { type: 'string' },
  },
  RateLimit: {
    header: 'RateLimit',
    description: 'What is left of them, and in how many seconds there is more.',
    schema: { type: 'string' },
  },
  RetryAfter: {
    header: 'Retry-After',
    description: 'Seconds after which it is worth trying again.',
    schema: { type: 'integer' },
  },
  WwwAuthenticate: {
    header: 'WWW-Authenticate',
    description: 'How to authenticate.',
    schema: { type: 'string' },
  },
  ETag: {
    header: 'ETag',
    description: 'For If-None-Match: the answer without its block.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, { header: string; description: string; schema: JsonObject }>

/** The headers of `components`, each with a recorded example. */
export function headersOf({ headers }: Examples): JsonObject {
  return Object.fromEntries(
    Object.entries(HEADERS).map(([name, { header, description, schema }]) => {
      const recorded = headers[header]
      const isNumber = schema.type === 'integer'
      const example = recorded === undefined ? {} : { example: isNumber ? Number(recorded) : recorded }
      return [name, { description, schema, ...example }]
    }),
  )
}
