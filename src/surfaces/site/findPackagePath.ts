import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * A file of this package, or of one that is installed for it: in this module's folder or the nearest above it.
 *
 * So it is found from the sources and from a bundle alike, as long as `docs` and `node_modules` lie beside the
 * bundle or above it. Throws where it lies nowhere there.
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
