import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { table } from './print.ts'

// Runs every test file with random trials at its whole size, one file after the other, and then the contracts' suites,
// which run by day only where contracts have changed. Writes down how it went in bench/nightly.md.
// `npm run nightly -- kills differential` runs the files whose path has one of the words, and keeps what the report says of
// the others.

const FOLDERS = ['packages', 'examples', 'test']
const REPORT = join(import.meta.dirname, 'nightly.md')

/** Run as one, and last. */
const CONTRACTS = 'contracts'

const IMPORTS_TRIALS = /from '[^']*\/runner\/trials(\.ts)?'/
const WHOLE_SIZE = /\bnightly: ([^\s}]+) \}/g

/** A row of the report: a file, its whole sizes as they are written there, when it was run, how long, and how it went. */
type Row = readonly [file: string, sizes: string, begun: string, took: string, outcome: string]

const HEADINGS = ['file', 'whole size', 'begun, UTC', 'took', 'outcome']
const PASSED = 'passed'

function testsIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return entries
    .filter((name) => name.endsWith('.test.ts') && !/(^|\/)node_modules\//.test(name))
    .map((name) => join(folder, name))
}

async function run(file: string): Promise<Row> {
  const begun = new Date().toISOString().slice(0, 16).replace('T', ' ')
  const started = performance.now()
  const which = file === CONTRACTS ? ['--project', CONTRACTS] : [file]
  // Each trial is told when it ends: a night is long.
  const child = spawn('npx', ['vitest', 'run', '--maxWorkers=1', '--reporter=verbose', ...which], {
    env: { ...process.env, NIGHTLY: 'true' },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = await once(child, 'close')
  const text = file === CONTRACTS ? '' : readFileSync(file, 'utf8')
  const sizes = [...text.matchAll(WHOLE_SIZE)].map(([, size = '']) => size)
  const took = `${Math.round((performance.now() - started) / 1000)} s`
  const outcome = code === 0 ? PASSED : '**failed**'
  return [nameOf(file), sizes.map((size) => size.replaceAll('_', ',')).join(' · '), begun, took, outcome]
}

function nameOf(file: string): string {
  return `\`${file}\``
}

/** The rows of the last report. */
function lastRows(): Row[] {
  const lines = existsSync(REPORT) ? readFileSync(REPORT, 'utf8').split('\n') : []
  return lines
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [, file = '', sizes = '', begun = '', took = '', outcome = ''] = line
        .split('|')
        .map((cell) => cell.trim())
      return [file, sizes, begun, took, outcome]
    })
}

function report(rows: readonly Row[]): string {
  return [
    '# The last nights',
    '',
    'Every test with random trials at its whole size, by `npm run nightly`. The sizes are those of a file, in its order.',
    '',
    `Node ${process.versions.node}, ${cpus().length} cores.`,
    '',
    table(
      HEADINGS,
      rows.toSorted(([one], [other]) => one.localeCompare(other)).map((row) => [...row]),
    ),
    '',
  ].join('\n')
}

const words = process.argv.slice(2)
const tests = FOLDERS.flatMap(testsIn)
const files = [...tests.filter((file) => IMPORTS_TRIALS.test(readFileSync(file, 'utf8'))), CONTRACTS].filter(
  (file) => words.length === 0 || words.some((word) => file.includes(word)),
)
const all = [...tests, CONTRACTS].map(nameOf)
// A file that is gone has no row.
let rows = lastRows().filter(([file]) => all.includes(file))
let passed = true
for (const [index, file] of files.entries()) {
  process.stdout.write(`\n${index + 1} of ${files.length}: ${file}\n`)
  const row = await run(file)
  const [name, , , took, outcome] = row
  rows = [...rows.filter(([other]) => other !== name), row]
  passed &&= outcome === PASSED
  process.stdout.write(`${file} ${outcome} in ${took}\n`)
  // After each file: what has been run is known even where the night is cut short.
  writeFileSync(REPORT, report(rows))
}
if (!passed) process.exitCode = 1
