import { statSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** A change is caught by the first test that fails, so the short ones go first. */
class ShortestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sized = files.map((file) => ({ file, size: statSync(file.moduleId).size }))
    return sized.sort((one, other) => one.size - other.size).map(({ file }) => file)
  }
}

export default defineConfig({
  test: {
    // The tests that know the rules of these folders: their own, and the recorded lives of the deployed contract.
    include: (process.env.MUTATION_TESTS ?? 'packages/protocol/src/**/*.test.ts').split(' '),
    // Counting which test reaches which change makes the long ones several times slower.
    testTimeout: 180_000,
    sequence: { sequencer: ShortestFirst },
  },
})
