import { ValidationError } from '../../errors/input.ts'

/** A parsed Authorization header. */
export interface Authorization {
  /** In lower case. */
  readonly scheme: string
  /** The text after the scheme. Never empty. */
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

/** Throws ValidationError for more than one word after Bearer, such as two headers joined by a proxy. */
export function refuseManyWords(credentials: string): void {
  if (/[\s,]/.test(credentials)) throw malformed('Bearer and one key')
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** "user:password" as UTF-8 bytes; RFC 7617 lets the server choose the encoding. Throws ValidationError. */
export function readBasic(credentials: string): Buffer {
  const pair = BASE64.test(credentials) ? Buffer.from(credentials, 'base64') : Buffer.alloc(0)
  if (!pair.includes(':')) throw malformed('Basic and the Base64 of user:password')
  return pair
}

function malformed(expected: string): ValidationError {
  return new ValidationError([{ message: `The Authorization header is malformed: it must be ${expected}.` }])
}
