import { sql, type Transaction } from 'kysely'
import type { Tables } from '../../../store/tables.ts'
import { inChunks } from '../columns.ts'
import { liveWord, nameWord, searchWords, termWords } from './searchWords.ts'

type Db = Transaction<Tables>

/** Ids of subscriptions, and addresses of providers, of which something changed that is searched by. */
interface ChangedTexts {
  readonly subscriptions: readonly string[]
  readonly providers: readonly string[]
}

/**
 * Writes the words by which subscriptions and providers are found into `search_texts`, from the rows that a step or a rollback has
 * left. What has no row any more is found no more.
 *
 * A provider's name has a row of its own, so that a new name changes one row, however many plans the provider has.
 */
export async function writeTexts(db: Db, chainId: number, changed: ChangedTexts): Promise<void> {
  await inChunks([...new Set(changed.subscriptions)], async (ids) => {
    await write(db, chainId, ids, await subscriptionTexts(db, chainId, ids))
  })
  await inChunks([...new Set(changed.providers)], async (providers) => {
    await write(db, chainId, providers, await providerTexts(db, chainId, providers))
  })
}

interface Text {
  /** What is found by the words: the id of a subscription, or the address of a provider for its name. */
  readonly subject: string
  readonly words: string
}

async function subscriptionTexts(db: Db, chainId: number, ids: readonly string[]): Promise<readonly Text[]> {
  const rows = await db
    .selectFrom('subscriptions as s')
    .select(['s.id', 's.provider', 's.token', 's.frequency', 's.cancelled'])
    .select((row) =>
      row
        .selectFrom('details_logs as d')
        .select('d.description')
        .whereRef('d.chain_id', '=', 's.chain_id')
        .whereRef('d.subscription_id', '=', 's.id')
        .whereRef('d.provider', '=', 's.provider')
        .orderBy('d.block_number', 'desc')
        .orderBy('d.log_index', 'desc')
        .limit(1)
        .as('description'),
    )
    .where('s.chain_id', '=', chainId)
    .where('s.id', 'in', ids)
    // New texts are inserted in this order, which numbers their rows. A search takes the highest numbers for the newest
    // subscriptions.
    .orderBy('s.created_block')
    .orderBy('s.created_log_index')
    .execute()
  return rows.map((row) => {
    const terms = [liveWord(chainId, row.cancelled === 1), ...termWords(row)]
    return { subject: row.id, words: [...searchWords(row.description ?? ''), ...terms].join(' ') }
  })
}

async function providerTexts(
  db: Db,
  chainId: number,
  providers: readonly string[],
): Promise<readonly Text[]> {
  const asked = sql.join(providers.map((provider) => sql`(${provider})`))
  // Both databases name the column of a values list column1.
  const { rows } = await sql<{ provider: string; company: string | null }>`
    select column1 as provider, (select company from profile_logs
      where chain_id = ${chainId} and provider = column1
      order by block_number desc, log_index desc limit 1) as company
    from (values ${asked}) as asked`.execute(db)
  return rows.flatMap(({ provider, company }) => {
    const words = searchWords(company ?? '')
    return words.length === 0 ? [] : [{ subject: provider, words: [...words, nameWord(chainId)].join(' ') }]
  })
}

async function write(db: Db, chainId: number, subjects: readonly string[], texts: readonly Text[]) {
  const found = new Set(texts.map(({ subject }) => subject))
  const gone = subjects.filter((subject) => !found.has(subject))
  if (gone.length > 0) {
    await db.deleteFrom('search_texts').where('chain_id', '=', chainId).where('subject', 'in', gone).execute()
  }
  if (texts.length === 0) return
  await db
    .insertInto('search_texts')
    .values(texts.map((text) => ({ chain_id: chainId, ...text })))
    .onConflict((row) =>
      row
        .columns(['chain_id', 'subject'])
        .doUpdateSet((set) => ({ words: set.ref('excluded.words') }))
        .whereRef('search_texts.words', '<>', sql.ref('excluded.words')),
    )
    .execute()
}
