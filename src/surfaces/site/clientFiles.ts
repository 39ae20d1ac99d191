import { readFileSync } from 'node:fs'
import type { ServedDocument } from '../../core/servedDocument.ts'
import { NotFoundError } from '../../errors/http.ts'
import { findPackagePath } from './findPackagePath.ts'

/** Made by `client/pack/`: by npm when it installs this repository, and by the bundle. */
const FOLDER = 'client/pack/dist'

const CONTENT_TYPES = {
  'client.tgz': 'application/gzip',
  'client.js': 'text/javascript; charset=utf-8',
} as const

type ClientFile = keyof typeof CONTENT_TYPES

/**
 * The client that fits this service: a package for npm, and one module for pages of any origin.
 *
 * They are counted and never refused, so that a page that loads its client has all its calls left.
 */
export function clientFiles(): ServedDocument[] {
  return (['client.tgz', 'client.js'] as const).map((file) => ({
    name: 'client_file',
    path: `/${file}`,
    contentType: CONTENT_TYPES[file],
    // The path stays the same while the bytes change with the service, so caches must revalidate.
    cache: 'revalidate',
    metering: 'counted',
    crossOrigin: true,
    render: () => read(file),
  }))
}

/** Throws NotFoundError where the client was not packed. */
function read(file: ClientFile): Uint8Array<ArrayBuffer> {
  let path: string
  try {
    path = findPackagePath(`${FOLDER}/${file}`)
  } catch {
    throw NotFoundError.clientNotPacked(file)
  }
  return new Uint8Array(readFileSync(path))
}
