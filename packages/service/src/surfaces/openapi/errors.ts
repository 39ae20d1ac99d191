import type { RestRoute } from '@remit/engine/declare/operation'
import { type ErrorClass, InternalError } from '@remit/engine/errors/base'
import {
  BlockNotSeenError,
  ChainMisconfiguredError,
  UpstreamError,
  UpstreamTimeoutError,
} from '@remit/engine/errors/chain'
import { ValidationError } from '@remit/engine/errors/input'
import { Issue } from '@remit/engine/schema/envelope'
import * as z from 'zod'
import type { Operation } from '../../calls/serviceOperation.ts'
import {
  ForbiddenError,
  KeysUnavailableError,
  LimiterUnavailableError,
  RateLimitedError,
  UnauthorizedError,
} from '../../errors/access.ts'
import {
  ApiDisabledError,
  HeadersTooLargeError,
  NotAcceptableError,
  PayloadTooLargeError,
  RequestTimeoutError,
  TooManyConnectionsError,
  UnsupportedMediaTypeError,
  UriTooLongError,
} from '../../errors/http.ts'
import { inPascalCase, type Json, type JsonObject, type SchemaBook } from './SchemaBook.ts'

/** Every error that a route may answer: the common ones, then the operation's own. */
export function errorsOf(operation: Operation, rest: RestRoute): readonly ErrorClass[] {
  return [...commonErrors(operation, rest), ...operation.errors]
}

/** The errors that every route of this kind may answer. */
export function commonErrors(
  { asksOwner, audience, metering, onChain, whileDisabled }: Operation,
  { method }: RestRoute,
): readonly ErrorClass[] {
  return [
    ValidationError,
    ...(audience === 'anyone' ? [] : [UnauthorizedError]),
    ForbiddenError,
    NotAcceptableError,
    // Also without a body: the headers may arrive too slowly.
    RequestTimeoutError,
    UriTooLongError,
    HeadersTooLargeError,
    // Failed credentials are limited on every route.
    RateLimitedError,
    InternalError,
    ...(audience === 'anyone' || audience === 'guests' ? [] : [KeysUnavailableError]),
    TooManyConnectionsError,
    ...(method === 'POST' ? [PayloadTooLargeError, UnsupportedMediaTypeError] : []),
    ...(metering === 'metered' ? [LimiterUnavailableError] : []),
    ...(whileDisabled ? [] : [ApiDisabledError]),
    ...(onChain ? [BlockNotSeenError] : []),
    // Before it changes what a wallet owns, a session of a contract wallet is confirmed by that contract, on its chain.
    ...(onChain || asksOwner ? [ChainMisconfiguredError, UpstreamError, UpstreamTimeoutError] : []),
  ]
}

const commonFields = {
  error: z.string().describe('A sentence that says what to do.'),
  code: z.string().describe('Permanent; made for programs.'),
  requestId: z.uuid().describe('Quote it to the operator.'),
}

const issues = z.array(Issue).describe('Every failing field or precondition, with facts beside its code.')

const ErrorBody = z.object({ ...commonFields, issues: issues.optional() }).meta({ id: 'Error' })

const operation = z.string().describe('The action that was to be prepared, such as "subscribe".')

/** The facts that an error carries for programs, by its code. */
const FACTS: Readonly<Record<string, z.ZodRawShape>> = {
  VALIDATION_ERROR: { issues },
  SUBSCRIPTION_MISMATCH: { issues },
  NOT_READY: { issues, operation },
  SIMULATION_FAILED: {
    operation,
    reason: z.object({
      protocolCode: z.string().optional().describe('The contract’s own revert string, "0" to "25".'),
      name: z.string(),
      message: z.string(),
      data: z.string().optional().describe('The raw revert data, where it could not be decoded.'),
      callIndex: z.int().min(0).describe('Which of the transactions reverts.'),
    }),
  },
  RATE_LIMITED: {
    lane: z.enum(['free', 'developer']),
    bucket: z.string().describe('The limit that takes longest to wait for.'),
    limit: z.int(),
    retryAfterSeconds: z.int().min(1).describe('As Retry-After says.'),
    upgradeHint: z.string().nullable().describe('null where there is no higher lane.'),
  },
  MAX_KEYS: { maxKeysPerSubject: z.int() },
  PAYLOAD_TOO_LARGE: { maxBytes: z.int() },
  URI_TOO_LONG: { maxLength: z.int() },
}

/** The schemas of errors that carry facts, by their codes. */
const WITH_FACTS: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries(FACTS).map(([code, facts]) => {
    const schema = z.object({ ...commonFields, code: z.literal(code), issues: issues.optional(), ...facts })
    return [code, schema.meta({ id: `${inPascalCase(code.replace(/_ERROR$/, ''))}Error` })]
  }),
)

/** The schema of an error with one of these codes. */
export function errorSchema(codes: readonly string[], schemas: SchemaBook): Json {
  const plain = codes.filter((code) => !WITH_FACTS.has(code))
  const members = [
    ...codes.flatMap((code) => WITH_FACTS.get(code) ?? []).map((schema) => schemas.schemaOf(schema, 'Error')),
    ...(plain.length === 0 ? [] : [ofCodes(plain, schemas)]),
  ]
  const [only, ...more] = members
  return only !== undefined && more.length === 0 ? only : { oneOf: members }
}

function ofCodes(codes: readonly string[], schemas: SchemaBook): JsonObject {
  return {
    allOf: [
      schemas.schemaOf(ErrorBody, 'Error'),
      { required: ['code'], properties: { code: { enum: codes } } },
    ],
  }
}
