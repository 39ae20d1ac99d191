import { statSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** A change is caught by the first test that fails, so the short ones go first. */
class ShortestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sized = files.map((file) => ({ file, size: statSync(file.moduleId).size }))
    return sized.sort((one, other) => one.size - other.size).map(({ file }) => file)
  }
}

/** Beside the changed copy are linked packages, which are the unchanged ones: doors lead into the copy here. */
const inCopy = (path: string) => join(import.meta.dirname, '../../packages', path)

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@remit\/protocol\/(.*)$/, replacement: inCopy('protocol/src/$1.ts') },
      { find: /^@remit\/service\/(?:testing\/)?(.*)$/, replacement: inCopy('service/src/$1.ts') },
      { find: /^@remit\/engine\/(?:testing\/)?(.*)$/, replacement: inCopy('engine/src/$1.ts') },
    ],
  },
  test: {
    // The tests that know the rules of these folders: their own, and the recorded lives of the deployed contract.
    include: (process.env.MUTATION_TESTS ?? 'packages/protocol/src/**/*.test.ts').split(' '),
    // Counting which test reaches which change makes the long ones several times slower.
    testTimeout: 180_000,
    sequence: { sequencer: ShortestFirst },
  },
})
