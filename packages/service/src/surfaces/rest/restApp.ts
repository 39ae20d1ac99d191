import type { Answer } from '@remit/engine/declare/codec'
import type { EventStreamRoute, FileRoute, RestRoute } from '@remit/engine/declare/operation'
import { ValidationError } from '@remit/engine/errors/input'
import { toRemitError, toWire } from '@remit/engine/errors/toWire'
import { type Context, Hono } from 'hono'
import type { Caller, Pipeline } from '../../calls/pipeline.ts'
import type { ServedDocument } from '../../calls/servedDocument.ts'
import type { AbsentOperation, Operation } from '../../calls/serviceOperation.ts'
import type { SessionCookie } from '../../calls/sessionCookie.ts'
import { MethodNotAllowedError, NotAtEdgeError, NotFoundError, UriTooLongError } from '../../errors/http.ts'
import type { OpenedSession } from '../../ports/sessions.ts'
import { credentialsOf, type Peer } from '../http/credentials.ts'
import { headerRecord, type Responses, unknownRecipient } from '../http/responses.ts'
import { MAX_TARGET_LENGTH } from '../server/serverLimits.ts'
import type { EventStreams } from '../stream/EventStreams.ts'
import { offersOf } from './mediaTypes.ts'
import { createPageRule, type Pages } from './pages.ts'
import { RepeatedReads } from './RepeatedReads.ts'
import { createCallReader, type ReadCall } from './readCall.ts'
import {
  bodySender,
  documentSender,
  type Form,
  fileForm,
  JSON_TYPE,
  jsonForm,
  replyTo,
  tableForm,
} from './reply.ts'
import { createAudiences, DOCUMENT_METHODS, routePaths, routesOf, servedAt } from './routes.ts'
import { createTableWriter } from './table.ts'
import { firstPageOf, streamTable, type WholeTableOptions, wholeTableHeaders } from './wholeTable.ts'

const EVENT_STREAM_TYPE = 'text/event-stream'

interface RestAppOptions {
  readonly operations: readonly Operation[]
  /** Their routes answer 501. */
  readonly absent?: readonly AbsentOperation[] | undefined
  readonly pipeline: Pipeline
  readonly responses: Responses
  readonly pages?: Pages | undefined
  /** Documents that are served beside the operations. */
  readonly documents?: readonly ServedDocument[]
  readonly bodyTimeoutMs?: number
  readonly cookie: SessionCookie
  readonly streams: EventStreams
}

interface RestEnv {
  Bindings: Peer
  Variables: { caller: Caller; chainId: number; query: URLSearchParams }
}

/** A request on its way through the app: the framework's context, with what the first handler has found (`c.var`). */
type RestContext = Context<RestEnv>

/**
 * The REST surface of a list of operations, with the documents and pages that are served beside them.
 *
 * The first handler identifies the caller, reads the query and resolves the chain. Then the route is found, whose handler has the pipeline
 * charge and run it (`createHandler` for an operation), and sends the answer in the form that was asked for (`reply.ts`). A refusal on the
 * way is charged, and told as JSON or, to a person who visits, as a page (`refuse`, `tellRefused`). Callers may rely on the order of
 * checks: credentials, `chainId`, route, input.
 */
