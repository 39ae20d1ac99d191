import { planText } from '../history/status/backfill.ts'
import { CONSEQUENCES } from './consequences.ts'
import { PRICES_OF } from './estimate.ts'
import type { Examination, PartFinding } from './examine.ts'
import { count, type Finding, type State } from './Finding.ts'

const WORDS: Readonly<Record<State, string>> = { good: 'ok', note: 'note', poorer: 'LIMITED', bad: 'BAD' }
/** The longest line of running text, in characters. */
const WIDTH = 110

/** What was found of the service itself, as a person reads it. */
export function serviceText(findings: readonly PartFinding[]): string {
  const width = Math.max(...findings.map(({ part }) => part.length))
  const rows = findings.map(
    ({ part, state, fact }) => `  ${WORDS[state].padEnd(6)}  ${part.padEnd(width)}  ${fact}`,
  )
  return ['The service in this environment', '', ...rows, ''].join('\n')
}

/** What was found of one node, as a person reads it: the findings, advice on what is missing, costs, a verdict. */
export function reportText(examination: Examination): string {
  const { chainId, chainName, url, findings, requests } = examination
  const titles = findings.map(({ check }) => CONSEQUENCES[check].title)
  const width = Math.max(...titles.map(({ length }) => length))
  const rows = findings.map(
    ({ state, fact }, index) =>
      `  ${WORDS[state].padEnd(6)}  ${(titles[index] ?? '').padEnd(width)}  ${fact}`,
  )
  return [
    `${chainName.includes(String(chainId)) ? chainName : `${chainName}, chain ${chainId}`}: ${url}, asked with ${requests} requests`,
    '',
    ...rows,
    '',
    ...adviceLines(findings, chainId),
    ...costLines(examination),
    `Verdict: ${verdictText(examination)}`,
    '',
  ].join('\n')
}

function adviceLines(findings: readonly Finding[], chainId: number): string[] {
  const lacking = findings.filter(({ state }) => state === 'poorer' || state === 'bad')
  if (lacking.length === 0) return []
  const named = (text: string) => text.replaceAll('<id>', String(chainId))
  const lines = lacking.flatMap(({ check }) => {
    const { title, without, change } = CONSEQUENCES[check]
    return [
      `  ${title}`,
      ...wrap(`What it means: ${named(without)}`),
      ...wrap(`What to do: ${named(change)}`),
    ]
  })
  return ['What is wrong or limited, and what to do:', '', ...lines, '']
}

function costLines({ estimate }: Examination): string[] {
  if (estimate === null) return []
  const { backfill, day } = estimate
  const first =
    backfill === null
      ? []
      : [`The first reading of the history: ${planText(backfill)}. After that, only new blocks are read.`]
  const billed = day.billed.map(({ provider, unit, amount }) => `${count(amount)} ${unit} at ${provider}`)
  return [
    ...first,
    `Following new blocks for a day takes ${count(day.requests)} HTTP requests with ${count(day.calls)} calls: ` +
      `${billed.join(' or ')} (prices of ${PRICES_OF}). Callers’ requests are not counted. While the service is idle, it is less.`,
    '',
  ].flatMap((line) => (line === '' ? [''] : wrap(line, '')))
}

function verdictText({ verdict, findings }: Examination): string {
  if (verdict === 'good') return 'good. Everything works with this node.'
  const lacking = findings.filter(({ state }) => state === (verdict === 'poorer' ? 'poorer' : 'bad')).length
  if (verdict === 'poorer')
    return `usable, with ${lacking === 1 ? 'one limitation' : `${lacking} limitations`}. See above.`
  return `not usable, because of ${lacking === 1 ? 'one failure' : `${lacking} failures`}. See above.`
}

function wrap(text: string, indent = '    '): string[] {
  const lines: string[] = []
  let line = indent
  for (const word of text.split(' ')) {
    if (line.length + word.length > WIDTH && line.trim() !== '') {
      lines.push(line.trimEnd())
      line = indent
    }
    line += `${word} `
  }
  return [...lines, line.trimEnd()]
}
