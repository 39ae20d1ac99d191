/**
 * Writes what it means if a node lacks something into docs/nodes.md: `npm run document -w @remit/service`. With `--check` it
 * compares instead.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { alignedTable, replaceBetween } from '../configuration/documentVariables.ts'
import { CHECKS, CONSEQUENCES } from './consequences.ts'

const file = new URL('../../../../docs/nodes.md', import.meta.url)
const rows = CHECKS.map((check) => {
  const { title, without, change } = CONSEQUENCES[check]
  return [title, without, change]
})
const before = readFileSync(file, 'utf8')
const table = alignedTable(['a node…', 'if not', 'what to do'], rows).join('\n')
const after = replaceBetween(before, 'npm run document -w @remit/service: doctor', `${table}\n`)
if (after !== before && process.argv.includes('--check')) {
  process.stderr.write('docs/nodes.md is not what the doctor says: run npm run document -w @remit/service.\n')
  process.exitCode = 1
} else if (after !== before) {
  writeFileSync(file, after)
}
