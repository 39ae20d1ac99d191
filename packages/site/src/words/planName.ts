import { type MoneyToken, shortMoneyWords } from './money.ts'
import { periodWord, type Schedule } from './schedule.ts'
import { strangersText } from './strangersText.ts'

/** What names a plan. The texts are strangers' words. */
export interface NamedPlan extends Pick<Schedule, 'frequency'> {
  readonly amount: string
  readonly token: MoneyToken
}

interface PlanTexts {
  readonly description?: string | undefined
  readonly company?: string | undefined
}

// In characters.
/** The longest name in a list, which is read at a glance. */
export const LIST_NAME = 48
/** The longest name in a heading: mostly a whole sentence, which is not said again below it. */
export const HEADING = 140
/** The shortest sentence that can be a name: "Hi!" is none. */
const LEAST = 8

/**
 * What a plan is called: the first words of its description; where it has none its provider's name, and else its price.
 * It is made of strangers' words, so it is shown as `UntrustedText`.
 */
export function planName(plan: NamedPlan, { description, company }: PlanTexts, most = LIST_NAME): string {
  return (
    firstWords(description, most) ??
    named(company) ??
    `${shortMoneyWords(plan.amount, plan.token)} a ${periodWord(plan)}`
  )
}

/** The first sentence of a text, cut between words where it is long; `undefined` where it has none. */
export function firstWords(text: string | undefined, most = LIST_NAME): string | undefined {
  const plain = named(text)
  return plain === undefined ? undefined : cutAtWord(firstSentence(plain), most)
}

/** What a description says beyond its first words: all of it where those were cut; `undefined` where nothing is left. */
export function furtherWords(text: string | undefined, most = LIST_NAME): string | undefined {
  const plain = named(text)
  if (plain === undefined) return undefined
  const sentence = firstSentence(plain)
  if ([...sentence].length > most) return text
  const rest = strangersText(text ?? '', 600).slice(sentence.length)
  // Without the mark that ended the first sentence.
  return rest.replace(/^[.!?。！？]?\s*([–—|]\s)?/, '') || undefined
}

/** The first sentence, or what stands before a dash or a bar, without its full stop. */
function firstSentence(plain: string): string {
  const [line = ''] = plain.split('\n')
  const end = [...line.matchAll(/[.!?](?=\s)|[。！？]|\s[–—|]\s/g)].find(({ index }) => index >= LEAST)?.index
  return (end === undefined ? line : line.slice(0, end)).replace(/[.。]$/, '')
}

function cutAtWord(text: string, most: number): string {
  if ([...text].length <= most) return text
  const clipped = [...text].slice(0, most).join('')
  const space = clipped.lastIndexOf(' ')
  return `${(space >= LEAST ? clipped.slice(0, space) : clipped).replace(/[\s,;:–—-]+$/, '')}…`
}

/** A stranger's text, made harmless; `undefined` where nothing of it can be seen. */
function named(text: string | undefined): string | undefined {
  const plain = strangersText(text ?? '')
  return plain === '' ? undefined : plain
}
