import type { Audience } from '@remit/engine/declare/access'
import { BUCKETS, type Bucket, COSTS } from '@remit/engine/declare/lanes'
import type { EventStreamRoute, FileRoute, RestRoute } from '@remit/engine/declare/operation'
import type * as z from 'zod'
import type { Operation } from '../../calls/serviceOperation.ts'
import { routesOf } from '../rest/routes.ts'
import type { Examples } from './examples.ts'
import { parametersOf, requestBodyOf } from './requests.ts'
import {
  type Books,
  errorResponses,
  fileResponse,
  headersOf,
  ResponseBook,
  sharedExamples,
  streamResponse,
  successResponse,
} from './responses.ts'
import { inPascalCase, type Json, type JsonObject, SchemaBook } from './SchemaBook.ts'

// Here is the frame of the OpenAPI document, with the words, tags, security and limits of each route. `requests.ts` makes the parameters
// and bodies, `responses.ts` the responses; `SchemaBook` and `ResponseBook` collect what several routes share, under `components`.

interface DocumentOptions {
  readonly version: string
  /** Where the service is published. Without a slash at its end. */
  readonly serverUrl: string
  readonly examples: Examples
}

const TITLE = 'Remit'

const DESCRIPTION = `Reads an on-chain recurring-payment protocol and prepares unsigned transactions for it, proven by
simulation. It never signs and never relays.

Token quantities, wei and every uint256 are decimal strings; block numbers, timestamps and counts are numbers.
Every answer about a chain is read at one block, named in \`asOf\`.

Examples are recorded from a development chain. What is random by nature is the same in all of them: request ids,
ids of keys and webhooks, secrets, the seconds until a limit gives more. The values of the limits that an operation
takes from are in \`GET /catalog\`.`

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
    for (const rest of routesOf(operation)) {
      const at = rest.path.replaceAll(/:(\w+)/g, '{$1}')
      paths[at] = { ...paths[at], [rest.method.toLowerCase()]: describe(operation, rest, examples, books) }
    }
    for (const file of operation.files) {
      const fileAt = file.path.replaceAll(/:(\w+)/g, '{$1}')
      paths[fileAt] = { get: describeFile(operation, file, examples, books) }
    }
    const { stream } = operation
    if (stream) paths[stream.path] = { get: describeStream(operation, stream, examples, books) }
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
    security: [{}, ...KEY],
    paths,
    webhooks: webhooksOf(operations, books.schemas, examples),
    components: {
      securitySchemes,
      schemas: books.schemas.entries(),
      responses: books.responses.entries(),
      headers: headersOf(examples),
      examples: sharedExamples(examples),
    },
  }
}

/** An operation's route. It is called twice for a POST that is served by GET too. */
function describe(operation: Operation, rest: RestRoute, examples: Examples, books: Books): JsonObject {
  const requestBody = requestBodyOf(operation, rest, books.schemas, examples)
  return {
    ...wordsOf(operation, rest),
    tags: [tagOf(operation, rest)],
    ...securityOf(operation),
    parameters: parametersOf(operation, rest, books.schemas, examples),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: {
      ...successResponse(operation, examples, books),
      ...errorResponses(operation, rest, examples, books),
    },
    ...limitsExtensions(operation),
  }
}

/** Id, summary and description. Of a POST that is served by GET too, the GET only refers to the POST. */
function wordsOf(operation: Operation, { method, path }: RestRoute): JsonObject {
  const { name, summary, rest } = operation
  if (rest?.method !== method) {
    const description = [
      `As \`POST ${path}\`, with the input in the query, for callers that can only read. A field of an object has a dot in its name. It changes nothing, and is never kept by a cache.`,
      limitsSentence({ ...operation, tool: false }),
    ]
    return {
      operationId: `${name}_by_get`,
      summary: `${summary}, asked by GET`,
      description: description.join('\n\n'),
    }
  }
  const description = [operation.description, limitsSentence(operation)]
  return {
    operationId: name,
    summary,
    description: description.filter((part) => part !== undefined).join('\n\n'),
  }
}

const KEY = [{ apiKey: [] }, { apiKeyHeader: [] }]
const SESSION = { session: [], sessionSecret: [] }

/** The credentials that routes for an audience take, as alternatives (`{}`: none). Others have the document's own: none, or a key. */
const SECURITY: Partial<Record<Audience, Json>> = {
  operators: [{ adminSecret: [] }, { adminSecretHeader: [] }, SESSION],
  developers: [...KEY, SESSION],
  wallets: [{}, ...KEY, SESSION],
  visitors: [{}, SESSION],
  newcomers: [{}, SESSION],
}

function securityOf({ audience }: Operation): JsonObject {
  const security = SECURITY[audience]
  return security === undefined ? {} : { security }
}

/** The route of a file that is made of an operation's answer, such as a calendar. */
function describeFile(operation: Operation, file: FileRoute, examples: Examples, books: Books): JsonObject {
  const rest: RestRoute = { method: 'GET', path: file.path }
  // A file costs what a document costs, whatever the operation costs, and is no tool.
  const priced: Operation = { ...operation, buckets: [], tool: false }
  return {
    operationId: file.name,
    summary: file.summary,
    description: limitsSentence(priced),
    tags: [tagOf(operation, rest)],
    parameters: parametersOf({ ...operation, table: undefined }, rest, books.schemas, examples),
    responses: { ...fileResponse(file), ...errorResponses(operation, rest, examples, books) },
    ...limitsExtensions(priced),
  }
}

