import { ValidationError } from '../../errors/input.ts'

/** An Authorization header, taken apart. */
export interface Authorization {
  /** Lower case: schemes are named in any. */
  readonly scheme: string
  /** All that follows the scheme. Never empty. */
  readonly credentials: string
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const SHAPE = new RegExp(`^(${TOKEN})[ \\t]+(\\S.*)$`)

/** Throws ValidationError for a header that has no scheme, or nothing after it. */
export function readAuthorization(header: string): Authorization {
  const [, scheme, credentials] = SHAPE.exec(header.trim()) ?? []
  if (scheme === undefined || credentials === undefined) throw malformed('a scheme and credentials')
  return { scheme: scheme.toLowerCase(), credentials }
}

/** Throws ValidationError for a bearer's credentials of more than one word, such as two headers put together. */
export function refuseManyWords(credentials: string): void {
  if (/[\s,]/.test(credentials)) throw malformed('Bearer and one key')
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** "user:password" as bytes, which RFC 7617 leaves to the server: here UTF-8. Throws ValidationError. */
export function readBasic(credentials: string): Buffer {
  const pair = BASE64.test(credentials) ? Buffer.from(credentials, 'base64') : Buffer.alloc(0)
  if (!pair.includes(':')) throw malformed('Basic and the Base64 of user:password')
  return pair
}

function malformed(expected: string): ValidationError {
  return new ValidationError([{ message: `The Authorization header is malformed: it must be ${expected}.` }])
}
