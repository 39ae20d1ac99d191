import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { preferredCoding } from './accept.ts'

const gzipAsync = promisify(gzip)
const brotliAsync = promisify(brotliCompress)

/** Below this, compressing costs more than it saves. */
const LEAST_COMPRESSED_BYTES = 1024

/** Types that are compressed already. */
const COMPRESSED_TYPES: ReadonlySet<string> = new Set(['application/gzip'])

/** The result is a little larger than at the highest quality, and takes a tenth of the time. */
const BROTLI_QUALITY = 9

/** Content that never changes. It is compressed once for each coding that somebody asks for. */
export class Representation {
  readonly bytes: Uint8Array<ArrayBuffer>
  #inGzip: Promise<Buffer<ArrayBuffer>> | undefined
  #inBrotli: Promise<Buffer<ArrayBuffer>> | undefined

  constructor(content: string | Uint8Array<ArrayBuffer>) {
    this.bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  }

  /** Adds the request header that the choice of a coding depends on to Vary. */
  static vary(headers: Readonly<Record<string, string>>): Record<string, string> {
    return { ...headers, Vary: [headers.Vary ?? [], 'Accept-Encoding'].flat().join(', ') }
  }

  /** The whole content as a response, compressed where the caller takes that. */
  async respond(asked: Headers, headers: Readonly<Record<string, string>>): Promise<Response> {
    const vary = Representation.vary(headers)
    const isWorthIt =
      this.bytes.length >= LEAST_COMPRESSED_BYTES && !COMPRESSED_TYPES.has(headers['Content-Type'] ?? '')
    if (!isWorthIt) return new Response(this.bytes, { headers: vary })
    switch (preferredCoding(asked.get('accept-encoding'))) {
      case 'br':
        this.#inBrotli ??= brotliAsync(this.bytes, {
          params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY },
        })
        return new Response(await this.#inBrotli, { headers: { ...vary, 'Content-Encoding': 'br' } })
      case 'gzip':
        this.#inGzip ??= gzipAsync(this.bytes)
        return new Response(await this.#inGzip, { headers: { ...vary, 'Content-Encoding': 'gzip' } })
      default:
        return new Response(this.bytes, { headers: vary })
    }
  }
}
