import { parseUrl } from '@remit/client/request/parseUrl'

/** What the service takes of a text for the chain: one line, of so many bytes of UTF-8. */
export const MOST_BYTES = 255

const encoder = new TextEncoder()

/** What somebody has typed, as the service takes it. */
export function chainText(typed: string): string {
  return clipBytes(typed.trim().replaceAll(/\s*[\n\r\t\u2028\u2029]\s*/g, ' ')).trimEnd()
}

/** As much of a text as there are bytes for. No character is cut in two, no emoji either. */
export function clipBytes(text: string): string {
  if (encoder.encode(text).length <= MOST_BYTES) return text
  let bytes = 0
  let end = 0
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    bytes += encoder.encode(segment).length
    if (bytes > MOST_BYTES) break
    end += segment.length
  }
  return text.slice(0, end)
}

/** What is wrong with a link for the chain; `undefined` for one that the service takes, and for none. */
export function linkProblem(url: string): string | undefined {
  if (url === '' || (/^https:\/\/\S+$/i.test(url) && parseUrl(url) !== undefined)) return undefined
  return 'Begin it with https:// and write it without spaces, or leave it empty.'
}

/** Lets a control take no more than that. Its own `maxLength` counts in UTF-16, of which a unit has up to three bytes. */
export function limitBytes({
  currentTarget,
}: {
  readonly currentTarget: HTMLInputElement | HTMLTextAreaElement
}): void {
  const clipped = clipBytes(currentTarget.value)
  if (clipped !== currentTarget.value) currentTarget.value = clipped
}
