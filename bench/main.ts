import { spawnSync } from 'node:child_process'

// `npm run bench` measures what the service answers and writes bench/report.md. `npm run bench -- <name> …` runs another of
// these, which take the words after their name.

const NAMES: Readonly<Record<string, readonly string[]>> = {
  report: ['--import', 'tsx', 'bench/report.ts'],
  scale: ['--expose-gc', '--import', 'tsx', 'bench/scale.ts'],
  outlook: ['--import', 'tsx', 'bench/outlook.ts'],
  search: ['--import', 'tsx', 'bench/search.ts'],
  proofs: ['--import', 'tsx', 'bench/proofs.ts'],
  permits: ['--import', 'tsx', 'bench/permits.ts'],
  mutation: ['--import', 'tsx', 'bench/mutation.ts'],
  upstream: ['node_modules/vitest/vitest.mjs', 'run', 'test/upstreamRequests.test.ts'],
}

const [name = 'report', ...words] = process.argv.slice(2)
const command = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined
if (command === undefined) {
  process.stderr.write(`There is no ${name}: it is one of ${Object.keys(NAMES).join(', ')}.\n`)
  process.exitCode = 2
} else {
  const env = name === 'upstream' ? { ...process.env, RECORD_COSTS: 'true' } : process.env
  process.exitCode =
    spawnSync(process.execPath, [...command, ...words], { stdio: 'inherit', env }).status ?? 1
}
