import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

// Content negotiation (RFC 9110): in which media type an answer is sent, and how fixed content is compressed.

/**
 * The offered media type that the Accept header prefers; `undefined` where it excludes all of them.
 *
 * Ties go to the type that is offered first. A header that cannot be read excludes nothing.
 */
export function negotiate(accept: string | null, offers: readonly string[]): string | undefined {
  const ranges = accept === null ? [] : accept.split(',').flatMap(parseRange)
  if (ranges.length === 0) return offers[0]
  let best: { offer: string; quality: number } | undefined
  for (const offer of offers) {
    const quality = qualityOf(offer, ranges)
    if (quality > (best?.quality ?? 0)) best = { offer, quality }
  }
  return best?.offer
}

const CODINGS = ['br', 'gzip'] as const

/** The best coding that an Accept-Encoding header names and does not exclude by q=0; `undefined` for none. */
function preferredCoding(acceptEncoding: string | null): (typeof CODINGS)[number] | undefined {
  const named = (acceptEncoding ?? '').split(',').flatMap((part) => {
    const [coding = '', weight = ''] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/)
    return /^q=0(\.0*)?$/.test(weight) ? [] : [coding.replace(/^x-gzip$/, 'gzip')]
  })
  return CODINGS.find((coding) => named.includes(coding))
}

interface MediaRange {
  readonly type: string
  readonly quality: number
}

function parseRange(text: string): MediaRange[] {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  if (!/^[^\s/]+\/[^\s/]+$/.test(type)) return []
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  const quality = weight === undefined ? 1 : Number(weight)
  return [{ type, quality: quality >= 0 && quality <= 1 ? quality : 1 }]
}

/** The most specific range that matches decides: "application/json;q=0, *\/*" excludes JSON. */
function qualityOf(offer: string, ranges: readonly MediaRange[]): number {
  const family = `${offer.split('/')[0]}/*`
  for (const pattern of [offer, family, '*/*']) {
    const matching = ranges.filter(({ type }) => type === pattern)
    if (matching.length > 0) return Math.max(...matching.map(({ quality }) => quality))
  }
  return 0
}

const gzipAsync = promisify(gzip)
const brotliAsync = promisify(brotliCompress)

/** Below this, compressing costs more than it saves. */
const LEAST_COMPRESSED_BYTES = 1024

/** Types that are compressed already. */
const COMPRESSED_TYPES: ReadonlySet<string> = new Set(['application/gzip'])

/** The result is a little larger than at the highest quality, and takes a tenth of the time. */
const BROTLI_QUALITY = 9

/** Content that is sent many times, such as a document. It is compressed once for each coding that somebody asks for. */
export class Representation {
  readonly bytes: Uint8Array<ArrayBuffer>
  #inGzip: Promise<Buffer<ArrayBuffer>> | undefined
  #inBrotli: Promise<Buffer<ArrayBuffer>> | undefined

  constructor(content: string | Uint8Array<ArrayBuffer>) {
    this.bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  }

  /** These headers with Accept-Encoding in Vary: which coding is sent depends on it. */
  static vary(headers: Readonly<Record<string, string>>): Record<string, string> {
    return { ...headers, Vary: [headers.Vary ?? [], 'Accept-Encoding'].flat().join(', ') }
  }

  /** The whole content as a response, compressed where the caller takes that. @param asked the headers of the request */
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
