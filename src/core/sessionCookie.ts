/** The form of a session's token: 32 random bytes in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/

/**
 * The cookie of a session. Scripts cannot read it, and browsers send it from pages of this site only.
 *
 * Where the service is reached by https, the prefix `__Host-` keeps other hosts of the domain from setting it.
 * @param https whether the public address is https
 */
export function sessionCookie(https: boolean) {
  const name = https ? '__Host-remit_session' : 'remit_session'
  const attributes = `Path=/; HttpOnly; SameSite=Strict${https ? '; Secure' : ''}`
  return {
    /** The token in a Cookie header; `undefined` where there is none, or more than one. */
    read(header: string | undefined): string | undefined {
      const named = (header ?? '')
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(`${name}=`))
      const [pair, second] = named
      const token = pair?.slice(name.length + 1)
      return second === undefined && token !== undefined && TOKEN.test(token) ? token : undefined
    },
    set: (token: string, seconds: number) => `${name}=${token}; Max-Age=${seconds}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  }
}

export type SessionCookie = ReturnType<typeof sessionCookie>
