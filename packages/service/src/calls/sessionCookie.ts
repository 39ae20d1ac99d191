/** The form of both secrets of a session: 32 random bytes in base64url. */
const SECRET = /^[A-Za-z0-9_-]{43}$/

/** The header with the second secret of a session. */
export const SESSION_HEADER = 'x-session-secret'

/** What a request shows of a session. */
export interface ShownSession {
  /** The values of all cookies with the name: beside the session's own there may be others. Never empty. */
  readonly tokens: readonly string[]
  /** The secret in the header; `undefined` where the header is missing or malformed. */
  readonly secret: string | undefined
}

/**
 * The cookie of a session. Scripts cannot read it, and browsers send it from pages of this site only.
 *
 * Where the service is reached by https, the prefix `__Host-` keeps other hosts of the domain from setting it. By http,
 * every port of the host is sent the cookie and may set one. So the cookie alone is worthless: the page keeps a second
 * secret, in the storage of its origin, which other ports cannot read, and shows it in a header.
 * @param https whether the public address is https
 */
export function sessionCookie(https: boolean) {
  const name = https ? '__Host-remit_session' : 'remit_session'
  const attributes = `Path=/; HttpOnly; SameSite=Strict${https ? '; Secure' : ''}`
  return {
    /** What a request shows; `undefined` where it has no such cookie. @param header reads one, by its lower-case name */
    read(header: (name: string) => string | undefined): ShownSession | undefined {
      const tokens = (header('cookie') ?? '')
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(`${name}=`))
        .map((pair) => pair.slice(name.length + 1))
        .filter((token) => SECRET.test(token))
      const secret = header(SESSION_HEADER)
      if (tokens.length === 0) return undefined
      return { tokens, secret: secret !== undefined && SECRET.test(secret) ? secret : undefined }
    },
    set: (token: string, seconds: number) => `${name}=${token}; Max-Age=${seconds}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  }
}

export type SessionCookie = ReturnType<typeof sessionCookie>
