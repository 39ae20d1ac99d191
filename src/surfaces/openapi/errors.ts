import type { RestRoute } from '../../core/operation.ts'
import type { Operation } from '../../core/serviceOperation.ts'
import {
  ForbiddenError,
  KeysUnavailableError,
  LimiterUnavailableError,
  RateLimitedError,
  UnauthorizedError,
} from '../../errors/access.ts'
import { type ErrorClass, InternalError } from '../../errors/base.ts'
import {
  BlockNotSeenError,
  ChainMisconfiguredError,
  UpstreamError,
  UpstreamTimeoutError,
} from '../../errors/chain.ts'
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
import { ValidationError } from '../../errors/input.ts'

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
    // For slow headers too, not only for bodies.
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
    // A wallet that is a contract is asked on its chain.
    ...(onChain || asksOwner ? [ChainMisconfiguredError, UpstreamError, UpstreamTimeoutError] : []),
  ]
}
