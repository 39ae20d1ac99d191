import { existsSync, mkdtempSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { inject } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Native, or loaded only where they are installed: all that is not bundled for a release either. */
const INSTALLED = ['libsql', 'pg-native']

/** CommonJS packages expect these names. */
const COMMON_JS = `import { createRequire as __createRequire } from 'node:module'
const require = __createRequire(import.meta.url)
const __filename = import.meta.filename
const __dirname = import.meta.dirname`

const bundles = new Map<string, Promise<string>>()

/**
 * A program of this package in few files, which starts in a quarter of a second instead of two. Beside it is the thread that
 * it may start. Returns its path.
 *
 * A run makes each bundle once, for all of its workers; they go at its end.
 */
export function useBundle(script: string): Promise<string> {
  const bundle = bundles.get(script) ?? bundleOnce(script)
  bundles.set(script, bundle)
  return bundle
}

async function bundleOnce(script: string): Promise<string> {
  const folder = inject('bundleFolder')
  const shared = join(folder, script.replaceAll(/\W/g, '-'))
  const program = join(shared, 'program.mjs')
  if (existsSync(program)) return program
  const own = dirname(await bundleInto(mkdtempSync(join(folder, 'bundle-')), script))
  try {
    renameSync(own, shared)
  } catch (error) {
    // Another worker made it at the same time.
    if (!existsSync(program)) throw error
  }
  return program
}

/** Makes such a bundle in a folder of the caller's. */
export async function bundleInto(folder: string, script: string): Promise<string> {
  await build({
    entryPoints: {
      program: join(root, script),
      forecaster: join(root, 'packages/service/src/forecasting/forecaster.ts'),
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: INSTALLED,
    // What a program loads later is in files of its own.
    splitting: true,
    banner: { js: COMMON_JS },
    // Half of what a start takes is reading the code.
    minify: true,
    keepNames: true,
    // Node prints the whole line in which an error was thrown.
    lineLimit: 160,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    logLevel: 'warning',
  })
  return join(folder, 'program.mjs')
}
