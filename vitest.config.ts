import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { findQuickTests } from './test/support/runner/findQuickTests.ts'
import { LeftOut } from './test/support/runner/LeftOut.ts'

const report = process.env.TEST_REPORT
const json: ['json', { outputFile: string }][] = report ? [['json', { outputFile: report }]] : []

const source = (file: string) => join(import.meta.dirname, 'client/src', file)
const support = (file: string) => join(import.meta.dirname, 'test/support', file)

const folders = ['src', 'client', 'contracts', 'devnet', 'examples', 'site', 'test']
const quick = findQuickTests(folders)

/** What both projects have. `maxWorkers` is none of it: the command line could not change it any more. */
const shared = {
  resolve: {
    // As tsconfig.json has it: examples import the client by its name, and nothing needs to be built for that.
    alias: [
      { find: /^@remit\/client$/, replacement: source('index.ts') },
      { find: /^@remit\/client\/development$/, replacement: source('development/findDevService.ts') },
    ],
  },
}

// What comes in its own time may take long on a busy machine: a second is the runner's default.
const timeouts = { testTimeout: 30_000, hookTimeout: 60_000, expect: { poll: { timeout: 10_000 } } }

export default defineConfig({
  test: {
    // Each worker runs an anvil of its own; two cores are what a small machine has.
    maxWorkers: 2,
    reporters: ['default', new LeftOut(), ...json],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts', 'client/src/**/*.ts'],
      exclude: ['**/generated/**', '**/*.test.ts', '**/*.test-d.ts'],
      // Programs that tests start as processes of their own are not counted.
      reporter: ['text-summary'],
    },
    projects: [
      {
        ...shared,
        test: {
          name: 'quick',
          include: quick,
          // The files of a worker share its modules: most of a small test's time is the evaluation of its imports.
          isolate: false,
          setupFiles: [support('runner/refusePrograms.ts')],
          sequence: { groupOrder: 0 },
          ...timeouts,
        },
      },
      {
        ...shared,
        test: {
          name: 'full',
          include: [`{${folders.join()}}/**/*.test.ts`],
          exclude: ['**/node_modules/**', ...quick],
          isolate: false,
          globalSetup: [support('runner/bundleFolder.ts')],
          setupFiles: [support('runner/cleanUp.ts')],
          sequence: { groupOrder: 1 },
          ...timeouts,
        },
      },
    ],
  },
})
