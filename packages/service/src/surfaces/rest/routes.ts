import type { Audience } from '@remit/engine/declare/access'
import type { RestRoute } from '@remit/engine/declare/operation'
import type { Operation } from '../../calls/serviceOperation.ts'
import type { CatalogRoute } from '../../ports/service.ts'

/** What is known of a route before anything is known of its answers. */
type Routed = Pick<Operation, 'rest' | 'effect' | 'isSecret'>

interface RoutePath<Of> {
  readonly path: string
  readonly operations: readonly (Of & { rest: RestRoute })[]
  /** For the Allow header: HEAD comes with GET. */
  readonly allowed: readonly string[]
}

/**
 * The routes of an operation. A POST that changes nothing is served by GET too, with its input in the query, for callers that
 * can only open links. Not where it answers a secret: URLs are logged.
 */
export function routesOf({ rest, effect, isSecret }: Routed): readonly RestRoute[] {
  if (rest === null) return []
  return rest.method === 'POST' && effect !== 'manage' && !isSecret
    ? [rest, { ...rest, method: 'GET' }]
    : [rest]
}

export const DOCUMENT_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/** All paths. Fixed words come before parameters, which would match them too. */
export function routePaths<Of extends Routed>(operations: readonly Of[]): RoutePath<Of>[] {
  const byPath = new Map<string, (Of & { rest: RestRoute })[]>()
  for (const operation of operations) {
    if (!hasRoute(operation)) continue
    const { path } = operation.rest
    byPath.set(path, [...(byPath.get(path) ?? []), operation])
  }
  return [...byPath]
    .map(([path, served]) => ({ path, operations: served, allowed: allowedMethods(served) }))
    .sort((a, b) => compareSegments(a.path, b.path))
}

/** Every path is served with and without the `/api` prefix. */
export function servedAt(path: string): string[] {
  return path === '/' ? ['/', '/api', '/api/'] : [path, `/api${path}`]
}

/**
 * Tells who may use a path, before the route is known. Paths for everybody are exact. Everything below a path of the other
 * audiences is for them, also where nothing is served there.
 */
export function createAudiences(
  operations: readonly Operation[],
): (method: string, path: string) => Audience {
  const routesFor = (audience: Audience) =>
    operations.flatMap((operation) =>
      operation.audience === audience && operation.rest ? [operation.rest] : [],
    )
  const pathsOf = (audience: Audience) => routesFor(audience).map(({ path }) => path)
  const exact = (['anyone', 'guests', 'signers'] as const).map((audience) => ({
    audience,
    paths: new Set(pathsOf(audience)),
  }))
  const newcomers = new Set(routesFor('newcomers').map(({ method, path }) => `${method} ${path}`))
  const roots = [
    ...(['operators', 'developers', 'wallets', 'visitors'] as const).flatMap((audience) =>
      pathsOf(audience).map((path) => ({ audience, path })),
    ),
    // By any other method than the newcomers' own, their paths are those of visitors.
    ...pathsOf('newcomers').map((path) => ({ audience: 'visitors' as const, path })),
  ].filter(({ path }) => !path.includes(':'))
  return (method, path) => {
    const bare = path === '/api' ? '/' : path.replace(/^\/api(?=\/)/, '')
    const open = exact.find(({ paths }) => paths.has(bare))
    if (open !== undefined) return open.audience
    if (newcomers.has(`${method} ${bare}`)) return 'newcomers'
    const root = roots.find(({ path: at }) => bare === at || bare.startsWith(`${at}/`))
    return root?.audience ?? 'callers'
  }
}

/** The rows of the catalog's manifest, in the order of the list, with the `/api` prefix. */
export function catalogRoutes(operations: readonly Operation[]): CatalogRoute[] {
  return operations.flatMap((operation) =>
    routesOf(operation).map(({ method, path }) => ({
      method,
      path: path === '/' ? '/api' : `/api${path}`,
      description: operation.summary,
    })),
  )
}

function hasRoute<Of extends Routed>(operation: Of): operation is Of & { rest: RestRoute } {
  return operation.rest !== null
}

function allowedMethods(operations: readonly Routed[]): string[] {
  const methods = operations.flatMap((operation) => routesOf(operation).map(({ method }) => method))
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
