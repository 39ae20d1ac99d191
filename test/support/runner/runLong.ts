import { spawnSync } from 'node:child_process'
import { contractsAreTested, recordTestedContracts } from '@remit/contracts/tested'

// `npm run test:long`: everything that `npm test` leaves for later. Further words go to the test runner.

const words = process.argv.slice(2)
const runsContracts = !contractsAreTested()
const projects = ['long', 'postgres', ...(runsContracts ? ['contracts'] : [])]
// Two at a time: browsers, databases and bundlers take both cores of a small machine.
const arguments_ = [
  'vitest',
  'run',
  ...projects.flatMap((name) => ['--project', name]),
  '--maxWorkers=2',
  ...words,
]
const { status } = spawnSync('npx', arguments_, { stdio: 'inherit' })
if (!runsContracts) {
  process.stdout.write(
    'The contracts’ suites were left out: they passed with just these sources and tests.\n',
  )
} else if (status === 0 && words.length === 0) {
  recordTestedContracts()
  process.stdout.write('The contracts’ suites passed: commit packages/contracts/tested.sha256.\n')
}
process.exitCode = status ?? 1