export function createRestApp({
  operations,
  absent = [],
  pipeline,
  responses,
  pages,
  documents = [],
  bodyTimeoutMs,
  cookie,
  streams,
}: RestAppOptions) {
  const app = new Hono<RestEnv>()
  const repeated = new RepeatedReads(pipeline, responses)
  const audienceAt = createAudiences(operations)
  const shownPages = pages?.documents ?? []
  const { pageAt, isVisit } = createPageRule(
    shownPages.map(({ path }) => path),
    operations.flatMap(({ rest, files, stream }) =>
      [rest, stream, ...files].flatMap((route) => (route ? servedAt(route.path) : [])),
    ),
  )

  // Browsers send OPTIONS without credentials. It costs nothing.
  app.use(async (c, next) => {
    if (c.req.method === 'OPTIONS') return next()
    const credentials = credentialsOf(c.req.raw, c.env)
    const caller = await pipeline.identifyCaller(
      'rest',
      credentials,
      c.req.raw.signal,
      audienceAt(c.req.method, c.req.path),
    )
    c.set('caller', caller)
    try {
      const query = readTarget(c.req.raw.url)
      c.set('query', query)
      c.set('chainId', pipeline.chainId('rest', chainIdParameter(query)))
    } catch (refused) {
      return refuse(c, refused)
    }
    return next()
  })

  // The first route that fits a path answers it. So files and pages come before operations, which may have the same path, or one that fits.
  for (const operation of operations) {
    for (const file of operation.files) serveDocument(file.path, createFileHandler(operation, file))
  }
  for (const page of shownPages) app.on('GET', page.path, createPageHandler(page))
  for (const operation of operations) {
    const { stream } = operation
    if (stream) serveDocument(stream.path, createStreamHandler(operation, stream))
  }
  for (const { path, operations: served, allowed } of routePaths(operations)) {
    for (const operation of served) app.on(methodsOf(operation), servedAt(path), createHandler(operation))
    answerOtherMethods(path, allowed)
  }
  for (const { path, operations: missing, allowed } of routePaths(absent)) {
    for (const operation of missing) {
      app.on(methodsOf(operation), servedAt(path), (c) => refuse(c, new NotAtEdgeError(operation.name)))
    }
    answerOtherMethods(path, allowed)
  }
  for (const document of documents) serveDocument(document.path, createDocumentHandler(document))

  app.notFound((c) => refuse(c, NotFoundError.route(c.req.method, c.req.path)))
  app.onError((error, c) => tellRefused(c, error))
  return { fetch: app.fetch, repeated }

  /** Serves what is only read, at one path. */
  function serveDocument(path: string, handler: (c: RestContext) => Promise<Response>): void {
    app.on('GET', servedAt(path), handler)
    answerOtherMethods(path, DOCUMENT_METHODS)
  }

  function answerOtherMethods(path: string, allowed: readonly string[]): void {
    app.on(['OPTIONS'], servedAt(path), () => noContent({ Allow: allowed.join(', ') }))
    for (const at of servedAt(path)) {
      app.all(at, (c) => refuse(c, new MethodNotAllowedError(c.req.method, allowed)))
    }
  }

  /** A document has one form. The Accept header is not looked at. */
  function createDocumentHandler(document: ServedDocument) {
    const send = documentSender(document)
    return async (c: RestContext): Promise<Response> => {
      const { caller, query } = c.var
      await pipeline.chargeDocument(caller, document, () => refuseUnknown(query))
      return send(c.req.raw.headers, responses.headersFor(caller))
    }
  }

  /** A page costs what a document costs, whatever it reads. A request that is not a visit by a browser goes on to the next route. */
  function createPageHandler(page: Pages['documents'][number]) {
    const { path } = page
    return async (c: RestContext, next: () => Promise<void>): Promise<Response | undefined> => {
      if (pages === undefined || pageAt(c.req.raw) !== path) {
        await next()
        return undefined
      }
      const { caller, chainId, query } = c.var
      await pipeline.chargeDocument(caller, page, () => {})
      return pages.answer({
        path,
        parameters: c.req.param(),
        query,
        chainId,
        requestId: caller.requestId,
        asked: c.req.raw.headers,
        shared: responses.headersFor(caller),
      })
    }
  }

  /** Answers an operation's route: as JSON, or where it has a table also as one page of it, or as the whole of it. */
  function createHandler(operation: Operation & { rest: RestRoute }) {
    const table = createTableWriter(operation)
    const { wholeTable } = operation
    const readCall = createCallReader(operation, offersOf(operation), bodyTimeoutMs)
    const isRepeatable = isRepeatableRead(operation)
    return async (c: RestContext): Promise<Response> => {
      const { caller, chainId, query } = c.var
      let read: ReadCall | undefined
      const answer = await pipeline.call(caller, operation, async () => {
        const call = await readCall({ request: c.req.raw, query, pathParameters: c.req.param(), chainId })
        read = wholeTable && call.mediaType !== JSON_TYPE ? firstPageOf(call, wholeTable, caller) : call
        return read
      })
      if (read === undefined) throw new Error('an operation has answered before its request was read')
      const { mediaType } = read
      if (table && mediaType !== JSON_TYPE) {
        if (!wholeTable) return respond(c, operation, answer, tableForm(table, c.req.raw.url))
        return respondWhole(c, { operation, table, mediaType, call: read, firstPage: answer.body })
      }
      if (isRepeatable) repeated.remember(c.env.requestKey, { operation, call: read })
      if (!operation.unchanging) return respond(c, operation, answer, jsonForm(answer))
      return bodySender(answer.body)(c.req.raw.headers, responses.headersFor(caller))
    }
  }

  /** Answers a file that is made of an operation's answer. It takes from the totals alone, and from none of the operation's buckets. */
  function createFileHandler(operation: Operation, file: FileRoute) {
    const { contentType, name, first } = file
    const [mediaType = contentType] = contentType.split(';')
    const readCall = createCallReader(operation, [mediaType], bodyTimeoutMs)
    return async (c: RestContext): Promise<Response> => {
      const { caller, chainId, query } = c.var
      const answer = await pipeline.call(caller, { ...operation, name, buckets: [] }, async () => {
        const call = await readCall({ request: c.req.raw, query, pathParameters: c.req.param(), chainId })
        return first === undefined ? call : { ...call, input: { first, ...Object(call.input) } }
      })
      const rendered = answer.file(file.path)
      const names = await pipeline.namesOf(caller, chainId, rendered.names)
      return respond(c, operation, answer, fileForm(rendered, names, { contentType, url: c.req.raw.url }))
    }
  }

  function createStreamHandler(operation: Operation, route: EventStreamRoute) {
    const readCall = createCallReader(operation, [EVENT_STREAM_TYPE], bodyTimeoutMs)
    return async (c: RestContext): Promise<Response> => {
      const { caller, chainId, query } = c.var
      const { body, headers } = await streams.open({
        operation,
        route,
        caller,
        credentials: credentialsOf(c.req.raw, c.env),
        lastEventId: c.req.raw.headers.get('last-event-id'),
        readCall: () => readCall({ request: c.req.raw, query, pathParameters: c.req.param(), chainId }),
      })
      const isHead = c.req.method === 'HEAD'
      if (isHead) await body.cancel()
      return new Response(isHead ? null : body, { headers: { ...responses.headersFor(caller), ...headers } })
    }
  }

  function respondWhole(
    c: RestContext,
    parts: Omit<WholeTableOptions, 'pipeline' | 'caller' | 'report'>,
  ): Response {
    const { caller } = c.var
    const report = (error: unknown) => responses.report(error, caller)
    const headers = { ...responses.headersFor(caller), ...wholeTableHeaders(parts) }
    return new Response(streamTable({ ...parts, pipeline, caller, report }), { headers })
  }

  function respond(c: RestContext, operation: Operation, answer: Answer, form: Form): Response {
    const { newSession } = c.var.caller
    const { status, headers, text } = replyTo(answer, operation, form, {
      shared: responses.headerListFor(c.var.caller),
      ifNoneMatch: c.req.raw.headers.get('if-none-match'),
      ...(newSession === undefined ? {} : { cookie: cookieOf(newSession) }),
    })
    return new Response(text, { status, headers: headerRecord(headers) })
  }

  function cookieOf(session: OpenedSession | null): string {
    if (session === null) return cookie.clear()
    return cookie.set(session.token, session.lastsSeconds)
  }

  /** Refuses a request that reached no operation, and charges it. Throws RateLimitedError where the caller's limit is reached. */
  async function refuse(c: RestContext, refused: unknown): Promise<Response> {
    if (c.var.caller !== undefined) await pipeline.chargeUnanswered(c.var.caller)
    return tellRefused(c, refused)
  }

  /** Why a request is refused: to a browser that visits as a page, to everybody else as JSON. */
  function tellRefused(c: RestContext, refused: unknown): Response {
    const recipient = recipientOf(c)
    const hasLeft = recipient.signal?.aborted === true
    const path = pageAt(c.req.raw)
    const isShown = pages !== undefined && (path !== undefined || isVisit(c.req.raw))
    if (!isShown || hasLeft) return responses.refuse(refused, recipient)
    responses.report(refused, recipient)
    const error = toWire(toRemitError(refused), recipient.requestId)
    return pages.refusal(error, path, responses.headersFor(recipient))
  }

  function noContent(headers: Record<string, string>): Response {
    return new Response(null, {
      status: 204,
      headers: { ...responses.headersFor(unknownRecipient()), ...headers },
    })
  }
}

