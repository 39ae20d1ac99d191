import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const MANIFEST = join(root, 'packages/site/dist/.vite/manifest.json')
const SOURCES = [
  'packages/site/src',
  'packages/site/vite.config.ts',
  'packages/site/build.ts',
  'packages/client/src',
]

/**
 * Builds the site where a source is newer than what `npm ci` or an earlier test built: nobody tests yesterday's page.
 * Workers that come at the same time wait for the first.
 */
export async function buildSiteOnce(): Promise<void> {
  const lock = join(root, 'node_modules/.cache/remit-site-build')
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true })
  while (!isCurrent()) {
    if (!tryToLock(lock)) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      continue
    }
    try {
      execFileSync(process.execPath, ['--import', 'tsx', 'packages/site/build.ts'], {
        cwd: root,
        stdio: 'inherit',
      })
      return
    } finally {
      rmdirSync(lock)
    }
  }
}

function isCurrent(): boolean {
  // Another worker may be building, which begins by removing it.
  const built = statSync(MANIFEST, { throwIfNoEntry: false })
  return built !== undefined && newest(SOURCES.map((path) => join(root, path))) <= built.mtimeMs
}

function newest(paths: readonly string[]): number {
  return Math.max(
    ...paths.flatMap((path) => {
      const { mtimeMs } = statSync(path)
      if (!statSync(path).isDirectory()) return mtimeMs
      return readdirSync(path, { recursive: true, encoding: 'utf8' }).map(
        (name) => statSync(join(path, name)).mtimeMs,
      )
    }),
  )
}

function tryToLock(folder: string): boolean {
  try {
    // One who was killed left it behind.
    if (existsSync(folder) && Date.now() - statSync(folder).mtimeMs > 60_000) rmdirSync(folder)
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}