/** What the service posts to webhooks, by type: the section `webhooks`. */
function webhooksOf(operations: readonly Operation[], schemas: SchemaBook, examples: Examples): JsonObject {
  const posts = operations.flatMap((operation) => Object.entries(operation.posts))
  const contentOf = (type: string, schema: z.ZodType): JsonObject => {
    const value = examples.events[type]
    return {
      schema: schemas.schemaOf(schema, `${inPascalCase(type)}Event`),
      ...(value && { examples: { recorded: { value } } }),
    }
  }
  return Object.fromEntries(
    posts.map(([type, { schema, summary, answer }]) => [
      type,
      {
        post: {
          operationId: `on_${type.replace('.', '_')}`,
          summary,
          requestBody: { required: true, content: { 'application/json': contentOf(type, schema) } },
          responses: { [answer.status]: { description: answer.description } },
        },
      },
    ]),
  )
}

/** The route of an operation's stream of server-sent events. */
function describeStream(
  operation: Operation,
  stream: EventStreamRoute,
  examples: Examples,
  books: Books,
): JsonObject {
  const rest: RestRoute = { method: 'GET', path: stream.path }
  const priced: Operation = { ...operation, buckets: ['expensive'], tool: false }
  // A stream has no pages, and always waits.
  const input = operation.input.omit({ first: true, wait: true })
  const lastEventId: JsonObject = {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'The id of the event that came last: the stream goes on after it.',
    schema: { type: 'string' },
  }
  const parameters = parametersOf({ ...operation, input }, rest, books.schemas, examples)
  return {
    operationId: stream.name,
    summary: stream.summary,
    description: [stream.description, limitsSentence(priced)].join('\n\n'),
    tags: [tagOf(operation, rest)],
    parameters: [...parameters, lastEventId],
    responses: { ...streamResponse(stream), ...errorResponses(operation, rest, examples, books) },
    ...limitsExtensions(priced),
  }
}

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
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'remit_session',
    description:
      'A wallet that has signed in, for what is its own; it counts with X-Session-Secret alone. By https its name is __Host-remit_session. A request that changes something names this service in Origin.',
  },
  sessionSecret: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Session-Secret',
    description: 'The other half of a session, which `POST /portal/session` answers and the page keeps.',
  },
} as const

/** The tag of what is about the service itself. */
const ROOT_TAG = 'service'

/** Audiences that everybody belongs to: whose operations the service tells all callers the same. */
const EVERYBODY: readonly Audience[] = ['callers', 'signers', 'anyone', 'guests']

/**
 * The OpenAPI tag under which viewers list an operation: `service` where it answers everybody about the service itself,
 * `prepare` for the checks before a prepare, else the first word of the path.
 */
function tagOf({ kind, audience }: Operation, { path }: RestRoute): string {
  if (kind === 'service' && EVERYBODY.includes(audience)) return ROOT_TAG
  const word = path.split('/')[1] ?? ''
  return word.startsWith('check_') ? 'prepare' : word
}

function tagsOf(operations: readonly Operation[]): Json {
  const names = operations.flatMap((operation) =>
    operation.rest === null ? [] : [tagOf(operation, operation.rest)],
  )
  return [...new Set(names)].map((name) => ({ name }))
}

/** The limits that a call takes from, over REST and as a tool, as extensions (`x-…`) for programs that plan their calls. */
function limitsExtensions(operation: Operation): JsonObject {
  const { tool, name, buckets, toolBuckets } = operation
  return {
    'x-limits': {
      rest: operation.audience === 'operators' ? [] : limitsOf(operation, buckets),
      ...(tool ? { mcp: limitsOf(operation, toolBuckets) } : {}),
    },
    ...(tool ? { 'x-mcp-tool': name } : {}),
  }
}

/** What `limitsExtensions` says, as a sentence for readers. */
function limitsSentence(operation: Operation): string {
  const { audience, metering, tool, name, buckets, toolBuckets } = operation
  if (audience === 'operators') return 'The admin secret is not metered; a session has the limits of a key.'
  if (metering === 'counted') return 'Counted in `dailyTotalRequests`, and never refused by it.'
  const overRest = `Takes from ${inWords(limitsOf(operation, buckets))}.`
  if (!tool) return overRest
  const asTool = limitsOf(operation, toolBuckets)
  const isSame = asTool.join() === limitsOf(operation, buckets).join()
  return `${overRest} MCP tool: \`${name}\`, which takes ${isSame ? 'the same' : `from ${inWords(asTool)}`}.`
}

function limitsOf({ metering }: Operation, buckets: readonly Bucket[]): readonly string[] {
  return [...COSTS[metering], ...buckets.flatMap((bucket) => BUCKETS[bucket])]
}

function inWords(limits: readonly string[]): string {
  const quoted = limits.map((limit) => `\`${limit}\``)
  return [quoted.slice(0, -1).join(', '), quoted.at(-1)].join(' and ')
}
