/**
 * A text as a URL, or undefined where it is none.
 *
 * In place of `URL.canParse`, which on Node 20 begins to deny URLs with letters such as "ä" once it has been called
 * often enough to be compiled.
 * @param base what a relative one is relative to
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
