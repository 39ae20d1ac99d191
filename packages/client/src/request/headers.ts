/** The credentials of a caller. */
export interface Credentials {
  /** Of the developer lane: svc_… */
  readonly apiKey?: string | undefined
  /** The operator's. It is sent to the routes that manage keys, and to no other. */
  readonly adminSecret?: string | undefined
  /** Where the service is behind HTTP Basic Auth. The key then travels in X-API-Key. */
  readonly basicAuth?: { readonly user: string; readonly password: string } | undefined
}

/** The headers of a request, by whether it manages keys and has a body. */
type HeadersOf = (request: { forOperators: boolean; hasBody: boolean }) => Record<string, string>

/**
 * Makes the headers of each request of a client. Throws TypeError for a secret that no header can carry, without repeating it: the
 * platform's own message, later, would.
 */
export function createHeaders({ apiKey, adminSecret, basicAuth }: Credentials): HeadersOf {
  for (const [name, secret] of Object.entries({ apiKey, adminSecret })) {
    if (secret !== undefined && !/^[\x21-\x7e]+$/.test(secret)) {
      throw new TypeError(`${name} must be visible ASCII characters without spaces or line breaks`)
    }
  }
  if (basicAuth?.user.includes(':')) throw new TypeError('basicAuth.user cannot have a colon')
  const basic =
    basicAuth === undefined ? undefined : `Basic ${base64(`${basicAuth.user}:${basicAuth.password}`)}`
  return ({ forOperators, hasBody }) => ({
    Accept: 'application/json',
    ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
    ...(basic === undefined ? {} : { Authorization: basic }),
    ...(forOperators ? header('X-Service-Admin-Key', adminSecret) : keyHeader(apiKey, basic !== undefined)),
  })
}

/** @param isTaken whether Basic Auth has the Authorization header */
function keyHeader(apiKey: string | undefined, isTaken: boolean): Record<string, string> {
  if (apiKey === undefined || isTaken) return header('X-API-Key', apiKey)
  return { Authorization: `Bearer ${apiKey}` }
}

function header(name: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [name]: value }
}

/** Of the text's UTF-8: btoa alone takes Latin-1. */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}
