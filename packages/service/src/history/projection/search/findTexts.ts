import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { SubscriptionsTable } from '../../../store/indexTables.ts'
import type { Queries } from '../../../store/openStore.ts'
import { storeKindOf } from '../../../store/storeKind.ts'
import { inChunks } from '../columns.ts'
import { findsLonger, liveWord, nameWord, type SearchedTerms, termWords, textWords } from './searchWords.ts'

/** Words, and the terms that narrow the search. */
interface TextQuery extends SearchedTerms {
  /** As `searchWords` gives them. */
  readonly words: readonly string[]
  readonly cancelled: boolean
}

/** A subscription whose words were found, with those of its texts. */
type FoundText = Selectable<SubscriptionsTable> & {
  readonly text: readonly string[]
  /** Of its provider's name, if a word was found there. */
  readonly name: readonly string[]
}

// The full-text search among plans, which are subscriptions as their providers offer them: which have the words (`findTexts`), and how
// well each fits (`rankText`).
// `search_texts` has a row for each subscription (its description) and each provider (its name, namely the company of its profile).
// Beside the words of the text, the row of a subscription has marker words for its terms, which begin with "=" (`searchWords.ts`): of its
// provider, token and so on. So one full-text condition finds words and terms.

/** So many matches are ranked for one answer. */
const MOST_FOUND = 1_000
/** So many names are looked at for one answer, each of a provider with a plan that fits the terms. */
const MOST_NAMES = 10_000
/** So many rows are looked at one by one where too many match. */
const MOST_SCANNED = 10_000

/**
 * The subscriptions in which every word is found: in the description, or in the provider's name. Of very many the newest MOST_FOUND.
 * First the descriptions with all words are found. If there are too many of them, only the newest rows are looked through for names
 * (`amongNewest`); otherwise the names are searched too (`withNames`).
 * @returns `isCut` if there may be more
 */
export async function findTexts(
  db: Queries,
  chainId: number,
  query: TextQuery,
): Promise<{ readonly rows: readonly FoundText[]; readonly isCut: boolean }> {
  if (query.words.length === 0) return { rows: [], isCut: false }
  const search: TextSearch = {
    db,
    chainId,
    query,
    terms: [liveWord(chainId, query.cancelled), ...termWords(query)],
  }
  const texts = await matching(search, wordGroups(query.words), { limit: MOST_FOUND + 1 })
  const found = await (texts.length > MOST_FOUND ? amongNewest : withNames)(search, texts)
  const newest = [...found.rows.values()].sort((a, b) => b.number - a.number)
  const rows = await subscriptionsOf(db, chainId, newest.slice(0, MOST_FOUND))
  return {
    rows: rows.map((row) => {
      const { words = '' } = found.rows.get(row.id) ?? {}
      return { ...row, text: textWords(words), name: found.names.get(row.provider) ?? [] }
    }),
    isCut: found.isCut || newest.length > MOST_FOUND,
  }
}

interface TextSearch {
  readonly db: Queries
  readonly chainId: number
  readonly query: TextQuery
  /** The marker words that a row must have. */
  readonly terms: readonly string[]
}

type Names = ReadonlyMap<string, readonly string[]>

interface Found {
  /** Rows of `search_texts`, by subject. */
  readonly rows: ReadonlyMap<string, Matching>
  /** The words of providers' names, by address. */
  readonly names: Names
  readonly isCut: boolean
}

/**
 * Where more texts match than are ranked: of the rows as new as these, adds those whose words are partly in the provider's name. Looks
 * through MOST_SCANNED rows, newest first.
 */
