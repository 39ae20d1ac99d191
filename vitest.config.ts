import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LeftOut } from './test/support/runner/LeftOut.ts'
import { sortTests } from './test/support/runner/sortTests.ts'

const report = process.env.TEST_REPORT
const json: ['json', { outputFile: string }][] = report ? [['json', { outputFile: report }]] : []

const support = (file: string) => join(import.meta.dirname, 'test/support', file)

const tests = sortTests(['packages', 'examples', 'test'])

const RESTORE = 'runner/restore.ts'

/** What all projects have. `maxWorkers` is none of it: the command line could not change it any more. */
const settings = {
  // The files of a worker share its modules: most of a small test's time is the evaluation of its imports.
  isolate: false,
  // What comes in its own time may take long on a busy machine: a second is the runner's default.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 10_000 } },
}

/** A project of tests that start anvil at least, and share a folder for what they make once. */
function project(
  name: string,
  include: readonly string[],
  { store, setup = [] }: { readonly store: 'sqlite' | 'postgres'; readonly setup?: readonly string[] },
) {
  return {
    test: {
      ...settings,
      name,
      include: [...include],
      globalSetup: [support('runner/bundleFolder.ts')],
      setupFiles: [RESTORE, ...setup, 'runner/cleanUp.ts'].map(support),
      provide: { store },
      sequence: { groupOrder: 1 },
    },
  }
}

export default defineConfig({
  test: {
    // Each worker runs an anvil of its own, and waits for it half of the time; two cores are what a small machine has.
    maxWorkers: 3,
    reporters: ['default', new LeftOut(), ...json],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      exclude: ['**/generated/**', '**/*.test.ts', '**/*.test-d.ts'],
      // Programs that tests start as processes of their own are not counted.
      reporter: ['text-summary'],
    },
    projects: [
      {
        test: {
          ...settings,
          name: 'quick',
          include: [...tests.quick],
          setupFiles: [RESTORE, 'runner/refusePrograms.ts'].map(support),
          sequence: { groupOrder: 0 },
        },
      },
      project('main', tests.main, { store: 'sqlite', setup: ['runner/refusePrograms.ts'] }),
      project('long', tests.long, { store: 'sqlite' }),
      project('postgres', tests.bothStores, { store: 'postgres' }),
      project('contracts', tests.contracts, { store: 'sqlite' }),
    ],
  },
})
