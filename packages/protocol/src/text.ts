/**
 * Controls (new lines too), bidirectional marks, embeddings and isolates, line and paragraph separators,
 * and halves of surrogate pairs: what can reorder, hide or break the text around it. The byte order mark too:
 * decoders of UTF-8 leave it out in front, so that a text with it is not read back as it was written.
 *
 * Strangers write text on chain and wallets show it. So these characters are refused in inputs and removed from outputs.
 */
const UNSAFE = '[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ufeff]'

/** Whether an input must be refused. */
export function hasUnsafeCharacters(text: string): boolean {
  return new RegExp(UNSAFE, 'u').test(text)
}

/** The text without any of them. */
function withoutUnsafeCharacters(text: string): string {
  return text.replace(new RegExp(UNSAFE, 'gu'), '')
}

/** Longest text that `cleanText` lets through when no other limit is given. */
const MAX_TEXT_LENGTH = 1_000

/**
 * A stranger's text made safe to pass on as data: unsafe characters gone, its length capped.
 *
 * Line breaks and tabs become single spaces, so that words stay apart. A text over the cap is cut at a whole character and closed
 * with "…".
 *
 * NUL and a leading byte order mark are removed first: some sources have dropped them already, and the result must be the same.
 * @param maxLength in UTF-16 units, the ellipsis included
 */
export function cleanText(text: string, maxLength: number = MAX_TEXT_LENGTH): string {
  const written = text.replaceAll('\0', '').replace(/^\ufeff+/, '')
  // Cut before the scan too, so that a huge text costs no more time than a long one.
  const head = written.slice(0, maxLength * 2)
  const clean = withoutUnsafeCharacters(head.replace(/[\t\n\r\u2028\u2029]+/g, ' '))
  if (clean.length <= maxLength && head.length === written.length) return clean
  const cut = clean.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')
  return `${cut}…`
}

/**
 * A cell's text that no spreadsheet runs as a formula, also where it splits columns at `;` or at tabs: an apostrophe stands
 * before each sign that begins one, wherever a column or a row may begin. Strangers write some of these texts.
 *
 * Some spreadsheets take the full-width signs of East Asian keyboards for the plain ones.
 */
export function disarmSpreadsheetCell(text: string): string {
  return text.replace(FORMULA, "'")
}

/** The place before what begins a formula, with the quotation marks and spaces that spreadsheets take away in front of it. */
const FORMULA = /(?<=^|[;\t\r\n])(?=["\s]*[=+\-@\uff1d\uff0b\uff0d\uff20])|^(?=[\t\r])/g
