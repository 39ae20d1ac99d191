/**
 * A text as an absolute URL, or undefined where it is none.
 *
 * In place of `URL.canParse`, which on Node 20 begins to deny URLs with letters such as "ä" once it has been called
 * often enough to be compiled.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
