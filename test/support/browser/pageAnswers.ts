import * as z from 'zod'

const DATA = /(?<=<script type="application\/json" id="page">).*?(?=<\/script>)/s
const PageAnswers = z.looseObject({ answers: z.record(z.string(), z.unknown()) })

const dataOf = (document: string) => PageAnswers.parse(JSON.parse(DATA.exec(document)?.[0] ?? ''))

/** The answers that a page's document comes with. */
export function answersIn(document: string): Readonly<Record<string, unknown>> {
  return dataOf(document).answers
}

/** A page's document with these answers in place of its own of the same names. */
export function withAnswers(document: string, answers: Readonly<Record<string, unknown>>): string {
  const data = dataOf(document)
  const changed = { ...data, answers: { ...data.answers, ...answers } }
  return document.replace(DATA, () => JSON.stringify(changed))
}
