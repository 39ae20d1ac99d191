/**
 * Writes the declared variables where operators look for them: `npm run document -w @remit/service`. With `--check` it
 * compares instead, and fails if the committed files differ.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { environmentExample, replaceBetween, variablesMarkdown } from './documentVariables.ts'

const root = new URL('../../../..', import.meta.url)

const DOCUMENTS: readonly { readonly path: string; written(before: string): string }[] = [
  {
    path: 'docs/configure.md',
    written: (before) =>
      replaceBetween(before, 'npm run document -w @remit/service: variables', variablesMarkdown()),
  },
  { path: '.env.example', written: () => environmentExample() },
]

const isCheck = process.argv.includes('--check')
for (const { path, written } of DOCUMENTS) {
  const file = fileURLToPath(new URL(path, root))
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const after = written(before)
  if (after === before) continue
  if (isCheck) {
    process.stderr.write(
      `${path} differs from the declared variables: run npm run document -w @remit/service.\n`,
    )
    process.exitCode = 1
  } else {
    writeFileSync(file, after)
    process.stdout.write(`${path} is written.\n`)
  }
}
