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
