import type { RestRoute } from '../../core/declaration.ts'
import type { Operation } from '../../core/operation.ts'
import type { Examples } from './examples.ts'
import { headersOf } from './headers.ts'
import type { Json, JsonObject } from './json.ts'
import { limitsExtensions, limitsSentence } from './limits.ts'
import { parametersOf, requestBodyOf } from './requests.ts'
import { type Books, errorResponses, ResponseBook, sharedExamples, successResponse } from './responses.ts'
import { SchemaBook } from './SchemaBook.ts'

export interface DocumentOptions {
  readonly version: string
  /** Where the service is published. Without a slash at its end. */
  readonly serverUrl: string
  /** Recorded answers of the operations. */
  readonly examples: Examples
}

const TITLE = 'Remit'

const DESCRIPTION = `Reads an on-chain recurring-payment protocol and prepares unsigned transactions for it, proven by
simulation. It never signs and never relays.

Token quantities, wei and every uint256 are decimal strings; block numbers, timestamps and counts are numbers.
Every answer about a chain is read at one block, named in \`asOf\`.

Examples are recorded from a development chain. What is random by nature is the same in all of them: request ids,
ids of keys, the seconds until a limit gives more. The values of the limits that an operation takes from are in
\`GET /catalog\`.`

/** The OpenAPI 3.1 document of a list of operations: every route, status, error code and header. */
export function openApiDocument(
  operations: readonly Operation[],
  options: DocumentOptions,
): { readonly openapi: string } & JsonObject {
  const { version, serverUrl, examples } = options
  const books = { schemas: new SchemaBook(), responses: new ResponseBook() }
  const paths: Record<string, Record<string, Json>> = {}
  for (const operation of operations) {
    if (operation.rest === null) continue
    const { method, path } = operation.rest
    const at = path.replaceAll(/:(\w+)/g, '{$1}')
    paths[at] = {
      ...paths[at],
      [method.toLowerCase()]: describe(operation, operation.rest, examples, books),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: TITLE,
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    tags: tagsOf(operations),
    // Without credentials: the free lane.
    security: [{}, { apiKey: [] }, { apiKeyHeader: [] }],
    paths,
    components: {
      securitySchemes,
      schemas: books.schemas.entries(),
      responses: books.responses.entries(),
      headers: headersOf(examples),
      examples: sharedExamples(examples),
    },
  }
}

function describe(operation: Operation, rest: RestRoute, examples: Examples, books: Books): JsonObject {
  const requestBody = requestBodyOf(operation, rest, books.schemas, examples)
  const description = [operation.description, limitsSentence(operation)]
  return {
    operationId: operation.name,
    summary: operation.summary,
    description: description.filter((part) => part !== undefined).join('\n\n'),
    tags: [tagOf(operation, rest)],
    ...(operation.audience === 'operators'
      ? { security: [{ adminSecret: [] }, { adminSecretHeader: [] }] }
      : {}),
    parameters: parametersOf(operation, rest, books.schemas, examples),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: {
      ...successResponse(operation, rest, books.schemas, examples),
      ...errorResponses(operation, rest, examples, books),
    },
    ...limitsExtensions(operation),
  }
}

/** How callers authenticate. */
const securitySchemes = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'A developer key (svc_…): the developer lane.' },
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'The same key, where Authorization is taken by Basic Auth.',
  },
  adminSecret: { type: 'http', scheme: 'bearer', description: 'The operator’s secret: manages keys.' },
  adminSecretHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Admin-Key',
    description: 'The same secret, where Authorization is taken by Basic Auth.',
  },
} as const

const ROOT_TAG = 'service'

/** The first word of the path. */
function tagOf({ scope }: Operation, { path }: RestRoute): string {
  if (scope === 'service') return ROOT_TAG
  const word = path.split('/')[1] ?? ''
  return word.startsWith('check_') ? 'prepare' : word
}

function tagsOf(operations: readonly Operation[]): Json {
  const names = operations.flatMap((operation) =>
    operation.rest === null ? [] : [tagOf(operation, operation.rest)],
  )
  return [...new Set(names)].map((name) => ({ name }))
}
