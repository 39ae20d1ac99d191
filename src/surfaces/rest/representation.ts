import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { ServedDocument } from '../../core/servedDocument.ts'
import { acceptsGzip } from '../http/accept.ts'
import { matchesEtag, weakEtag } from './etag.ts'

const zip = promisify(gzip)

/** What is compressed already. */
const COMPRESSED_TYPES: ReadonlySet<string> = new Set(['application/gzip'])

const CROSS_ORIGIN_HEADERS: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
}

/** Below this, compressing costs more than it saves. */
const LEAST_COMPRESSED_BYTES = 1024

const CACHE_CONTROL: Readonly<Record<ServedDocument['cache'], string>> = {
  revalidate: 'private, no-cache',
  immutable: 'public, max-age=31536000, immutable',
}

/** A document's answers: made when it is first asked for, and compressed once. */
export function represent(document: ServedDocument) {
  let plain: { bytes: Uint8Array<ArrayBuffer>; etag: string } | undefined
  let zipped: Promise<Buffer<ArrayBuffer>> | undefined

  function content() {
    if (plain === undefined) {
      const rendered = document.render()
      const bytes = typeof rendered === 'string' ? new TextEncoder().encode(rendered) : rendered
      plain = { bytes, etag: weakEtag(bytes) }
    }
    return plain
  }

  /** @param shared the headers of every answer to this caller */
  return async (asked: Headers, shared: Readonly<Record<string, string>>): Promise<Response> => {
    const { bytes, etag } = content()
    const headers: Record<string, string> = {
      ...shared,
      ETag: etag,
      'Cache-Control': CACHE_CONTROL[document.cache],
      Vary: [shared.Vary ?? [], 'Accept-Encoding'].flat().join(', '),
      ...(document.contentSecurityPolicy === undefined
        ? {}
        : { 'Content-Security-Policy': document.contentSecurityPolicy }),
      ...(document.crossOrigin ? CROSS_ORIGIN_HEADERS : {}),
    }
    if (matchesEtag(asked.get('if-none-match'), etag)) return new Response(null, { status: 304, headers })
    headers['Content-Type'] = document.contentType
    const isWorthIt = bytes.length >= LEAST_COMPRESSED_BYTES && !COMPRESSED_TYPES.has(document.contentType)
    if (!isWorthIt || !acceptsGzip(asked.get('accept-encoding'))) {
      return new Response(bytes, { headers })
    }
    zipped ??= zip(bytes)
    return new Response(await zipped, { headers: { ...headers, 'Content-Encoding': 'gzip' } })
  }
}
