import type { Transaction } from 'kysely'
import { StoreError } from '../StoreError.ts'
import type { Tables } from '../tables.ts'

/** Refuses an index whose rows came with a file and were not checked to their end: earlier releases could read such files. */
export async function refuseHalfImports(db: Transaction<Tables>): Promise<void> {
  const half = await db
    .selectFrom('index_chains')
    .select('chain_id')
    .where('source', '=', 'import')
    .executeTakeFirst()
  if (half === undefined) return
  throw new StoreError(
    `The index of chain ${half.chain_id} was being read from a file. Read it anew with the release before this one: npm run index -- --rebuild ${half.chain_id}`,
  )
}
