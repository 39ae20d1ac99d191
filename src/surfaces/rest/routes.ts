import type { RestRoute } from '../../core/declaration.ts'
import type { Operation } from '../../core/operation.ts'
import type { Audience } from '../../core/ports/access.ts'
import type { CatalogRoute } from '../../core/ports/service.ts'

/** One path with every operation that answers on it. */
export interface RoutePath {
  readonly path: string
  readonly operations: readonly (Operation & { rest: RestRoute })[]
  /** For the Allow header: HEAD comes with GET. */
  readonly allowed: readonly string[]
}

/** What a document answers. */
export const DOCUMENT_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/** The paths of the list, the ones with fixed words before the ones whose parameters would swallow them. */
export function routePaths(operations: readonly Operation[]): RoutePath[] {
  const byPath = new Map<string, (Operation & { rest: RestRoute })[]>()
  for (const operation of operations) {
    if (!hasRoute(operation)) continue
    const { path } = operation.rest
    byPath.set(path, [...(byPath.get(path) ?? []), operation])
  }
  return [...byPath]
    .map(([path, served]) => ({ path, operations: served, allowed: allowedMethods(served) }))
    .sort((a, b) => compareSegments(a.path, b.path))
}

/** Where the path is served: on every host with the prefix and without it. */
export function servedAt(path: string): string[] {
  return path === '/' ? ['/', '/api', '/api/'] : [path, `/api${path}`]
}

/** Tells whom a path is for, before it is known whether there is anything: all below an operators' path is theirs. */
export function createAudiences(operations: readonly Operation[]): (path: string) => Audience {
  const of = (audience: Audience) =>
    operations.flatMap((operation) =>
      operation.audience === audience && operation.rest ? [operation.rest.path] : [],
    )
  const anyones = new Set(of('anyone'))
  const operatorsRoots = of('operators').filter((path) => !path.includes(':'))
  return (path) => {
    const bare = path.replace(/^\/api(?=\/)/, '')
    if (anyones.has(bare)) return 'anyone'
    return operatorsRoots.some((root) => bare === root || bare.startsWith(`${root}/`))
      ? 'operators'
      : 'callers'
  }
}

/** The manifest's rows: the routes of the list, in its order, with the prefix that every host serves. */
export function catalogRoutes(operations: readonly Operation[]): CatalogRoute[] {
  return operations.flatMap(({ rest, summary }) =>
    rest === null
      ? []
      : [
          {
            method: rest.method,
            path: rest.path === '/' ? '/api' : `/api${rest.path}`,
            description: summary,
          },
        ],
  )
}

function hasRoute(operation: Operation): operation is Operation & { rest: RestRoute } {
  return operation.rest !== null
}

function allowedMethods(operations: readonly { rest: RestRoute }[]): string[] {
  const methods = operations.map(({ rest }) => rest.method)
  return [...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS']
}

function compareSegments(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')]
  for (const [index, segment] of left.entries()) {
    const other = right[index]
    if (other === undefined) return 1
    const difference = Number(segment.startsWith(':')) - Number(other.startsWith(':'))
    if (difference !== 0) return difference
  }
  return left.length - right.length
}
