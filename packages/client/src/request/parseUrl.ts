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

/**
 * The service's address without a slash at its end.
 *
 * Throws TypeError where it is not one that paths can be put behind. The address is not repeated: it may hold a password.
 */
export function baseUrl(url: string | URL): string {
  const parsed = parseUrl(String(url))
  if (parsed === undefined)
    throw new TypeError('url must be the address of a service, such as https://remit.example')
  const { protocol, origin, pathname, search, hash, username, password } = parsed
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new TypeError('url must start with https:// or http://')
  if (username !== '' || password !== '')
    throw new TypeError('url must hold no password: give it as basicAuth')
  if (search !== '' || hash !== '') throw new TypeError('url must have no query and no fragment')
  return `${origin}${pathname.replace(/\/+$/, '')}`
}
