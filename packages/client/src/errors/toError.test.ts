import { readErrors } from '@remit/service/testing/clientGenerator/emitContract'
import { describe, expect, it } from 'vitest'
import { RateLimitedError, RemitError, SimulationFailedError } from './RemitError.ts'
import { toError } from './toError.ts'

const declared = await readErrors()
const nothing = { retryAfterSeconds: undefined }
const body = { error: 'It is not there.', code: 'NOT_FOUND', requestId: 'r-1' }

/** The class of every code that programs are likely to catch. */
const CLASSES = {
  ADMIN_NOT_CONFIGURED: 'UnavailableError',
  API_DISABLED: 'UnavailableError',
  AUTHORIZATION_UNSUPPORTED: 'RemitError',
  AUTHORIZATION_VOID: 'RemitError',
  BLOCK_NOT_SEEN: 'BlockNotSeenError',
  CHAIN_MISCONFIGURED: 'UnavailableError',
  CURSOR_STALE: 'CursorStaleError',
  DEVELOPER_KEYS_DISABLED: 'ForbiddenError',
  FORBIDDEN: 'ForbiddenError',
  FORECAST_UNAVAILABLE: 'UnavailableError',
  HEADERS_TOO_LARGE: 'RemitError',
  INDEX_UNAVAILABLE: 'IndexUnavailableError',
  INTERNAL_ERROR: 'RemitError',
  KEYS_UNAVAILABLE: 'UnavailableError',
  LIMITER_UNAVAILABLE: 'UnavailableError',
  MAX_KEYS: 'RemitError',
  MAX_RESCUES: 'RemitError',
  MAX_WEBHOOKS: 'RemitError',
  METHOD_NOT_ALLOWED: 'RemitError',
  NOT_ACCEPTABLE: 'RemitError',
  NOT_AT_EDGE: 'UnavailableError',
  NOT_ENTITLED: 'ForbiddenError',
  NOT_FOUND: 'NotFoundError',
  NOT_READY: 'NotReadyError',
  PASSES_OFF: 'ForbiddenError',
  PAYLOAD_TOO_LARGE: 'RemitError',
  PERMIT_UNSUPPORTED: 'RemitError',
  PERMIT_VOID: 'RemitError',
  PORTAL_CLOSED: 'ForbiddenError',
  PROOF_UNAVAILABLE: 'RemitError',
  PROOF_UNSUPPORTED: 'RemitError',
  RATE_LIMITED: 'RateLimitedError',
  REQUEST_TIMEOUT: 'RemitError',
  SHUTTING_DOWN: 'UnavailableError',
  SIGN_IN_FAILED: 'UnauthorizedError',
  SIMULATION_FAILED: 'SimulationFailedError',
  SIMULATION_UNSUPPORTED: 'UpstreamError',
  SUBSCRIPTION_MISMATCH: 'SubscriptionMismatchError',
  TOO_MANY_CONNECTIONS: 'UnavailableError',
  TOO_MANY_STREAMS: 'UnavailableError',
  UNAUTHORIZED: 'UnauthorizedError',
  UNSUPPORTED_MEDIA_TYPE: 'RemitError',
  UPSTREAM_ERROR: 'UpstreamError',
  UPSTREAM_TIMEOUT: 'UpstreamError',
  URI_TOO_LONG: 'RemitError',
  VALIDATION_ERROR: 'ValidationError',
  WEBHOOKS_DISABLED: 'ForbiddenError',
  WEBHOOK_UNPROVEN: 'RemitError',
}

describe('every error that the service declares', () => {
  it('is known by its code', () => {
    expect([...new Set(declared.map(({ code }) => code))].sort()).toEqual(Object.keys(CLASSES))
  })

  it.each(Object.entries(CLASSES))('%s is a %s', (code, name) => {
    const error = toError({ ...body, code }, { status: 400, ...nothing })
    expect(error).toBeInstanceOf(RemitError)
    expect(error).toMatchObject({ name, code, status: 400, message: body.error, requestId: 'r-1' })
  })
})

it('keeps issues and facts beside the sentence', () => {
  const issues = [{ code: 'NOT_PROVIDER', message: 'Only the provider can.', from: '0x1' }]
  const error = toError({ ...body, issues, id: '0x2' }, { status: 404, retryAfterSeconds: 3 })
  expect(error).toMatchObject({ issues, facts: { id: '0x2' }, retryAfterSeconds: 3 })
})

it('is a RemitError with the code that a newer service has', () => {
  const error = toError({ ...body, code: 'OUT_OF_TEA' }, { status: 418, ...nothing })
  expect(error).toMatchObject({ name: 'RemitError', code: 'OUT_OF_TEA', issues: [], facts: {} })
})

it('says which limit is reached, and how to get a higher one', () => {
  const refusal = {
    lane: 'free',
    bucket: 'writeRpm',
    limit: 10,
    retryAfterSeconds: 12,
    upgradeHint: 'Get a key.',
  }
  const error = toError({ ...body, code: 'RATE_LIMITED', ...refusal }, { status: 429, retryAfterSeconds: 12 })
  expect(error).toBeInstanceOf(RateLimitedError)
  expect(error).toMatchObject(refusal)
})

it('says why a simulation reverts', () => {
  const reason = { protocolCode: '10', name: 'INSUFFICIENT_ALLOWANCE_OR_BALANCE', message: 'Top up.' }
  const error = toError({ ...body, code: 'SIMULATION_FAILED', reason }, { status: 422, ...nothing })
  expect(error).toBeInstanceOf(SimulationFailedError)
  expect(error).toMatchObject({ reason: { ...reason, data: undefined } })
})

it.each([undefined, null, 'text', [], {}, { error: 'x' }, { code: 'NOT_FOUND' }, { error: 5, code: 'X' }])(
  'is none where the body is %j',
  (value) => expect(toError(value, { status: 502, ...nothing })).toBeUndefined(),
)
