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
