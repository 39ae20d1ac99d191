import { errorOf } from '@remit/engine/errors/base'

export class NotFoundError extends errorOf(404, 'NOT_FOUND', 'there is no such route') {
  static route(method: string, path: string): NotFoundError {
    return new NotFoundError(
      `There is no ${method.slice(0, 10)} ${path.slice(0, 200)}; GET /catalog lists every route.`,
    )
  }

  /** @param file what was asked for, such as `client.tgz` */
  static clientNotPacked(file: string): NotFoundError {
    return new NotFoundError(
      `There is no ${file}: this service was installed without packing its client. Its operator runs \`npm run pack -w @remit/client\`.`,
    )
  }
}

export class MethodNotAllowedError extends errorOf(
  405,
  'METHOD_NOT_ALLOWED',
  'the route exists for other methods',
) {
  constructor(method: string, allowed: readonly string[]) {
    super(`This route does not answer ${method.slice(0, 10)}; it answers ${allowed.join(', ')}.`, {
      headers: { Allow: allowed.join(', ') },
    })
  }
}

export class NotAcceptableError extends errorOf(
  406,
  'NOT_ACCEPTABLE',
  'the client accepts no form of the answer',
) {
  /** @param offers the media types of the answer */
  constructor(offers: readonly string[]) {
    super(`This route answers in ${offers.join(' or ')}; send an Accept header that allows it.`)
  }
}

export class RequestTimeoutError extends errorOf(
  408,
  'REQUEST_TIMEOUT',
  'the request took too long to arrive',
) {
  constructor() {
    super('The request did not arrive in time; send it again.')
  }
}

export class PayloadTooLargeError extends errorOf(413, 'PAYLOAD_TOO_LARGE', 'the body is over 64 KiB') {
  constructor(maxBytes: number) {
    super(`The request body may have ${maxBytes} bytes at most.`, { facts: { maxBytes } })
  }
}

export class UriTooLongError extends errorOf(414, 'URI_TOO_LONG', 'the address is too long') {
  constructor(maxLength: number) {
    super(`The request's path and query may have ${maxLength} characters at most.`, { facts: { maxLength } })
  }
}

export class UnsupportedMediaTypeError extends errorOf(
  415,
  'UNSUPPORTED_MEDIA_TYPE',
  'the body is not declared as JSON in UTF-8',
) {
  constructor() {
    super('Send the body as JSON with Content-Type: application/json, uncompressed.')
  }
}

export class HeadersTooLargeError extends errorOf(431, 'HEADERS_TOO_LARGE', 'the headers are too large') {
  constructor() {
    super('The request headers are too large.')
  }
}

export class ApiDisabledError extends errorOf(503, 'API_DISABLED', 'the operator has switched the API off') {
  constructor() {
    super('The API is switched off by its operator; GET /status and GET /catalog still answer.')
  }
}

export class TooManyConnectionsError extends errorOf(
  503,
  'TOO_MANY_CONNECTIONS',
  'every connection that there is room for is being worked for',
) {
  constructor() {
    super('This process has no room for another connection; try again shortly.', { retryAfterSeconds: 1 })
  }
}

export class TooManyStreamsError extends errorOf(
  503,
  'TOO_MANY_STREAMS',
  'the process holds as many event streams and long polls as it has room for',
) {
  constructor() {
    super(
      'This process has no room for another stream of events or long poll; try again, or ask without waiting.',
      { retryAfterSeconds: 15 },
    )
  }
}

export class ShuttingDownError extends errorOf(503, 'SHUTTING_DOWN', 'the process is draining') {
  constructor() {
    super('This process is shutting down; send requests to another one.', { retryAfterSeconds: 1 })
  }
}

export class NotAtEdgeError extends errorOf(
  501,
  'NOT_AT_EDGE',
  'the service runs at the edge, without what this needs: an index, keys, a store',
) {
  constructor(operation: string) {
    super(
      `This service runs at the edge, without an index, keys or a store, which ${operation} needs; ask a service that has them.`,
      { facts: { operation } },
    )
  }
}
