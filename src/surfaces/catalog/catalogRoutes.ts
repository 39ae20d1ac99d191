import type { Operation } from '../../core/operation.ts'
import type { CatalogRoute } from '../../core/ports/service.ts'

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
