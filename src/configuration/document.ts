/**
 * Writes the declared variables where operators look for them: `npm run config:document`. With `--check` it
 * compares instead, and fails where what is committed is not what the declarations give.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { environmentExample, variablesMarkdown } from './documentVariables.ts'

const BEGIN = '<!-- begin: npm run config:document -->'
const END = '<!-- end: npm run config:document -->'

const root = new URL('../..', import.meta.url)

const DOCUMENTS: readonly { readonly path: string; written(before: string): string }[] = [
  { path: 'docs/operate.md', written: (before) => between(before, variablesMarkdown()) },
  { path: '.env.example', written: () => environmentExample() },
]

/** Replaces what stands between the markers. Throws where they are missing. */
function between(before: string, text: string): string {
  const [head, rest] = before.split(BEGIN)
  const tail = rest?.split(END)[1]
  if (head === undefined || tail === undefined)
    throw new Error(`The markers ${BEGIN} and ${END} are missing.`)
  return `${head}${BEGIN}\n\n${text}\n${END}${tail}`
}

const isCheck = process.argv.includes('--check')
for (const { path, written } of DOCUMENTS) {
  const file = fileURLToPath(new URL(path, root))
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const after = written(before)
  if (after === before) continue
  if (isCheck) {
    process.stderr.write(`${path} is not what the declared variables give: run npm run config:document.\n`)
    process.exitCode = 1
  } else {
    writeFileSync(file, after)
    process.stdout.write(`${path} is written.\n`)
  }
}
