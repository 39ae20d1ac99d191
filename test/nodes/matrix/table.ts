import { join } from 'node:path'
import type { Profile } from '../profiles/profiles.ts'
import type { Cell, Sentence } from './judge.ts'
import type { ProfileRun } from './runProfile.ts'

/** The guide that the table stands in. */
export const GUIDE = join(import.meta.dirname, '../../../docs/nodes.md')

const BEGIN = '<!-- Written by npm run matrix -w @remit/testing. -->'
const END = '<!-- End of the table. -->'

/** How an answer is on a kind of node, as it stands in the table. */
export type Mark = 'same' | `poorer ${string}` | `refused ${string}`

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

/** The section of the guide that is made of the runs, in words for operators. */
export function renderTable(runs: readonly ProfileRun[]): string {
  const sentences: Sentence[] = []
  const letterOf = (sentence: Sentence) => {
    const same = (one: Sentence) => textOf(one) === textOf(sentence)
    if (!sentences.some(same)) sentences.push(sentence)
    return LETTERS[sentences.findIndex(same)] ?? '?'
  }
  const operations = [...(runs[0]?.cells.keys() ?? [])]
  const head = ['operation', ...runs.map(({ profile }) => profile.name)]
  const rows = operations.map((name) => [
    `\`${name}\``,
    ...runs.map(({ cells }) => symbolOf(cells.get(name), letterOf)),
  ])
  return [
    '### The kinds of nodes',
    '',
    ...runs.flatMap(({ profile, requests }) => kindOf(profile, requests)),
    '',
    '### The answers',
    '',
    '`=` is the same answer, to the letter. A letter alone is a poorer answer, and `✗` a refusal; what they say stands below.',
    '',
    ...tableOf([head, ...rows]),
    '',
    ...sentences.map((sentence, index) => `- **${LETTERS[index]}**: ${textOf(sentence)}`),
    '',
  ].join('\n')
}

/** What stands in the guide, for each kind by the names of operations. */
export function readTable(guide: string): ReadonlyMap<string, ReadonlyMap<string, Mark>> {
  const section = sectionOf(guide)
  const lines = section.split('\n')
  const cellsOf = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  const codes = new Map(
    lines
      .flatMap((line) => [...line.matchAll(/^- \*\*(\w)\*\*: (?:([A-Z_]+): )?/g)])
      .map(([, letter = '', code = 'named']) => [letter, code]),
  )
  const [head = '', , ...rows] = lines.filter((line) => line.startsWith('|'))
  return new Map(
    cellsOf(head)
      .slice(1)
      .map((profile, column) => [
        profile,
        new Map(
          rows.map((row) => {
            const [name = '', ...cells] = cellsOf(row)
            return [name.replaceAll('`', ''), markIn(cells[column] ?? '', codes)]
          }),
        ),
      ]),
  )
}

/** What a cell says, without the numbers and addresses of its sentences. */
export function markOf(cell: Cell): Mark {
  if (cell.kind === 'same') return 'same'
  if (cell.kind === 'wrong') throw new Error(cell.what)
  return `${cell.kind} ${[...new Set(cell.sentences.map(({ code = 'named' }) => code))].sort().join()}`
}

export function replaceTable(guide: string, table: string): string {
  sectionOf(guide)
  const [before = '', rest = ''] = guide.split(BEGIN)
  const [, after = ''] = rest.split(END)
  return `${before}${BEGIN}\n\n${table}\n${END}${after}`
}

function sectionOf(guide: string): string {
  const section = guide.split(BEGIN)[1]?.split(END)[0]
  if (section === undefined) throw new Error('docs/nodes.md has no place for the table')
  return section
}

function markIn(symbol: string, codes: ReadonlyMap<string, string>): Mark {
  if (symbol === '=') return 'same'
  const kind = symbol.startsWith('✗') ? 'refused' : 'poorer'
  const named = [...symbol.replace('✗', '').trim()].filter((letter) => letter !== ' ')
  return `${kind} ${[...new Set(named.map((letter) => codes.get(letter) ?? letter))].sort().join()}`
}

function symbolOf(cell: Cell | undefined, letterOf: (sentence: Sentence) => string): string {
  if (cell === undefined || cell.kind === 'wrong') throw new Error(`A cell is wrong: ${JSON.stringify(cell)}`)
  if (cell.kind === 'same') return '='
  const letters = [...new Set(cell.sentences.map(letterOf))].join(' ')
  return cell.kind === 'refused' ? `✗ ${letters}` : letters
}

function kindOf({ name, title, lines }: Profile, requests: number): string[] {
  const rules = lines.map(({ says, source }) => `  - ${says} ([source](${source}))`)
  return [`- **${name}**: ${title}. All operations once: ${requests} requests.`, ...rules]
}

/** Ids, amounts and positions of the one run that wrote the table say nothing to its reader. */
function textOf({ code, message }: Sentence): string {
  const general = message
    .replace(/0x[0-9a-fA-F]{8,}/g, '0x…')
    .replace(/\bcall \d+(, \d+)*/g, 'call n')
    .replace(/\b\d{3,}\b/g, 'n')
  return code === undefined ? message : `${code}: ${general}`
}

function tableOf([head = [], ...rows]: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0), 3),
  )
  const lineOf = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [lineOf(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(lineOf)]
}
