import { parseUrl } from '../schema/text.ts'

// Keeps passwords and keys that stand in URLs out of logs and of messages: either every URL in a text is cut off after `://` (`withoutUrls`), or the
// secrets of known URLs are found (`passwordOf`, `nodeSecretsOf`), for the caller to strike them out of all that it writes.

/** Shorter secrets would match parts of ordinary words. */
export const LEAST_SECRET_LENGTH = 6
/** A part of a node's URL with at least this length is probably a key. */
const LEAST_KEY_LENGTH = 12

/** The text without what its URLs lead to: they may hold passwords and keys. Paths of files stay. */
export function withoutUrls(text: string): string {
  return text.replace(/(?<![a-z0-9+.-])(?!file:)([a-z][a-z0-9+.-]*):\/\/[^\s"'<>)]+/gi, '$1://…')
}

/** The password of a URL, as it stands there and as it is sent. Drivers of databases take it from the query, too. */
export function passwordOf(url: string | undefined): string[] {
  const parsed = parseUrl(url ?? '')
  if (parsed === undefined) return []
  const { password, searchParams } = parsed
  return longEnough([password, decode(password), ...searchParams.getAll('password')], LEAST_SECRET_LENGTH)
}

/**
 * What may be secret in a node's URL. Providers put their keys into the user, the path or the query.
 * @param least how long such a part must be
 */
export function nodeSecretsOf(url: string | undefined, least = LEAST_KEY_LENGTH): string[] {
  const parsed = parseUrl(url ?? '')
  if (parsed === undefined) return []
  const parts = [parsed.username, ...parsed.pathname.split('/')]
  const keys = [...parts, ...parts.map(decode), ...parsed.searchParams.values()]
  return [...passwordOf(url), ...longEnough(keys, least)]
}

function longEnough(texts: readonly string[], least: number): string[] {
  return texts.filter(({ length }) => length >= least)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
