import { readFile } from 'node:fs/promises'
import { posix } from 'node:path'

const FOLDER = new URL('../../../protocol/src/', import.meta.url)

/** A copied file. */
export interface ProtocolFile {
  /** The path of the original below packages/protocol/src. */
  readonly path: string
  readonly text: string
}

/**
 * Copies files of packages/protocol/src and everything that they import from there, by file name. So the client calculates by
 * the service's own rules. All copies go into one folder.
 *
 * Throws if one of them imports a file outside of packages/protocol/src, and if two have the same name.
 */
export async function copyProtocol(roots: readonly string[]): Promise<ReadonlyMap<string, ProtocolFile>> {
  const files = new Map<string, ProtocolFile>()
  const waiting = [...roots]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const name = posix.basename(path)
    const known = files.get(name)
    if (known?.path === path) continue
    if (known !== undefined) throw new Error(`packages/protocol/src/${path} and ${known.path} have the same name`)
    const original = await readFile(new URL(path, FOLDER), 'utf8')
    const folder = posix.dirname(path)
    const text = original.replaceAll(/\bfrom '([^']+)'/g, (line, source: string) => {
      if (source === 'viem') return line
      const imported = posix.join(folder, source)
      if (imported.startsWith('..')) throw new Error(`packages/protocol/src/${name} imports ${source}`)
      waiting.push(imported)
      return `from './${posix.basename(imported)}'`
    })
    files.set(name, { path, text })
  }
  return new Map([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
