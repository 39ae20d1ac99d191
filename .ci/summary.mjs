// Ends a run with the test runner's own figures, after the output of the other gates.
import { readFileSync } from 'node:fs'

const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(
  readFileSync(process.argv[2], 'utf8'),
)
const skipped = numPendingTests + numTodoTests
console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${skipped} skipped`)
if (numPassedTests === 0 || numFailedTests > 0 || skipped > 0) process.exitCode = 1
