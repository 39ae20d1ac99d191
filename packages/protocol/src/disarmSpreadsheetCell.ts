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
