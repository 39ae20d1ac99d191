/** The form of codes of Node's network errors. */
const CODE = /^[A-Z][A-Z0-9_]{2,60}$/
/** Codes that are about certificates. */
const CERTIFICATE = /CERT|SELF_SIGNED|VERIFY_LEAF/
/** A message without digits, dots and slashes cannot hold a host or a URL. */
const PLAIN_WORDS = /^[a-z ]{3,40}$/

/**
 * Says why a server could not be reached, in words that are safe to log: ECONNREFUSED, ENOTFOUND, or what is wrong
 * with its certificate. Messages of network errors can quote URLs, and URLs can hold keys. So only codes are used,
 * and the innermost one wins.
 */
export function networkCause(error: unknown): string {
  const chain = causesOf(error)
  const code = chain.map(codeOf).findLast((found) => found !== undefined)
  if (code !== undefined) return CERTIFICATE.test(code) ? `its certificate is refused: ${code}` : code
  const inner = chain.at(-1)
  if (inner === undefined) return 'unknown'
  return PLAIN_WORDS.test(inner.message) ? inner.message : inner.name
}

/** An error and its causes, the outermost first. Of an AggregateError the first error counts. */
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