async function amongNewest(search: TextSearch, texts: readonly Matching[]): Promise<Found> {
  const { db, chainId, query, terms } = search
  const scanned = await db
    .selectFrom('search_texts')
    .select(['number', 'subject', 'words'])
    .where('chain_id', '=', chainId)
    .where('number', '>=', texts.at(-1)?.number ?? 0)
    .orderBy('number', 'desc')
    .limit(MOST_SCANNED)
    .execute()
  const plans = scanned.flatMap((row) => {
    const words = row.words.split(' ')
    const provider = words.find((word) => word.startsWith('=p'))?.slice(2)
    const isFitting = provider !== undefined && terms.every((term) => words.includes(term))
    return isFitting ? [{ row, words, provider }] : []
  })
  const names = new Map<string, readonly string[]>()
  await inChunks([...new Set(plans.map(({ provider }) => provider))], async (providers) => {
    const asked = db.selectFrom('search_texts').select(['subject', 'words']).where('chain_id', '=', chainId)
    const rows = await asked.where('subject', 'in', providers).execute()
    for (const { subject, words } of rows) names.set(subject, textWords(words))
  })
  const rows = new Map(texts.map((row) => [row.subject, row]))
  for (const { row, words, provider } of plans) {
    const name = names.get(provider) ?? []
    if (query.words.every((word) => hasWord(words, word) || hasWord(name, word))) rows.set(row.subject, row)
  }
  return { rows, names, isCut: true }
}

/** Where few texts match: adds those whose provider's name has the words that the text lacks. */
async function withNames(search: TextSearch, texts: readonly Matching[]): Promise<Found> {
  const { words } = search.query
  const found = await matchingNames(search)
  const names: Names = new Map(found.map(({ subject, words }) => [subject, textWords(words)]))
  const rows = new Map(texts.map((row) => [row.subject, row]))
  // In groups of providers: a plan has one provider, so all plans that the names of a group complete are found with that group.
  await inChunks([...names.keys()].slice(0, MOST_NAMES), async (group) => {
    const providers = group.flatMap((provider) => termWords({ provider }))
    const named = wordGroups(words, (word) =>
      group.flatMap((provider) => (hasWord(names.get(provider) ?? [], word) ? termWords({ provider }) : [])),
    )
    // Rows older than the newest that can be ranked would be dropped anyway.
    const oldest = [...rows.values()].map(({ number }) => number).sort((a, b) => b - a)[MOST_FOUND] ?? 0
    const wanted = { limit: MOST_FOUND + 1, above: oldest }
    for (const row of await matching(search, [...named, providers], wanted)) {
      rows.set(row.subject, row)
    }
  })
  return { rows, names, isCut: found.length > MOST_NAMES }
}

/** The names that have any of the words, of providers with a plan that fits the terms: only these can complete a plan. */
function matchingNames({ db, chainId, query }: TextSearch): Promise<readonly Matching[]> {
  const { words, cancelled, provider, token, frequency } = query
  const fitting = [
    sql`p.chain_id = ${chainId} and p.cancelled = ${cancelled ? 1 : 0} and p.provider = t.subject`,
    ...(provider === undefined ? [] : [sql`p.provider = ${provider.toLowerCase()}`]),
    ...(token === undefined ? [] : [sql`p.token = ${token.toLowerCase()}`]),
    ...(frequency === undefined ? [] : [sql`p.frequency = ${frequency}`]),
  ]
  const hasPlan = sql`exists (select 1 from subscriptions as p where ${sql.join(fitting, sql` and `)})`
  const limit = MOST_NAMES + 1
  return matching({ db, terms: [nameWord(chainId)] }, [words], { limit, only: hasPlan })
}

/** The subscriptions of these rows, in the order of the rows. */
async function subscriptionsOf(db: Queries, chainId: number, texts: readonly Matching[]) {
  const found = new Map<string, Selectable<SubscriptionsTable>>()
  const subjects = texts.map(({ subject }) => subject)
  await inChunks(subjects, async (ids) => {
    const rows = db.selectFrom('subscriptions').selectAll().where('chain_id', '=', chainId)
    for (const row of await rows.where('id', 'in', ids).execute()) found.set(row.id, row)
  })
  return texts.flatMap(({ subject }) => found.get(subject) ?? [])
}

/** A group of alternatives for each word: the word itself, and the markers of providers whose name has it. */
function wordGroups(
  words: readonly string[],
  others: (word: string) => readonly string[] = () => [],
): readonly (readonly string[])[] {
  return words.map((word) => [word, ...others(word)])
}

/** A row of `search_texts`. The newer its subscription, the higher its number. */
interface Matching {
  readonly number: number
  /** A subscription's id, or a provider's address. */
  readonly subject: string
  /** All words, markers too, with spaces between. */
  readonly words: string
}

