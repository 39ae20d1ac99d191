import { parseUrl } from '@remit/client/request/parseUrl'

/**
 * Characters that nobody sees: those of category C (controls, formats such as zero width and direction) but line breaks and
 * U+200D, which joins emoji; and eight of other categories that show as nothing.
 */
const UNSEEN = /[^\P{C}\n\u200d]|[\u061c\u115f\u1160\u17b4\u17b5\u2028\u2029\u3164\uffa0]/gu

/** In UTF-16 code units: no character that people write is longer, with its marks and joined parts. */
const LONGEST_CHARACTER = 24

/** A stranger's text, made harmless: without unseen characters, at most three marks on each, and clipped to `most` characters. */
export function strangersText(text: string, most = 280): string {
  const start = text.slice(0, most * LONGEST_CHARACTER)
  const plain = start
    .normalize('NFC')
    .replaceAll(UNSEEN, '')
    .replaceAll(/(\p{M}{3})\p{M}+/gu, '$1')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
  const characters = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(plain)]
  const isWhole = characters.length <= most && start.length === text.length
  if (isWhole) return plain
  return `${characters
    .slice(0, most)
    .map(({ segment }) => segment)
    .join('')
    .trimEnd()}…`
}

/** Where a stranger's link leads, if it may be followed. The host is as browsers resolve it: no letters of other scripts. */
export function strangersLink(text: string): { readonly href: string; readonly host: string } | undefined {
  const url = text.length <= 2_000 && /^https?:\/\//i.test(text) ? parseUrl(text) : undefined
  if (url === undefined) return undefined
  const { protocol, host, href, username, password } = url
  if (protocol !== 'https:' && protocol !== 'http:') return undefined
  // "https://bank.example@evil.example" is for people who read only the beginning.
  if (username !== '' || password !== '') return undefined
  return { href, host }
}
