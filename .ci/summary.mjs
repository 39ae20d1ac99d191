// Ends a run with the test runner's own figures of all its parts, after the output of the other gates.
import { readFileSync } from 'node:fs'

const parts = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')))
const sum = (name) => parts.reduce((total, part) => total + part[name], 0)
const skipped = sum('numPendingTests') + sum('numTodoTests')
const failed = sum('numFailedTests')
console.log(`${sum('numPassedTests')} passed, ${failed} failed, ${skipped} skipped`)
if (parts.length === 0 || parts.some((part) => part.numPassedTests === 0) || failed > 0 || skipped > 0) {
  process.exitCode = 1
}
