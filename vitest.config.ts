import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LeftOut } from './test/support/runner/LeftOut.ts'

const report = process.env.TEST_REPORT
const json: ['json', { outputFile: string }][] = report ? [['json', { outputFile: report }]] : []

const source = (file: string) => join(import.meta.dirname, 'client/src', file)

export default defineConfig({
  resolve: {
    // As tsconfig.json has it: examples import the client by its name, and nothing needs to be built for that.
    alias: [
      { find: /^@remit\/client$/, replacement: source('index.ts') },
      { find: /^@remit\/client\/development$/, replacement: source('development/findDevService.ts') },
    ],
  },
  test: {
    include: ['{src,client,contracts,devnet,examples,test}/**/*.test.ts'],
    // Each worker runs an anvil of its own; two cores are what a small machine has.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default', new LeftOut(), ...json],
  },
})
