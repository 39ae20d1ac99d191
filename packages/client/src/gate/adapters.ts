/** A gate in front of the handlers of common servers. Those who may not enter get the gate's answer; see `createGate`. */

import type { Gate, Member } from './createGate.ts'

/** What members get is theirs: a cache that others share must not keep it, unless the handler says so. */
const CACHE = { name: 'Cache-Control', value: 'private' } as const

/** A fetch handler behind a gate, for `export default { fetch }`, Bun, Deno and Workers. */
export function fetchGate<More extends readonly unknown[]>(
  gate: Gate,
  handler: (request: Request, member: Member, ...more: More) => Response | Promise<Response>,
): (request: Request, ...more: More) => Promise<Response> {
  return async (request, ...more) => {
    const checked = await gate.check(request)
    if (checked instanceof Response) return checked
    const answer = await handler(request, checked.member, ...more)
    if (answer.headers.has(CACHE.name)) return answer
    // The headers of what `fetch` has answered cannot be changed.
    const copy = new Response(answer.body, answer)
    copy.headers.set(CACHE.name, CACHE.value)
    return copy
  }
}

/** What the gate uses of Hono's context. */
interface HonoContext {
  readonly req: { readonly raw: Request }
  readonly res: Response
  set(name: 'member', member: Member): void
  header(name: string, value: string): void
}

/** A middleware for Hono. The member is `context.get('member')`. */
export function honoGate(gate: Gate) {
  return async (context: HonoContext, next: () => Promise<void>): Promise<Response | undefined> => {
    const checked = await gate.check(context.req.raw)
    if (checked instanceof Response) return checked
    context.set('member', checked.member)
    await next()
    if (!context.res.headers.has(CACHE.name)) context.header(CACHE.name, CACHE.value)
    return undefined
  }
}

/** What the gate uses of a request and a response of Express. */
interface ExpressRequest {
  readonly originalUrl: string
  get(name: string): string | undefined
}
interface ExpressResponse {
  readonly locals: Record<string, unknown>
  status(code: number): ExpressResponse
  setHeader(name: string, value: string): unknown
  send(body: string): unknown
}

/** A middleware for Express, 4 or 5. The member is `response.locals.member`. */
export function expressGate(gate: Gate) {
  return async (
    request: ExpressRequest,
    response: ExpressResponse,
    next: (error?: unknown) => void,
  ): Promise<void> => {
    try {
      const headers = { get: (name: string) => request.get(name) ?? null }
      const checked = await gate.check({ url: request.originalUrl, headers })
      if (checked instanceof Response) {
        response.status(checked.status)
        for (const [name, value] of checked.headers) response.setHeader(name, value)
        response.send(await checked.text())
        return
      }
      response.locals.member = checked.member
      response.setHeader(CACHE.name, CACHE.value)
    } catch (error) {
      // Express 4 does not hear of a promise that is rejected.
      next(error)
      return
    }
    next()
  }
}
