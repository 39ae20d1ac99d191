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
