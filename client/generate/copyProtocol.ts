import { readFile } from 'node:fs/promises'
import { posix } from 'node:path'

const FOLDER = new URL('../../src/protocol/', import.meta.url)

/** A file as the client has it. */
export interface ProtocolFile {
  /** Where it comes from, below src/protocol. */
  readonly path: string
  readonly text: string
}

/**
 * Files of src/protocol with all that they import from there, by name: the client calculates by the service's own
 * rules. Folders are left out: the copies stand beside one another.
 *
 * Throws where one of them imports anything from outside of src/protocol, and where two have the same name.
 */
export async function copyProtocol(roots: readonly string[]): Promise<ReadonlyMap<string, ProtocolFile>> {
  const files = new Map<string, ProtocolFile>()
  const waiting = [...roots]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const name = posix.basename(path)
    const known = files.get(name)
    if (known?.path === path) continue
    if (known !== undefined) throw new Error(`src/protocol/${path} and ${known.path} have the same name`)
    const original = await readFile(new URL(path, FOLDER), 'utf8')
    const folder = posix.dirname(path)
    const text = original.replaceAll(/\bfrom '([^']+)'/g, (line, source: string) => {
      if (source === 'viem') return line
      const imported = posix.join(folder, source)
      if (imported.startsWith('..')) throw new Error(`src/protocol/${name} imports ${source}`)
      waiting.push(imported)
      return `from './${posix.basename(imported)}'`
    })
    files.set(name, { path, text })
  }
  return new Map([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
