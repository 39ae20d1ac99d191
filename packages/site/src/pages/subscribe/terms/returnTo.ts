import { parseUrl } from '@remit/client/request/parseUrl'

/** Where a link may lead somebody who has subscribed. */
interface ReturnTo {
  readonly href: string
  /** As the browser would ask for it: a name with look-alike letters of another script reads `xn--…` here. */
  readonly host: string
  /** Whether it is a page of the provider or the opener: the subscribe page goes there by itself. */
  readonly isTrusted: boolean
}

/**
 * Reads `?return=` of a subscribe link, which anybody can have written. A page of the provider's own domain over https, and one
 * of the origin that opened this window, are trusted. Any other address of the web is not; anything else is ignored.
 * @param domain what the provider's profile says, which is a stranger's text
 */
export function returnTo(
  asked: string | undefined,
  {
    domain,
    openerOrigin,
  }: { readonly domain: string | undefined; readonly openerOrigin: string | undefined },
): ReturnTo | undefined {
  const url = asked === undefined ? undefined : parseUrl(asked)
  if (url === undefined) return undefined
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  // A user name before the host could be mistaken for it.
  if (url.username !== '' || url.password !== '') return undefined
  const isProviders = url.protocol === 'https:' && domain !== undefined && url.host === hostOf(domain)
  return { href: url.href, host: url.host, isTrusted: isProviders || url.origin === openerOrigin }
}

/** A domain as a host, or undefined where the text is anything else, such as an address with a path. */
function hostOf(domain: string): string | undefined {
  const text = domain.trim()
  return /[\s/\\?#@:]/.test(text) ? undefined : parseUrl(`https://${text}`)?.host
}
