import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Native, or with parts that are found at run time: taken from where they are installed. */
const INSTALLED = ['libsql', 'pg', 'pino', 'ioredis', 'prom-client']

/**
 * A program of this package in one file, which starts in a quarter of a second instead of two: for tests that
 * start it dozens of times. Returns its path; it goes when the test file ends.
 * @param cache the folder for it; by default below the package, so that what is installed is found
 */
export async function useBundle(
  script: string,
  cache = join(root, 'node_modules', '.cache'),
): Promise<string> {
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'remit-bundle-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const outfile = join(folder, 'program.mjs')
  await build({
    entryPoints: [join(root, script)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: INSTALLED,
    outfile,
    logLevel: 'warning',
  })
  return outfile
}
