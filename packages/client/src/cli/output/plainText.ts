/**
 * Characters that can move the cursor, or colour, reorder, hide or forge the text around them: control characters
 * (with escape and the C1 set, so that no escape sequence works), line and paragraph separators, halves of surrogate
 * pairs, bidirectional marks, interlinear and tag characters.
 */
const UNSAFE =
  '[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]'

/** Untrusted text, safe to show in one line of a terminal. Unsafe characters are removed. */
export function plainText(text: string): string {
  return text.replace(/[\r\n\t]+/g, ' ').replace(new RegExp(UNSAFE, 'gu'), '')
}

/** The same JSON document with every text in it plain, for commands that write it into sentences. Other text stays as it is. */
export function withPlainTexts(document: string): string {
  try {
    const plain: unknown = JSON.parse(document, (_name, value: unknown) =>
      typeof value === 'string' ? plainText(value) : value,
    )
    return JSON.stringify(plain)
  } catch {
    return document
  }
}

/**
 * The same JSON document, safe to show on a terminal: unsafe characters are escaped. In valid JSON they stand only
 * inside strings, apart from white space.
 */
export function plainJson(document: string): string {
  const escaped = document.replace(new RegExp(UNSAFE, 'gu'), (character) =>
    /[\r\n\t]/.test(character) ? ' ' : escapeUnits(character),
  )
  return escaped.trim()
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16).padStart(4, '0')
    return `\\u${unit}`
  }).join('')
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Emoji, and the scripts whose characters take two cells: Hangul, CJK, full-width forms. */
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u

/** How many cells of a terminal a text takes. */
export function textWidth(text: string): number {
  // The usual case, and by far the quickest.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  return graphemesOf(text).reduce((width, grapheme) => width + graphemeWidth(grapheme), 0)
}

/** The text cut down to so many cells, with "…" where something is missing. */
export function fitText(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let kept = ''
  let used = 0
  for (const grapheme of graphemesOf(text)) {
    used += graphemeWidth(grapheme)
    if (used > width - 1) break
    kept += grapheme
  }
  return `${kept}…`
}

function graphemesOf(text: string): string[] {
  return [...segmenter.segment(text)].map(({ segment }) => segment)
}

function graphemeWidth(grapheme: string): number {
  if (/^[\p{Mn}\p{Me}\p{Cf}]+$/u.test(grapheme)) return 0
  return WIDE.test(grapheme) ? 2 : 1
}
