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
export function preferredCoding(acceptEncoding: string | null): (typeof CODINGS)[number] | undefined {
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
