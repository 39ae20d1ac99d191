import { readFile } from 'node:fs/promises'
import { posix } from 'node:path'

const FOLDER = new URL('../../src/protocol/', import.meta.url)

/**
 * Files of src/protocol with all that they import from there, by name: what the client works out for itself it works
 * out by the service's own rules.
 *
 * Throws where one of them imports anything that a copy cannot have beside it.
 */
export async function copyProtocol(roots: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>()
  const waiting = [...roots]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (files.has(name)) continue
    const text = await readFile(new URL(name, FOLDER), 'utf8')
    files.set(name, text)
    for (const [, source = ''] of text.matchAll(/\bfrom '([^']+)'/g)) {
      if (source === 'viem') continue
      if (posix.dirname(source) !== '.') throw new Error(`src/protocol/${name} imports ${source}`)
      waiting.push(posix.basename(source))
    }
  }
  return new Map([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
