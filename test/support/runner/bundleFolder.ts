import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the workers of a run put the programs that they bundle. */
    bundleFolder: string
    /** Where they keep what else they make once; servers with an account of their own can read it. */
    runFolder: string
  }
}

/** Makes the folders for what the workers of a run share, and removes them at the end: workers are killed and could not. */
export default function setUp(project: TestProject): () => void {
  // Below the package, so that what is installed is found.
  const cache = join(resolve(import.meta.dirname, '../../..'), 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'remit-bundles-'))
  const runFolder = mkdtempSync(join(tmpdir(), 'remit-run-'))
  chmodSync(runFolder, 0o755)
  project.provide('bundleFolder', folder)
  project.provide('runFolder', runFolder)
  return () => {
    for (const each of [folder, runFolder]) rmSync(each, { recursive: true, force: true })
  }
}
