// The words of the full-text search. A row of `search_texts` holds two kinds: those of a text, which `searchWords` makes alike for
// what is stored and for what is asked; and markers, which begin with "=" as no word of a text does, and by which a search is
// narrowed to a chain, a provider, a token.

/** Scripts that are written without spaces between words. Each of their characters counts as a word. */
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

/** Limits on texts, which anybody may write: longer words are cut, further words are dropped. */
const MOST_LETTERS = 64
const MOST_WORDS = 120

/**
 * The words of a text, as they are stored and as they are searched for: without case and accents, of letters and digits alone.
 * So none of them can hold the syntax of a database's search language.
 */
export function searchWords(text: string): string[] {
  const plain = text
    // Invisible characters, such as soft hyphens.
    .replaceAll(/\p{Cf}/gu, '')
    // Upper case first: ß and ss become one, and so do the two small sigmas.
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    // Accents. Vowel signs of scripts that need them belong to their script, and stay.
    .replaceAll(/\p{sc=Inherited}/gu, '')
    .replaceAll(OTHER_LETTERS, (letter) => TYPED_AS[letter] ?? letter)
  const words = plain.match(WORD) ?? []
  return words.slice(0, MOST_WORDS).map((word) => [...word].slice(0, MOST_LETTERS).join(''))
}

/** By what of a subscription a search may be narrowed. Each has a marker word. */
export interface SearchedTerms {
  readonly provider: string | undefined
  readonly token: string | undefined
  readonly frequency: number | undefined
}

/** The marker of a chain's subscriptions that are cancelled (x), or of those that are live (l). */
export function liveWord(chainId: number, isCancelled: boolean): string {
  return `=${chainId}${isCancelled ? 'x' : 'l'}`
}

/** The marker of the rows that hold the names of a chain's providers. */
export function nameWord(chainId: number): string {
  return `=${chainId}n`
}

/** A marker for each of these terms that is given. */
export function termWords({ provider, token, frequency }: Partial<SearchedTerms>): string[] {
  return [
    ...(provider === undefined ? [] : [`=p${provider.toLowerCase()}`]),
    ...(token === undefined ? [] : [`=t${token.toLowerCase()}`]),
    ...(frequency === undefined ? [] : [`=f${frequency}`]),
  ]
}

/** Of a row's words, those that come from a text, in its order. */
export function textWords(stored: string): string[] {
  return stored.split(' ').filter((word) => word !== '' && !word.startsWith('='))
}

/** Too many words begin with fewer letters. */
const LEAST_OF_BEGINNING = 3

/** Whether a search for this word also finds longer words that begin with it. */
export function findsLonger(word: string): boolean {
  return [...word].length >= LEAST_OF_BEGINNING
}
