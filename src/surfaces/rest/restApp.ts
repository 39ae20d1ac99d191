import { type Context, Hono } from 'hono'
import type { RestRoute } from '../../core/declaration.ts'
import type { Answer, Operation } from '../../core/operation.ts'
import type { Caller, Pipeline } from '../../core/pipeline.ts'
import type { ServedDocument } from '../../core/servedDocument.ts'
import { MethodNotAllowedError, NotFoundError, UriTooLongError } from '../../errors/http.ts'
import { ValidationError } from '../../errors/input.ts'
import { negotiate } from '../http/accept.ts'
import { credentialsOf, type Peer } from '../http/credentials.ts'
import { type Responses, unknownRecipient } from '../http/responses.ts'
import { etagOf, matchesEtag } from './etag.ts'
import { createCallReader } from './readCall.ts'
import { represent, representBody } from './representation.ts'
import { createAudiences, DOCUMENT_METHODS, routePaths, servedAt } from './routes.ts'

const MAX_TARGET_LENGTH = 8 * 1024

const JSON_TYPE = 'application/json'
const HTML_TYPE = 'text/html'

/** An answer as a page, for browsers. */
export interface HtmlPage {
  /** What the page may load: its own style and nothing else. */
  readonly contentSecurityPolicy: string
  render(body: Readonly<Record<string, unknown>>): string
}

export interface RestAppOptions {
  readonly operations: readonly Operation[]
  readonly pipeline: Pipeline
  readonly responses: Responses
  /** Pages by the path of the operation whose answer they show. */
  readonly pages?: Readonly<Record<string, HtmlPage>>
  /** Documents that are served beside the operations. */
  readonly documents?: readonly ServedDocument[]
  readonly bodyTimeoutMs?: number
}

interface RestEnv {
  Bindings: Peer
  Variables: { caller: Caller; chainId: number; query: URLSearchParams }
}

/**
 * The REST surface of a list of operations.
 *
 * Callers may rely on the order of checks: credentials, `chainId`, route, input.
 */
export function createRestApp({
  operations,
  pipeline,
  responses,
  pages = {},
  documents = [],
  bodyTimeoutMs,
}: RestAppOptions) {
  const app = new Hono<RestEnv>()
  const audienceAt = createAudiences(operations)

  // Browsers send OPTIONS without credentials. It costs nothing.
  app.use(async (c, next) => {
    if (c.req.method === 'OPTIONS') return next()
    const credentials = credentialsOf(c.req.raw, c.env)
    const caller = await pipeline.enter('rest', credentials, c.req.raw.signal, audienceAt(c.req.path))
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

  for (const { path, operations: served, allowed } of routePaths(operations)) {
    for (const operation of served) {
      app.on(operation.rest.method, servedAt(path), createHandler(operation, pages[path]))
    }
    answerOtherMethods(path, allowed)
  }
  for (const document of documents) {
    app.on('GET', servedAt(document.path), createReader(document))
    answerOtherMethods(document.path, DOCUMENT_METHODS)
  }

  app.notFound((c) => refuse(c, NotFoundError.route(c.req.method, c.req.path)))
  app.onError((error, c) => responses.refuse(error, recipientOf(c)))
  return app

  function answerOtherMethods(path: string, allowed: readonly string[]): void {
    app.on(['OPTIONS'], servedAt(path), () => noContent({ Allow: allowed.join(', ') }))
    for (const at of servedAt(path)) {
      app.all(at, (c) => refuse(c, new MethodNotAllowedError(c.req.method, allowed)))
    }
  }

  /** A document has one form. The Accept header is not looked at. */
  function createReader(document: ServedDocument) {
    const content = represent(document)
    return async (c: Context<RestEnv>): Promise<Response> => {
      const { caller, query } = c.var
      await pipeline.serve(caller, document, () => refuseUnknown(query))
      return content(c.req.raw.headers, responses.headersFor(caller))
    }
  }

  function createHandler(operation: Operation & { rest: RestRoute }, page: HtmlPage | undefined) {
    const offers = page === undefined ? [JSON_TYPE] : [JSON_TYPE, HTML_TYPE]
    const readCall = createCallReader(operation, offers, bodyTimeoutMs)
    return async (c: Context<RestEnv>): Promise<Response> => {
      const { caller, chainId, query } = c.var
      const request = c.req.raw
      const answer = await pipeline.call(caller, operation, () =>
        readCall({ request, query, pathParameters: c.req.param(), chainId }),
      )
      const wantsPage = negotiate(request.headers.get('accept'), offers) === HTML_TYPE
      return respond(c, operation, answer, wantsPage ? page : undefined)
    }
  }

  function respond(
    c: Context<RestEnv>,
    operation: Operation & { rest: RestRoute },
    { body }: Answer,
    page: HtmlPage | undefined,
  ): Response | Promise<Response> {
    const headers: Record<string, string> = {
      ...responses.headersFor(c.var.caller),
      ...(page === undefined ? {} : { 'Content-Security-Policy': page.contentSecurityPolicy }),
    }
    if (operation.unchanging && page === undefined) {
      return representBody(body)(c.req.raw.headers, headers)
    }
    // Not to be cached: an answer with an `error` is incomplete, and operators' answers are secret.
    if (operation.rest.method !== 'GET' || operation.audience === 'operators' || 'error' in body) {
      headers['Cache-Control'] = 'no-store'
    } else {
      const etag = etagOf(body, page === undefined ? JSON_TYPE : HTML_TYPE)
      headers.ETag = etag
      headers['Cache-Control'] = 'private, no-cache'
      if (matchesEtag(c.req.raw.headers.get('if-none-match'), etag)) {
        return new Response(null, { status: 304, headers })
      }
    }
    headers['Content-Type'] = page === undefined ? JSON_TYPE : `${HTML_TYPE}; charset=utf-8`
    const text = page === undefined ? JSON.stringify(body) : page.render(body)
    return new Response(text, { status: operation.rest.status ?? 200, headers })
  }

  /** Refuses a request that reached no operation. It takes the units of such a request, where there are any left. */
  async function refuse(c: Context<RestEnv>, refused: unknown): Promise<Response> {
    if (c.var.caller !== undefined) await pipeline.chargeRefused(c.var.caller)
    return responses.refuse(refused, recipientOf(c))
  }

  function noContent(headers: Record<string, string>): Response {
    return new Response(null, {
      status: 204,
      headers: { ...responses.headersFor(unknownRecipient()), ...headers },
    })
  }
}

function recipientOf(c: Context<RestEnv>) {
  return c.var.caller ?? unknownRecipient()
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
