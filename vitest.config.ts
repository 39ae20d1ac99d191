import { defineConfig } from 'vitest/config'
import { LeftOut } from './test/support/LeftOut.ts'

const report = process.env.TEST_REPORT
const json: ['json', { outputFile: string }][] = report ? [['json', { outputFile: report }]] : []

export default defineConfig({
  test: {
    include: ['{src,client,contracts,devnet,examples,test}/**/*.test.ts'],
    // Each worker runs an anvil of its own; two cores are what a small machine has.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default', new LeftOut(), ...json],
  },
})
