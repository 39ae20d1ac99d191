import { isRecord } from '../call/isRecord.ts'
import type { Issue } from '../generated/api.ts'
import type { RemitErrorCode } from '../generated/errors.ts'
import {
  BlockNotSeenError,
  CursorStaleError,
  ForbiddenError,
  IndexUnavailableError,
  NotFoundError,
  NotReadyError,
  RateLimitedError,
  RemitError,
  SimulationFailedError,
  SubscriptionMismatchError,
  UnauthorizedError,
  UnavailableError,
  UpstreamError,
  ValidationError,
} from './RemitError.ts'

/** The codes that have a class of their own. */
const CLASSES: Readonly<Partial<Record<RemitErrorCode, typeof RemitError>>> = {
  VALIDATION_ERROR: ValidationError,
  UNAUTHORIZED: UnauthorizedError,
  FORBIDDEN: ForbiddenError,
  DEVELOPER_KEYS_DISABLED: ForbiddenError,
  PORTAL_CLOSED: ForbiddenError,
  PASSES_OFF: ForbiddenError,
  NOT_ENTITLED: ForbiddenError,
  SIGN_IN_FAILED: UnauthorizedError,
  WEBHOOKS_DISABLED: ForbiddenError,
  NOT_FOUND: NotFoundError,
  CURSOR_STALE: CursorStaleError,
  NOT_READY: NotReadyError,
  SIMULATION_FAILED: SimulationFailedError,
  SUBSCRIPTION_MISMATCH: SubscriptionMismatchError,
  RATE_LIMITED: RateLimitedError,
  UPSTREAM_ERROR: UpstreamError,
  UPSTREAM_TIMEOUT: UpstreamError,
  SIMULATION_UNSUPPORTED: UpstreamError,
  INDEX_UNAVAILABLE: IndexUnavailableError,
  BLOCK_NOT_SEEN: BlockNotSeenError,
  CHAIN_MISCONFIGURED: UnavailableError,
  FORECAST_UNAVAILABLE: UnavailableError,
  API_DISABLED: UnavailableError,
  ADMIN_NOT_CONFIGURED: UnavailableError,
  KEYS_UNAVAILABLE: UnavailableError,
  LIMITER_UNAVAILABLE: UnavailableError,
  NOT_AT_EDGE: UnavailableError,
  SHUTTING_DOWN: UnavailableError,
  TOO_MANY_CONNECTIONS: UnavailableError,
  TOO_MANY_STREAMS: UnavailableError,
}

const classes: ReadonlyMap<string, typeof RemitError> = new Map(Object.entries(CLASSES))

/** The error for the service's error body; `undefined` for any other body. */
export function toError(
  body: unknown,
  { status, retryAfterSeconds }: { status: number; retryAfterSeconds: number | undefined },
): RemitError | undefined {
  if (!isRecord(body) || typeof body.error !== 'string' || typeof body.code !== 'string') return undefined
  const { error, code, requestId, issues, ...facts } = body
  const Class = classes.get(code) ?? RemitError
  return new Class(error, {
    status,
    code,
    requestId: typeof requestId === 'string' ? requestId : undefined,
    issues: Array.isArray(issues) ? issues.filter(isIssue) : [],
    facts,
    // In a browser the header can be missing: it is shown to pages of other sites only if the service allows that.
    retryAfterSeconds: retryAfterSeconds ?? numberOf(facts.retryAfterSeconds),
  })
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function isIssue(value: unknown): value is Issue {
  return isRecord(value) && typeof value.message === 'string'
}
