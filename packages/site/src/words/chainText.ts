import { parseUrl } from '@remit/client/request/parseUrl'

// What somebody types for the chain (a plan's description, a provider's profile), and what the service takes of it.

/** The longest text that the service takes for the chain, in bytes of UTF-8. It is one line. */
export const MOST_BYTES = 255

const encoder = new TextEncoder()

/** What somebody has typed, as the service takes it. */
export function chainText(typed: string): string {
  return clipBytes(typed.trim().replaceAll(/\s*[\n\r\t\u2028\u2029]\s*/g, ' ')).trimEnd()
}

/** How many bytes of UTF-8 a text has. */
export function bytesOf(text: string): number {
  return encoder.encode(text).length
}

/** As much of a text as fits into so many bytes. No character is cut in two, no emoji either. */
export function clipBytes(text: string, most = MOST_BYTES): string {
  if (bytesOf(text) <= most) return text
  let bytes = 0
  let end = 0
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    bytes += bytesOf(segment)
    if (bytes > most) break
    end += segment.length
  }
  return text.slice(0, end)
}

/** What is wrong with a link for the chain; `undefined` for one that the service takes, and for none. */
export function linkProblem(url: string): string | undefined {
  if (url === '' || (/^https:\/\/\S+$/i.test(url) && parseUrl(url) !== undefined)) return undefined
  return 'Begin it with https:// and write it without spaces, or leave it empty.'
}

/** What is wrong with a domain for a profile; `undefined` for one that could be looked up, and for none. */
export function domainProblem(domain: string): string | undefined {
  const host = /[\s/?#@\\:]/.test(domain) ? undefined : parseUrl(`https://${domain}`)?.host
  if (domain === '' || /^([a-z0-9-]+\.)+[a-z][a-z0-9-]+$/.test(host ?? '')) return undefined
  return 'Write it as shop.example, without https://, or leave it empty.'
}

/** What is wrong with an e-mail address for a profile; `undefined` for one that mail could reach, and for none. */
export function emailProblem(email: string): string | undefined {
  if (email === '' || /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) return undefined
  return 'Write it as name@shop.example, or leave it empty.'
}
