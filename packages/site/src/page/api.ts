import { apiClientWith } from '@remit/client/createApiClient'
import { parseUrl } from '@remit/client/request/parseUrl'
import { sessionSecret } from '../session/secret.ts'
import { KeptWrites } from './KeptWrites.ts'
import { pageData } from './pageData.ts'

/** The path that a proxy puts before the site's own; mostly empty. */
export const root = parseUrl(pageData.publicUrl)?.pathname.replace(/\/+$/, '') ?? ''

/** Where the API is: always this page's own origin, which is all that its policy lets it ask. */
export const apiUrl = `${location.origin}${root}`

export const chainId = pageData.chain?.chainId

/** As the platform's fetch, with the secret of the signed-in wallet's session where there is one. */
export const fetchInSession: typeof fetch = (input, init) => {
  const secret = sessionSecret()
  if (secret === undefined) return fetch(input, init)
  const headers = new Headers(init?.headers)
  headers.set('X-Session-Secret', secret)
  return fetch(input, { ...init, headers })
}

/** What every client of this page has had sent, and pages before it: their answers are no older. */
export const ownWrites = new KeptWrites(chainId)

const options = { url: apiUrl, chainId, fetch: fetchInSession }

/** Reads of the page's chain, which cost the visitor's units. What came with the page (`given()`) costs nothing more. */
export const api = apiClientWith(ownWrites, options)

/** The same for what a page waits for: a limit is an error at once, which the page counts down (`Failed`). */
export const promptApi = apiClientWith(ownWrites, { ...options, maxRetryAfterSeconds: 2 })

/**
 * The address of a page or of an API route, on the page's chain.
 * @param path such as `/plans`
 */
export function linkTo(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value) parameters.set(name, value)
  const { chain } = pageData
  if (chain !== null && !chain.isDefault && !parameters.has('chainId')) {
    parameters.set('chainId', String(chain.chainId))
  }
  return `${root}${path}${parameters.size === 0 ? '' : `?${parameters}`}`
}

/** The same page on another chain, without what only this chain knows. */
export function linkToChain(other: number): string {
  const parameters = new URLSearchParams({ chainId: String(other) })
  return `${location.pathname}?${parameters}`
}
