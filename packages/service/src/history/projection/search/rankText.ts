import { isBeginning } from './searchWords.ts'

/** What a word is worth, by where it stands and whether it stands there as a whole. */
const WORTH = { name: { whole: 4, beginning: 2 }, text: { whole: 3, beginning: 1 } } as const

/** Words that stand together as they were asked for. */
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
export function hasWord(words: readonly string[], asked: string): boolean {
  const begins = isBeginning(asked)
  return words.some((word) => (begins ? word.startsWith(asked) : word === asked))
}

function hasTogether(words: readonly string[], asked: readonly string[]): boolean {
  return words.some((_, at) => asked.every((word, index) => words[at + index] === word))
}
