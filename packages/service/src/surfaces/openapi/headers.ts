import type { Examples } from './examples.ts'
import type { JsonObject } from './SchemaBook.ts'

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
