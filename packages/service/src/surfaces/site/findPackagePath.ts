import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Finds a file of this package or of an installed one, in this module's folder or in the nearest folder above it.
 *
 * This works from the sources and from a bundle, as long as `docs` and `node_modules` are beside or above the bundle.
 * Throws where no such file exists.
 * @param path such as `docs/start.md`
 */
export function findPackagePath(path: string, from: string = import.meta.dirname): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, path)
    if (existsSync(candidate)) return candidate
    if (folder === dirname(folder)) {
      throw new Error(`${path} is missing: it belongs into ${from} or into a folder above it.`)
    }
  }
}
