import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the workers of a run put the programs that they bundle. */
    bundleFolder: string
  }
}

/** Makes the folder for a run's bundles, and removes it at the end: workers are killed and could not. */
export default function setUp(project: TestProject): () => void {
  // Below the package, so that what is installed is found.
  const cache = join(resolve(import.meta.dirname, '../../..'), 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'remit-bundles-'))
  project.provide('bundleFolder', folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
