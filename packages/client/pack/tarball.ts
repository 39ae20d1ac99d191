import { gzipSync } from 'node:zlib'

export interface TarEntry {
  readonly path: string
  readonly content: Uint8Array
  readonly isExecutable: boolean
}

const BLOCK = 512
const MOST_NAME_BYTES = 100
/** The date that npm gives its files too: some old tools reject the year 1970. */
const MODIFIED_SECONDS = Date.UTC(1985, 9, 26, 8, 15) / 1000

/** A gzipped tar archive (ustar) of files, the same bytes for the same files wherever and whenever it is made. */
export function tarball(entries: readonly TarEntry[]): Buffer {
  const sorted = [...entries].sort((a, b) => (a.path < b.path ? -1 : 1))
  const parts = sorted.flatMap((entry) => [headerOf(entry), entry.content, padding(entry.content.length)])
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 9 })
}

function headerOf({ path, content, isExecutable }: TarEntry): Buffer {
  if (Buffer.byteLength(path) > MOST_NAME_BYTES) throw new Error(`Too long a path for an archive: ${path}`)
  const header = Buffer.alloc(BLOCK)
  header.write(path, 0)
  header.write(octal(isExecutable ? 0o755 : 0o644, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(content.length, 12), 124)
  header.write(octal(MODIFIED_SECONDS, 12), 136)
  // A regular file, in the format of POSIX.
  header.write('0', 156)
  header.write('ustar\u000000', 257)
  // The checksum counts its own field as spaces.
  header.fill(' ', 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`
}

function padding(length: number): Buffer {
  return Buffer.alloc((BLOCK - (length % BLOCK)) % BLOCK)
}