interface Wanted {
  readonly limit: number
  /** Only rows with higher numbers. */
  readonly above?: number
  /** A further condition in SQL on the rows, which are named `t`. */
  readonly only?: RawBuilder<unknown>
}

/**
 * The rows that have all terms and a word of each of these groups, newest first: by SQLite's FTS5, or by a tsquery of Postgres.
 * @param match groups of words. None has anything but letters, digits and "=", so none can be syntax
 */
async function matching(
  { db, terms }: Pick<TextSearch, 'db' | 'terms'>,
  match: readonly (readonly string[])[],
  { limit, above = 0, only = sql`true` }: Wanted,
): Promise<readonly Matching[]> {
  const isSqlite = storeKindOf(db) === 'sqlite'
  const [mark, beginning, or, and] = isSqlite ? ['"', '*', ' OR ', ' AND '] : ["'", ':*', ' | ', ' & ']
  const term = (word: string) => `${mark}${word}${mark}${matchesBeginning(word) ? beginning : ''}`
  const groups = [...match, ...terms.map((word) => [word])]
  const text = groups.map((words) => `(${words.map(term).join(or)})`).join(and)
  const found = isSqlite
    ? sql<Matching>`select t.number, t.subject, t.words from search_words
        join search_texts as t on t.number = search_words.rowid
        where search_words match ${text} and search_words.rowid > ${above} and ${only} order by search_words.rowid desc limit ${limit}`
    : sql<Matching>`select t.number, t.subject, t.words from search_texts as t
        where t.lexemes @@ ${text}::tsquery and t.number > ${above} and ${only} order by t.number desc limit ${limit}`
  return (await found.execute(db)).rows
}

function matchesBeginning(word: string): boolean {
  return !word.startsWith('=') && findsLonger(word)
}

/** The words of one subscription's texts, whether a search finds it or not: the row that a cursor names is ranked by them. */
export async function textOf(
  db: Queries,
  chainId: number,
  { id, provider }: Pick<FoundText, 'id' | 'provider'>,
): Promise<Pick<FoundText, 'text' | 'name'>> {
  const rows = await db
    .selectFrom('search_texts')
    .select(['subject', 'words'])
    .where('chain_id', '=', chainId)
    .where('subject', 'in', [id, provider])
    .execute()
  const wordsOf = (asked: string) => textWords(rows.find(({ subject }) => subject === asked)?.words ?? '')
  return { text: wordsOf(id), name: wordsOf(provider) }
}

/** What a word adds to the rank, by where it stands and whether it stands there as a whole. */
const WORTH = { name: { whole: 4, beginning: 2 }, text: { whole: 3, beginning: 1 } } as const

/** What is added where all words stand together, in the order in which they were asked for. */
const TOGETHER = 2

/**
 * How well a plan fits the words that are asked for. It depends on the plan's own texts alone, so that rows keep their
 * places while other plans come and go.
 * @param texts the words of its description, and of its provider's name
 */
export function rankText(
  asked: readonly string[],
  texts: { readonly text: readonly string[]; readonly name: readonly string[] },
): number {
  const worth = asked.reduce((sum, word) => {
    const places = (['name', 'text'] as const).map((place) => worthIn(word, texts[place], WORTH[place]))
    return sum + Math.max(...places)
  }, 0)
  const isTogether = asked.length > 1 && [texts.text, texts.name].some((words) => hasTogether(words, asked))
  return isTogether ? worth + TOGETHER : worth
}

function worthIn(
  word: string,
  words: readonly string[],
  worth: { whole: number; beginning: number },
): number {
  if (words.includes(word)) return worth.whole
  return hasWord(words, word) ? worth.beginning : 0
}

/** Whether a word, or the beginning of one, is among these. */
function hasWord(words: readonly string[], asked: string): boolean {
  const begins = findsLonger(asked)
  return words.some((word) => (begins ? word.startsWith(asked) : word === asked))
}

function hasTogether(words: readonly string[], asked: readonly string[]): boolean {
  return words.some((_, at) => asked.every((word, index) => words[at + index] === word))
}
