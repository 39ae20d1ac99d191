import { sql, type Transaction } from 'kysely'
import type { Tables } from '../../../store/tables.ts'
import { inChunks } from '../columns.ts'

/** Scripts that are written without spaces between words. Each of their characters is a word. */
const UNSPACED =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}'
const WORD = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, 'gu')

/** Letters that are no base letter with a mark, but are typed as other letters where a keyboard lacks them. */
const TYPED_AS: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ς: 'σ',
}
const OTHER_LETTERS = new RegExp(`[${Object.keys(TYPED_AS).join('')}]`, 'gu')

/** Strangers may write a text without a space, or one of words alone. */
const MOST_LETTERS = 64
/** A description of 64 letters a word is 7,680 letters at most in the search's index, for each subscription. */
const MOST_WORDS = 120

/**
 * The words of a text, as they are stored and searched: without case and accents, of letters and digits alone. What marks
 * a syntax in a query language is therefore never part of them.
 */
export function searchWords(text: string): string[] {
  const plain = text
    .replaceAll(/\p{Cf}/gu, '')
    // Up and down: ß and ss become one, and so do the two small sigmas.
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    // Accents. Vowel signs of scripts that need them belong to their script, and stay.
    .replaceAll(/\p{sc=Inherited}/gu, '')
    .replaceAll(OTHER_LETTERS, (letter) => TYPED_AS[letter] ?? letter)
  const words = plain.match(WORD) ?? []
  return words.slice(0, MOST_WORDS).map((word) => [...word].slice(0, MOST_LETTERS).join(''))
}

/** What of a subscription is filtered by, as words that no text has. */
export interface SearchedTerms {
  readonly provider: string | undefined
  readonly token: string | undefined
  readonly frequency: number | undefined
}

/** The word of a chain's subscriptions that are cancelled, or are not. */
export function liveWord(chainId: number, isCancelled: boolean): string {
  return `=${chainId}${isCancelled ? 'x' : 'l'}`
}

/** The word of the names of a chain's providers. */
export function nameWord(chainId: number): string {
  return `=${chainId}n`
}

/** A word for each of these terms that is given. */
export function termWords({ provider, token, frequency }: Partial<SearchedTerms>): string[] {
  return [
    ...(provider === undefined ? [] : [`=p${provider.toLowerCase()}`]),
    ...(token === undefined ? [] : [`=t${token.toLowerCase()}`]),
    ...(frequency === undefined ? [] : [`=f${frequency}`]),
  ]
}

/** The stored words that come from a text, in its order. */
export function textWords(stored: string): string[] {
  return stored.split(' ').filter((word) => word !== '' && !word.startsWith('='))
}

/** Fewer letters are too many words' beginning. */
const LEAST_OF_BEGINNING = 3

/** Whether a longer word that begins with this one is found too. */
export function isBeginning(word: string): boolean {
  return [...word].length >= LEAST_OF_BEGINNING
}

type Db = Transaction<Tables>

/** Whose texts, or whatever else is searched by, have changed: ids of subscriptions and addresses of providers. */
interface ChangedTexts {
  readonly subscriptions: readonly string[]
  readonly providers: readonly string[]
}

/**
 * Writes the words by which subscriptions and providers are found, from the rows that stand. What stands no more is found
 * no more.
 *
 * A provider's name has a row of its own, so that a new name is one row however many plans the provider has. Besides the
 * words of a text, a row has marker words, which begin with "=": a search narrows by them what it finds.
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
