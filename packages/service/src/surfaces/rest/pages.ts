import type { WireError } from '@remit/engine/errors/toWire'
import { negotiate } from '../http/accept.ts'
import { HTML_TYPE, JSON_TYPE } from './reply.ts'

interface PageCall {
  /** The declared path, such as `/plans/:id`. */
  readonly path: string
  readonly parameters: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly chainId: number
  readonly requestId: string
  readonly asked: Headers
  /** The headers of every answer to this caller. */
  readonly shared: Readonly<Record<string, string>>
}

/** Pages for people, with their data. They have paths of their own, and `/` where a browser asks. */
export interface Pages {
  readonly paths: readonly string[]
  answer(call: PageCall): Promise<Response>
  /** What a page's visitor is told where the page is refused. */
  refusal(error: WireError, shared: Readonly<Record<string, string>>): Response
}

/** Whether a page answers a request. A path that an operation answers too has JSON for programs. */
export function createPageRule(paths: readonly string[], isOperation: (path: string) => boolean) {
  const rules = paths.map((path) => ({
    pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
    isShared: isOperation(path),
  }))
  return (request: Request): boolean => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false
    const { pathname } = new URL(request.url)
    const rule = rules.find(({ pattern }) => pattern.test(pathname))
    return rule !== undefined && (!rule.isShared || wantsHtml(request.headers))
  }
}

/** As browsers do, and programs do not. */
function wantsHtml(headers: Headers): boolean {
  return negotiate(headers.get('accept'), [JSON_TYPE, HTML_TYPE]) === HTML_TYPE
}
