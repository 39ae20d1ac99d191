import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { table } from './print.ts'

// `npm run bench -- mutation`: Stryker changes the rules of the protocol and of the limits one by one, and looks whether a test
// fails. Writes bench/mutation.md. `npm run bench -- mutation payments` runs the folders whose path ends with one of the words,
// and keeps what the report says of the others. What survives is printed, to be looked at.

const REPORT = join(import.meta.dirname, 'mutation.md')
const RESULTS = '.stryker-tmp/mutation.json'
const STRYKER = 'test/mutation/node_modules/.bin/stryker'
const LEAST_PERCENT = 90

/** The folders, each with tests beside its own that know its rules. */
const FOLDERS: readonly { readonly folder: string; readonly tests?: readonly string[] }[] = [
  {
    folder: 'packages/protocol/src',
    tests: ['packages/protocol/src/charges/*.test.ts', 'packages/protocol/src/outlook/*.test.ts'],
  },
  {
    folder: 'packages/protocol/src/charges',
    tests: ['packages/protocol/src/*.test.ts', 'packages/protocol/src/outlook/*.test.ts'],
  },
  { folder: 'packages/protocol/src/logs', tests: ['test/protocol/payments.recorded.test.ts'] },
  { folder: 'packages/protocol/src/outlook', tests: ['packages/protocol/src/charges/*.test.ts'] },
  { folder: 'packages/protocol/src/payments', tests: ['test/protocol/payments.recorded.test.ts'] },
  {
    folder: 'packages/protocol/src/remit',
    tests: ['test/protocol/recorded.test.ts', 'test/protocol/forecast.recorded.test.ts'],
  },
  { folder: 'packages/service/src/access/limits' },
]

const HEADINGS = ['file', 'mutants', 'killed', 'survived', 'percent', 'static, not tried']

const Place = z.object({ line: z.int(), column: z.int() })
const Results = z.object({
  files: z.record(
    z.string(),
    z.object({
      source: z.string(),
      mutants: z.array(
        z.object({
          status: z.enum([
            'Killed',
            'Timeout',
            'Survived',
            'NoCoverage',
            'Ignored',
            'RuntimeError',
            'CompileError',
            'Pending',
          ]),
          mutatorName: z.string(),
          replacement: z.string().optional(),
          location: z.object({ start: Place, end: Place }),
        }),
      ),
    }),
  ),
})
type Results = z.output<typeof Results>

interface Row {
  readonly file: string
  readonly killed: number
  readonly survived: number
  readonly ignored: number
}

/** A mutant that makes a test wait for ever is killed too. One that no test reaches has survived. */
function rowsOf({ files }: Results): Row[] {
  return Object.entries(files).map(([file, { mutants }]) => {
    const count = (...statuses: string[]) => mutants.filter(({ status }) => statuses.includes(status)).length
    return {
      file,
      killed: count('Killed', 'Timeout'),
      survived: count('Survived', 'NoCoverage'),
      ignored: count('Ignored'),
    }
  })
}

function survivorsOf({ files }: Results): string[] {
  return Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants
      .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
      .map(({ status, location: { start }, replacement = '' }) => {
        const line = source.split('\n')[start.line - 1]?.trim()
        return `${file}:${start.line}:${start.column} ${status}: ${line}\n    → ${replacement.replaceAll(/\s+/g, ' ')}`
      }),
  )
}

async function run(folder: string, tests: readonly string[]): Promise<Results> {
  const mutate = `${folder}/*.ts,!${folder}/*.test.ts`
  const child = spawn(STRYKER, ['run', 'test/mutation/stryker.config.json', '--mutate', mutate], {
    env: { ...process.env, MUTATION_TESTS: [`${folder}/*.test.ts`, ...tests].join(' ') },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`Stryker ended with ${code}`)
  return Results.parse(JSON.parse(readFileSync(RESULTS, 'utf8')))
}

/** The rows of the last report. */
function lastRows(): Row[] {
  const lines = existsSync(REPORT) ? readFileSync(REPORT, 'utf8').split('\n') : []
  return lines
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [, file = '', , killed, survived, , ignored] = line.split('|').map((cell) => cell.trim())
      return {
        file: file.replaceAll('`', ''),
        killed: Number(killed),
        survived: Number(survived),
        ignored: Number(ignored),
      }
    })
}

function percentOf(rows: readonly Row[]): number {
  const killed = rows.reduce((sum, row) => sum + row.killed, 0)
  return (100 * killed) / rows.reduce((sum, row) => sum + row.killed + row.survived, 0)
}

function report(rows: readonly Row[]): string {
  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0)
  const whole = {
    killed: sum((row) => row.killed),
    survived: sum((row) => row.survived),
    ignored: sum((row) => row.ignored),
  }
  const cells = ({ killed, survived, ignored }: Omit<Row, 'file'>) => [
    String(killed + survived),
    String(killed),
    String(survived),
    killed + survived === 0 ? '–' : ((100 * killed) / (killed + survived)).toFixed(1),
    String(ignored),
  ]
  return [
    '# Mutants',
    '',
    'Changes of the rules, and how many of them a test notices, by `npm run bench -- mutation`. What runs while a module is loaded,',
    'such as a table of names, is static: trying it would run every test each time.',
    '',
    table(HEADINGS, [
      ...rows
        .toSorted((one, other) => one.file.localeCompare(other.file))
        .map((row) => [`\`${row.file}\``, ...cells(row)]),
      ['all', ...cells(whole)],
    ]),
    '',
  ].join('\n')
}

if (!existsSync(STRYKER)) throw new Error('Stryker is not installed: cd test/mutation && npm ci')
const words = process.argv.slice(2)
let rows = lastRows().filter(({ file }) => existsSync(file))
for (const { folder, tests = [] } of FOLDERS) {
  if (words.length > 0 && !words.some((word) => folder.endsWith(word))) continue
  const results = await run(folder, tests)
  const made = rowsOf(results)
  rows = [...rows.filter(({ file }) => made.every((row) => row.file !== file)), ...made]
  process.stdout.write(
    `\n${survivorsOf(results).join('\n')}\n${folder}: ${percentOf(made).toFixed(1)} % killed\n`,
  )
  // After each folder: what has been run is known even where the night is cut short.
  writeFileSync(REPORT, report(rows))
}
process.stdout.write(`${percentOf(rows).toFixed(1)} % of all are killed; ${LEAST_PERCENT} % are asked for.\n`)
if (percentOf(rows) < LEAST_PERCENT) process.exitCode = 1