function methodsOf(operation: AbsentOperation): string[] {
  return routesOf(operation).map(({ method }) => method)
}

function recipientOf(c: RestContext) {
  return c.var.caller ?? unknownRecipient()
}

/** Whether `RepeatedReads` may answer it when it is asked again: a GET whose answer depends on nothing but its address and the lane. */
function isRepeatableRead({ keepsAnswers, audience, crossOrigin, rest }: Operation): boolean {
  const isOpen = audience === 'callers' || audience === 'signers'
  return keepsAnswers && isOpen && !crossOrigin && rest?.method === 'GET'
}

/** The query of a request's address. Throws UriTooLongError, and ValidationError for a malformed path. */
function readTarget(url: string): URLSearchParams {
  const { pathname, search, searchParams } = new URL(url)
  if (pathname.length + search.length > MAX_TARGET_LENGTH) throw new UriTooLongError(MAX_TARGET_LENGTH)
  try {
    decodeURIComponent(pathname)
  } catch {
    throw new ValidationError([{ message: 'The path has a malformed percent-encoding.' }])
  }
  return searchParams
}

/** A document takes no parameters. `chainId` was checked already and has no effect. */
function refuseUnknown(query: URLSearchParams): void {
  const name = [...query.keys()].find((key) => key !== 'chainId')
  if (name !== undefined) throw ValidationError.of(name.slice(0, 200), 'is not a known query parameter here')
}

function chainIdParameter(query: URLSearchParams): string | undefined {
  const [first, second] = query.getAll('chainId')
  if (second !== undefined) throw ValidationError.of('chainId', 'is given more than once')
  return first
}
