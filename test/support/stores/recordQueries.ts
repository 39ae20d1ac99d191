import type { Store } from '@remit/service/testing/store/openStore'
import { CompiledQuery, type KyselyPlugin } from 'kysely'

/** A query with the database's plan for it, a line each. */
export interface QueryPlan {
  readonly sql: string
  readonly plan: string
}

interface ExplainOptions {
  /** As on a table of any size: Postgres walks small ones, though an index serves. Default: as on this table. */
  readonly atAnySize?: boolean
}

interface Recording {
  readonly store: Store
  explain(options?: ExplainOptions): Promise<QueryPlan[]>
}

/** A store that takes down all that is asked of it, so that the database can be asked how it does that. */
export function recordQueries(store: Store): Recording {
  const asked: Parameters<KyselyPlugin['transformQuery']>[0][] = []
  const recorder: KyselyPlugin = {
    transformQuery(args) {
      asked.push(args)
      return args.node
    },
    transformResult: async ({ result }) => result,
  }
  const recording: Store = {
    ...store,
    db: store.db.withPlugin(recorder),
    snapshot: (use) => store.snapshot((db) => use(db.withPlugin(recorder))),
    transaction: (use) => store.transaction((db) => use(db.withPlugin(recorder))),
    longTransaction: (use) => store.longTransaction((db) => use(db.withPlugin(recorder))),
  }
  return {
    store: recording,
    async explain({ atAnySize = false } = {}) {
      const word = store.kind === 'sqlite' ? 'explain query plan' : 'explain'
      const plans: QueryPlan[] = []
      for (const { node, queryId } of asked) {
        const { sql, parameters } = store.db.getExecutor().compileQuery(node, queryId)
        if (sql.startsWith('set ')) continue
        const query = CompiledQuery.raw(`${word} ${sql}`, [...parameters])
        const { rows } = await (atAnySize && store.kind === 'postgres'
          ? store.transaction(async (db) => {
              await db.executeQuery(CompiledQuery.raw('set local enable_seqscan = off'))
              return db.executeQuery<Record<string, unknown>>(query)
            })
          : store.db.executeQuery<Record<string, unknown>>(query))
        const lines = rows.map((row) => String(row.detail ?? row['QUERY PLAN']))
        plans.push({ sql, plan: lines.join('\n') })
      }
      return plans
    },
  }
}
