import type { WireError } from '@remit/engine/errors/toWire'
import type { ServedDocument } from '../../calls/servedDocument.ts'
import { negotiate } from '../http/Representation.ts'
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

/** Pages for people, with their data. They have paths of their own, or share one with an operation where a browser asks. */
export interface Pages {
  /** Where they are served, and what a visit takes from limits, as for other documents. */
  readonly documents: readonly Pick<ServedDocument, 'name' | 'path' | 'metering' | 'whileDisabled'>[]
  answer(call: PageCall): Promise<Response>
  /**
   * The page that tells a visitor why they are refused.
   * @param path the declared path of the page; `undefined` where they asked for none
   */
  refusal(error: WireError, path: string | undefined, shared: Readonly<Record<string, string>>): Response
}

/**
 * Tells pages from what programs ask for. A path that an operation answers too has JSON for programs.
 * @param operationPaths every path at which an operation answers
 */
export function createPageRule(paths: readonly string[], operationPaths: readonly string[]) {
  const rules = paths.map((path) => ({
    path,
    pattern: patternOf(path),
    isShared: operationPaths.includes(path),
  }))
  const operations = operationPaths.map(patternOf)
  return {
    /** The declared path of the page that answers a request. */
    pageAt(request: Request): string | undefined {
      if (!isRead(request)) return undefined
      const { pathname } = new URL(request.url)
      const rule = rules.find(({ pattern }) => pattern.test(pathname))
      return rule === undefined || (rule.isShared && !wantsHtml(request.headers)) ? undefined : rule.path
    },
    /** Whether a browser asks for what no operation answers: a mistyped address, say. An operation's errors are JSON. */
    isVisit(request: Request): boolean {
      const { pathname } = new URL(request.url)
      return (
        isRead(request) && wantsHtml(request.headers) && !operations.some((pattern) => pattern.test(pathname))
      )
    },
  }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`)
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Whether the Accept header prefers HTML, as browsers do and programs do not. */
function wantsHtml(headers: Headers): boolean {
  return negotiate(headers.get('accept'), [JSON_TYPE, HTML_TYPE]) === HTML_TYPE
}
