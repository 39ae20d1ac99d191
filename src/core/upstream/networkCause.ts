const CODE = /^[A-Z][A-Z0-9_]{2,60}$/
const CERTIFICATE = /CERT|SELF_SIGNED|VERIFY_LEAF/
/** No digit, dot or slash: no host, and nothing of a URL. */
const PLAIN_WORDS = /^[a-z ]{3,40}$/

/**
 * Why a server could not be reached, in a word that the log may hold: ECONNREFUSED, ENOTFOUND, what is wrong with its
 * certificate. Messages of network errors name hosts and quote URLs, which may hold keys, so only the codes count, the
 * innermost first.
 */
export function networkCause(error: unknown): string {
  const chain = causesOf(error)
  const code = chain.map(codeOf).findLast((found) => found !== undefined)
  if (code !== undefined) return CERTIFICATE.test(code) ? `its certificate is refused: ${code}` : code
  const inner = chain.at(-1)
  if (inner === undefined) return 'unknown'
  return PLAIN_WORDS.test(inner.message) ? inner.message : inner.name
}

/** An error and what it was caused by; of several attempts, the first one. */
function causesOf(error: unknown): Error[] {
  const found: Error[] = []
  for (let next = error; next instanceof Error && found.length < 10; ) {
    found.push(next)
    next = next instanceof AggregateError && next.errors.length > 0 ? next.errors[0] : next.cause
  }
  return found
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' && CODE.test(error.code) ? error.code : undefined
}
