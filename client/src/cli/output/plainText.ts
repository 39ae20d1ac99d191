/**
 * What can move the cursor, colour, reorder, hide or forge the text around it: control characters (escape and the
 * C1 set among them, so that no escape sequence is left whole), line and paragraph separators, halves of surrogate
 * pairs, bidirectional marks, interlinear and tag characters.
 */
const UNSAFE =
  '[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]'

/** Text of strangers as one line of a terminal can show it. What the pattern takes out is left out. */
export function plainText(text: string): string {
  return text.replace(/[\r\n\t]+/g, ' ').replace(new RegExp(UNSAFE, 'gu'), '')
}

/**
 * A JSON document that means the same and that a terminal can show: inside of strings such characters are
 * escaped. Outside of them valid JSON has none but its white space.
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
