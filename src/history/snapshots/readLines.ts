import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { createGunzip } from 'node:zlib'
import { StoreError } from '../../store/StoreError.ts'

/** No block has room for a log this long. Without a limit, a damaged file could take all memory. */
const LONGEST = 8 * 1024 * 1024

/**
 * The lines of a gzip file, without their ends.
 *
 * Throws StoreError if the file cannot be read or is damaged.
 */
export async function* readLines(file: string): AsyncGenerator<string> {
  const unzipped = createGunzip()
  // The error of either stream comes out of `unzipped`.
  pipeline(createReadStream(file), unzipped, () => {})
  const decoder = new StringDecoder('utf8')
  let rest = ''
  try {
    for await (const chunk of unzipped) {
      const lines = (rest + decoder.write(chunk)).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > LONGEST) throw new StoreError(`The snapshot ${file} is damaged: a line has no end.`)
      yield* lines
    }
  } catch (error) {
    throw cannotRead(file, error)
  } finally {
    unzipped.destroy()
  }
  if (rest !== '') throw new StoreError(`The snapshot ${file} is damaged: its last line has no end.`)
}

function cannotRead(file: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/^E[A-Z]+$/.test(code))
    return new StoreError(`The snapshot ${file} cannot be read (${code}).`, { cause: error })
  if (!code.startsWith('Z_')) return error
  return new StoreError(`The snapshot ${file} is damaged or cut off (${code}).`, { cause: error })
}
