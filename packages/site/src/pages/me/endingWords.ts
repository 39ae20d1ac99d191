import { ENDINGS, type Ending } from '../../words/endings.ts'

const OWN: Readonly<Record<Ending, string>> = {
  ...ENDINGS,
  left: 'You left',
  removed: 'The provider removed you',
}

/** The sentence for an ending, said to the subscriber where it is their own page. */
export function endingWords(name: string, isOwn: boolean): string {
  return Object.entries(isOwn ? OWN : ENDINGS).find(([ending]) => ending === name)?.[1] ?? name
}
