import { sql, type Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

// The words of texts, as the release of this schema wrote them: what writes them today may change, and a migration may not.

const MOST_ROWS = 250
const UNSPACED =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}'
const WORD = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, 'gu')
const TYPED_AS: Readonly<Record<string, string>> = {
  ...{ ł: 'l', ø: 'o', đ: 'd', ð: 'd', æ: 'ae', œ: 'oe', þ: 'th', ς: 'σ' },
}
const OTHER_LETTERS = new RegExp(`[${Object.keys(TYPED_AS).join('')}]`, 'gu')

function wordsOf(text: string): string[] {
  const plain = text
    .replaceAll(/\p{Cf}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{sc=Inherited}/gu, '')
    .replaceAll(OTHER_LETTERS, (letter) => TYPED_AS[letter] ?? letter)
  const words = plain.match(WORD) ?? []
  return words.slice(0, 120).map((word) => [...word].slice(0, 64).join(''))
}

/** Writes the texts of what a chain's index has: of subscriptions in the order of their creation, then of providers. */
export async function fillTexts(db: Transaction<Tables>, chainId: number): Promise<void> {
  const { rows: subscriptions } = await sql<{
    id: string
    provider: string
    token: string
    frequency: number
    cancelled: number
    description: string | null
  }>`
    select s.id, s.provider, s.token, s.frequency, s.cancelled, (select d.description from details_logs as d
      where d.chain_id = s.chain_id and d.subscription_id = s.id and d.provider = s.provider
      order by d.block_number desc, d.log_index desc limit 1) as description
    from subscriptions as s where s.chain_id = ${chainId}
    order by s.created_block, s.created_log_index`.execute(db)
  const { rows: providers } = await sql<{ provider: string; company: string }>`
    select provider, company from profile_logs as l where l.chain_id = ${chainId}
      and not exists (select 1 from profile_logs as later where later.chain_id = l.chain_id
        and later.provider = l.provider
        and (later.block_number, later.log_index) > (l.block_number, l.log_index))`.execute(db)
  const texts = subscriptions.map(({ id, provider, token, frequency, cancelled, description }) => ({
    subject: id,
    words: [
      ...wordsOf(description ?? ''),
      `=${chainId}${cancelled === 1 ? 'x' : 'l'}`,
      ...[`=p${provider.toLowerCase()}`, `=t${token.toLowerCase()}`, `=f${frequency}`],
    ],
  }))
  for (const { provider, company } of providers) {
    const words = wordsOf(company)
    if (words.length > 0) texts.push({ subject: provider, words: [...words, `=${chainId}n`] })
  }
  for (let start = 0; start < texts.length; start += MOST_ROWS) {
    const rows = texts.slice(start, start + MOST_ROWS).map(({ subject, words }) => {
      return sql`(${chainId}, ${subject}, ${words.join(' ')})`
    })
    await sql`insert into search_texts (chain_id, subject, words) values ${sql.join(rows)}`.execute(db)
  }
}
