// Writes the table of rooms into CONTRIBUTING.md; with --check it fails where the file shows another one.
import { readFileSync, writeFileSync } from 'node:fs'
import { groups, rooms } from './rooms.mjs'

const file = new URL('../../CONTRIBUTING.md', import.meta.url)
const [begin, end] = ['<!-- Written by npm run rooms:document. -->', '<!-- End of the rooms. -->']

const code = (path) => `\`${path}${/\.\w+$|^Dockerfile$/.test(path) ? '' : '/'}\``
const list = (paths) => paths.map(code).join(', ')

/** Imports, with the name of the largest group that they contain in its place. */
function shortened(imports, but) {
  const whole = Object.entries(groups).filter(
    ([name, paths]) => name !== but && paths.every((path) => imports.includes(path)),
  )
  const [name, paths] = whole.toSorted(([, a], [, b]) => b.length - a.length)[0] ?? []
  if (name === undefined) return list(imports)
  const rest = imports.filter((path) => !paths.includes(path))
  return [`_${name}_`, ...(rest.length > 0 ? [list(rest)] : [])].join(', ')
}

function mayImport(imports) {
  if (imports === 'everything') return 'everything'
  return imports.length === 0 ? 'no other room' : shortened(imports)
}

/** A table whose columns stand under each other, as the formatter wants it. */
function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`
  return [
    line(rows[0]),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...rows.slice(1).map(line),
  ]
}

const documented = [
  begin,
  '',
  'Some rooms are imported together:',
  '',
  ...Object.entries(groups).map(([name, paths]) => `- _${name}_: ${shortened(paths, name)}`),
  '',
  ...table([
    ['Touching…', 'read', 'other rooms enter by', 'it may import'],
    ...rooms.map(({ about, paths, doors, imports }) => [
      about,
      list(paths),
      doors === undefined ? 'any file' : list(doors),
      mayImport(imports),
    ]),
  ]),
  '',
].join('\n')

const text = readFileSync(file, 'utf8')
const [from, to] = [text.indexOf(begin), text.indexOf(end)]
if (from < 0 || to < from) throw new Error(`CONTRIBUTING.md lacks the line ${from < 0 ? begin : end}`)
const whole = `${text.slice(0, from)}${documented}\n${text.slice(to)}`
if (whole === text) console.log('CONTRIBUTING.md shows the rooms as they are.')
else if (process.argv.includes('--check')) {
  console.error('CONTRIBUTING.md shows another table of rooms: run npm run rooms:document')
  process.exitCode = 1
} else writeFileSync(file, whole)
