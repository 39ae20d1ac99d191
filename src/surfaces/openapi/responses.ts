import type { RestRoute } from '../../core/declaration.ts'
import type { Operation } from '../../core/operation.ts'
import {
  ForbiddenError,
  KeysUnavailableError,
  LimiterUnavailableError,
  RateLimitedError,
  UnauthorizedError,
} from '../../errors/access.ts'
import type { ErrorClass } from '../../errors/base.ts'
import { BlockNotSeenError, UpstreamError, UpstreamTimeoutError } from '../../errors/chain.ts'
import {
  ApiDisabledError,
  InternalError,
  NotAcceptableError,
  PayloadTooLargeError,
  RequestTimeoutError,
  ShuttingDownError,
  UnsupportedMediaTypeError,
  UriTooLongError,
} from '../../errors/http.ts'
import { ValidationError } from '../../errors/input.ts'
import type { JsonObject } from './openApiDocument.ts'
import type { SchemaBook } from './SchemaBook.ts'

const ref = (kind: string, name: string): JsonObject => ({ $ref: `#/components/${kind}/${name}` })

const COMMON_HEADERS = {
  'X-Request-Id': ref('headers', 'RequestId'),
  'X-Service-Lane': ref('headers', 'Lane'),
}

const QUOTA_HEADERS = {
  'RateLimit-Policy': ref('headers', 'RateLimitPolicy'),
  RateLimit: ref('headers', 'RateLimit'),
}

export function successResponse(
  operation: Operation,
  { method, status = 200 }: RestRoute,
  schemas: SchemaBook,
): JsonObject {
  const isForOperators = operation.audience === 'operators'
  const isKept = method === 'GET' && !isForOperators
  const headers = {
    ...COMMON_HEADERS,
    ...(operation.metering === 'metered' && !isForOperators ? QUOTA_HEADERS : {}),
    ...(isKept ? { ETag: ref('headers', 'ETag') } : {}),
  }
  const content = { schema: schemas.add(operation.answer) }
  return {
    [status]: { description: `${operation.summary}.`, headers, content: { 'application/json': content } },
    ...(isKept ? { 304: { description: 'The answer named by If-None-Match still holds.', headers } } : {}),
  }
}

/** What any route may refuse with, beside its own errors. */
function commonErrors({ metering, onChain, scope }: Operation, { method }: RestRoute): readonly ErrorClass[] {
  return [
    ValidationError,
    UnauthorizedError,
    ForbiddenError,
    NotAcceptableError,
    UriTooLongError,
    InternalError,
    KeysUnavailableError,
    ...(method === 'POST' ? [RequestTimeoutError, PayloadTooLargeError, UnsupportedMediaTypeError] : []),
    ...(metering === 'metered' ? [RateLimitedError, LimiterUnavailableError, ShuttingDownError] : []),
    ...(onChain || scope === 'keys' ? [ApiDisabledError] : []),
    ...(onChain ? [BlockNotSeenError, UpstreamError, UpstreamTimeoutError] : []),
  ]
}

/** One response for each status, naming every code that it may carry and when. */
export function errorResponses(operation: Operation, rest: RestRoute): JsonObject {
  const byStatus = new Map<number, ErrorClass[]>()
  for (const error of [...commonErrors(operation, rest), ...operation.errors]) {
    byStatus.set(error.status, [...(byStatus.get(error.status) ?? []), error])
  }
  const rows = [...byStatus].sort(([a], [b]) => a - b)
  return Object.fromEntries(rows.map(([status, errors]) => [String(status), errorResponse(status, errors)]))
}

function errorResponse(status: number, errors: readonly ErrorClass[]): JsonObject {
  const conditions = [...new Set(errors.map(({ code, when }) => `\`${code}\`: ${when}`))]
  const codes = [...new Set(errors.map(({ code }) => code))]
  return {
    description: `${conditions.join('; ')}.`,
    headers: {
      ...COMMON_HEADERS,
      ...(status === 429 || status === 503 ? { 'Retry-After': ref('headers', 'RetryAfter') } : {}),
      ...(status === 401 ? { 'WWW-Authenticate': ref('headers', 'WwwAuthenticate') } : {}),
    },
    content: {
      'application/json': {
        schema: { allOf: [ref('schemas', 'Error'), { properties: { code: { enum: codes } } }] },
      },
    },
  }
}
