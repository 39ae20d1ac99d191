import { sql, type Transaction } from 'kysely'
import type { Tables } from '../../../store/tables.ts'
import { inChunks } from '../inChunks.ts'
import type { StepRows } from '../step/stepRows.ts'

/** A wallet that publishes a profile in every block is still looked up only once in so many seconds. */
const LEAST_BETWEEN = 60

type Db = Transaction<Tables>
type Named = readonly { readonly provider: string }[]

/** Has those looked up who have published a profile or their first plan. */
export async function queueLookups(
  db: Db,
  chainId: number,
  { profileLogs, subscriptions }: Pick<StepRows, 'profileLogs' | 'subscriptions'>,
): Promise<void> {
  await inChunks(unique(subscriptions), (chunk) => insertDue(db, chainId, chunk))
  const changed = unique(profileLogs)
  await inChunks(changed, (chunk) => insertDue(db, chainId, chunk))
  await inChunks(changed, (chunk) =>
    db
      .updateTable('provider_checks')
      .set({ tries: 0, due_at: sql<number>`coalesce(checked_at + ${LEAST_BETWEEN}, 0)` })
      .where('chain_id', '=', chainId)
      .where('provider', 'in', chunk)
      .execute(),
  )
}

/** Has those looked up anew whose profiles or plans a rollback has deleted, or forgets them where nothing is left. */
export async function deriveProviders(db: Db, chainId: number, lost: Named): Promise<void> {
  await inChunks(unique(lost), async (chunk) => {
    await db
      .deleteFrom('provider_checks')
      .where('chain_id', '=', chainId)
      .where('provider', 'in', chunk)
      .execute()
    const left: string[] = []
    for (const provider of chunk) {
      // One by one, so that the database takes its index by provider.
      const { rows } = await sql`select 1 where
        exists (select 1 from profile_logs where chain_id = ${chainId} and provider = ${provider})
        or exists (select 1 from subscriptions where chain_id = ${chainId} and provider = ${provider}
          and cancelled in (0, 1))`.execute(db)
      if (rows.length > 0) left.push(provider)
    }
    await inChunks(left, (some) => insertDue(db, chainId, some))
  })
}

function insertDue(db: Db, chainId: number, providers: readonly string[]) {
  return db
    .insertInto('provider_checks')
    .values(providers.map((provider) => ({ chain_id: chainId, provider, due_at: 0, tries: 0 })))
    .onConflict((row) => row.doNothing())
    .execute()
}

function unique(rows: Named): string[] {
  return [...new Set(rows.map(({ provider }) => provider))]
}
