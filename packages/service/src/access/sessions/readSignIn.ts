import { isIPv6 } from 'node:net'
import { Address as AddressText } from '@remit/engine/schema/hex'
import { parseUrl } from '@remit/engine/schema/text'
import { type Address, isAddressEqual, zeroAddress } from 'viem'
import * as z from 'zod'
import { SignInFailedError } from '../../errors/access.ts'
import { NONCE_MS } from './SessionStore.ts'

// Reads the message that a wallet signs to sign in (EIP-4361), in two steps: `parseMessage` reads it by the grammar of the standard, and
// `flawOf` judges whether it is for this service, now. The signature is the concern of `Sessions`.

/** How far the clocks of a wallet and of the service may differ. */
const SKEW_MS = 60_000

/** What a sign-in must fit. */
interface SignInRules {
  readonly origins: readonly string[]
  readonly chainIds: ReadonlySet<number>
  /** Unix milliseconds. */
  readonly now: number
}

/** A message that fits. Its signature is not checked yet. */
interface SignIn {
  readonly address: Address
  readonly chainId: number
  readonly nonce: string
  /** Unix milliseconds; `undefined` where the message does not end. */
  readonly expiresAt: number | undefined
}

/** Reads a message of EIP-4361 that was made for this service. Throws SignInFailedError, which says what does not fit. */
export function readSignIn(message: string, rules: SignInRules): SignIn {
  const fields = parseMessage(message)
  const flaw = flawOf(fields, rules)
  if (flaw !== undefined) throw new SignInFailedError(flaw)
  const { address, chainId, nonce, expirationTime } = fields
  return { address, chainId, nonce, expiresAt: expirationTime }
}

/** Why a message does not fit this service at this time; `undefined` where it does. */
function flawOf(message: SignInMessage, { origins, chainIds, now }: SignInRules): string | undefined {
  const { address, domain, scheme, uri, chainId, issuedAt, expirationTime, notBefore } = message
  const mine = origins.map((origin) => new URL(origin))
  const known = mine.find(
    ({ host, protocol }) =>
      host === domain.toLowerCase() && (scheme === undefined || `${scheme.toLowerCase()}:` === protocol),
  )
  if (known === undefined) return 'the message is for another domain'
  if (parseUrl(uri)?.origin !== known.origin) return 'the message is for another URI'
  if (isAddressEqual(address, zeroAddress)) return 'the zero address is nobody’s wallet'
  if (!chainIds.has(chainId)) return 'the message names a chain that is not served here (Chain ID)'
  if (issuedAt > now + SKEW_MS) return 'the message was issued in the future (Issued At)'
  if (issuedAt < now - NONCE_MS - SKEW_MS) return 'the message is too old (Issued At)'
  if (expirationTime !== undefined && expirationTime <= now)
    return 'the message has expired (Expiration Time)'
  if (notBefore !== undefined && notBefore > now + SKEW_MS)
    return 'the message does not hold yet (Not Before)'
  return undefined
}

/** What a message of EIP-4361 says. Nothing of it is judged yet. */
interface SignInMessage {
  /** `undefined` where the message names none. */
  readonly scheme: string | undefined
  /** A host, with or without a port. */
  readonly domain: string
  readonly address: Address
  readonly uri: string
  readonly chainId: number
  readonly nonce: string
  /** Unix milliseconds, like the next two. */
  readonly issuedAt: number
  readonly expirationTime: number | undefined
  readonly notBefore: number | undefined
}

// The grammar of a URI (RFC 3986) as patterns. PLAIN is for use inside of a character class.
const PLAIN = "A-Za-z0-9\\-._~!$&'()*+,;="
const ESCAPED = '%[0-9A-Fa-f]{2}'
const PCHAR = `(?:[${PLAIN}:@]|${ESCAPED})`
const SCHEME = '[A-Za-z][A-Za-z0-9+\\-.]*'
const HOST = `(?:\\[[0-9A-Fa-f:.]+\\]|(?:[${PLAIN}]|${ESCAPED})*)`
const AUTHORITY = `(?:(?:[${PLAIN}:]|${ESCAPED})*@)?${HOST}(?::\\d*)?`
const PATH = `(?://${AUTHORITY}(?:/${PCHAR}*)*|/?(?:${PCHAR}+(?:/${PCHAR}*)*)?)`
const MORE = `(?:${PCHAR}|[/?])*`
const URI = new RegExp(`^${SCHEME}:${PATH}(?:\\?${MORE})?(?:#${MORE})?$`)

const FIRST_LINE = new RegExp(
  `^(?:(${SCHEME})://)?(${AUTHORITY}) wants you to sign in with your Ethereum account:$`,
)
const REQUEST_ID = new RegExp(`^${PCHAR}*$`)
const STATEMENT = new RegExp(`^[${PLAIN}:/?#[\\]@ ]*$`)

/** How one field has to be written. */
interface Form<Value> {
  /** The field's value; `undefined` for a text of another form. */
  read(text: string): Value | undefined
  /** The form in words, for errors: "its Nonce is not …". */
  readonly words: string
}

/** The form of a field that is kept as text. */
const form = (pattern: RegExp, words: string): Form<string> => ({
  read: (text) => (pattern.test(text) ? text : undefined),
  words,
})
const URI_FORM: Form<string> = {
  read(text) {
    // Brackets stand around an IPv6 address and nowhere else. The pattern alone does not know which ones are valid.
    const literal = /\[(.*)\]/.exec(text)?.[1]
    return URI.test(text) && (literal === undefined || isIPv6(literal)) ? text : undefined
  },
  words: 'a URI of RFC 3986',
}
const TIME: Form<number> = {
  read: unixMsOf,
  words: 'a time of RFC 3339 that there is, such as 2026-01-20T10:00:00Z',
}

/**
 * Reads a message by the grammar of EIP-4361, whoever has written it. The whole message has to fit: nothing is looked for.
 *
 * Throws SignInFailedError, which names the field that does not fit.
 */
function parseMessage(message: string): SignInMessage {
  if (message.includes('\r')) throw misfit('its lines must end by LF alone')
  const [first = '', written = '', blank, statement = '', end, ...others] = message.split('\n')
  const [, scheme, domain] = FIRST_LINE.exec(first) ?? []
  if (domain === undefined) {
    throw misfit(
      'its first line is not a domain with the words “wants you to sign in with your Ethereum account:”',
    )
  }
  const address = addressOf(written)
  if (blank !== '') throw misfit('no empty line follows the address')
  // After the address: an empty line, the statement, an empty line. Without a statement, one empty line less.
  const hasStatement = end === ''
  if (!hasStatement && statement !== '')
    throw misfit('no empty line follows the statement, which has one line')
  if (!STATEMENT.test(statement))
    throw misfit('its statement has characters other than those of a URI and spaces')
  // The number is that of the lines before the first field, for errors. Without a statement the line taken for `end` is that field.
  const lines = hasStatement ? new Fields(others, 5) : new Fields([end ?? '', ...others], 4)
  const uri = lines.take('URI', URI_FORM)
  lines.take('Version', form(/^1$/, '1'))
  const chainId = lines.take('Chain ID', form(/^\d+$/, 'a number in decimal digits'))
  const nonce = lines.take('Nonce', form(/^[A-Za-z0-9]{8,}$/, 'eight or more letters and digits'))
  const issuedAt = lines.take('Issued At', TIME)
  const expirationTime = lines.find('Expiration Time', TIME)
  const notBefore = lines.find('Not Before', TIME)
  lines.find('Request ID', form(REQUEST_ID, 'text that a path of RFC 3986 may hold'))
  lines.end()
  return {
    scheme,
    domain,
    address,
    uri,
    chainId: Number(chainId),
    nonce,
    issuedAt,
    expirationTime,
    notBefore,
  }
}

function addressOf(text: string): Address {
  const { data, error } = AddressText.safeParse(text)
  if (data === undefined) throw misfit(`its address ${error?.issues[0]?.message}`)
  return data
}

/** Reads the lines that have a name, which stand in a fixed order, and the list of resources after them. */
class Fields {
  readonly #lines: readonly string[]
  /** How many lines of the message come before. */
  readonly #before: number
  #next = 0

  constructor(lines: readonly string[], before: number) {
    this.#lines = lines
    this.#before = before
  }

  /** The value of the next line, which must have this name. */
  take<Value>(name: string, asked: Form<Value>): Value {
    const value = this.find(name, asked)
    if (value === undefined) throw misfit(`its line ${this.#number} is not ${name}`)
    return value
  }

  /** As `take`; `undefined` where the next line has another name. */
  find<Value>(name: string, { read, words }: Form<Value>): Value | undefined {
    const line = this.#lines[this.#next]
    if (!line?.startsWith(`${name}: `)) return undefined
    const value = read(line.slice(name.length + 2))
    if (value === undefined) throw misfit(`its ${name} is not ${words}`)
    this.#next += 1
    return value
  }

  /** Checks that nothing follows but resources. */
  end(): void {
    if (this.#lines[this.#next] === 'Resources:') {
      this.#next += 1
      while (this.#lines[this.#next]?.startsWith('- ')) {
        const text = this.#lines[this.#next]?.slice(2) ?? ''
        if (URI_FORM.read(text) === undefined) throw misfit(`one of its Resources is not ${URI_FORM.words}`)
        this.#next += 1
      }
    }
    if (this.#next < this.#lines.length)
      throw misfit(`its line ${this.#number} is not one that may stand there`)
  }

  /** The number of the next line, counted from 1. */
  get #number(): number {
    return this.#before + this.#next + 1
  }
}

const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})T((?:[01]\d|2[0-3]):[0-5]\d):([0-5]\d|60)(\.\d+)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Unix milliseconds of a time of RFC 3339; `undefined` for a text that is none. */
function unixMsOf(text: string): number | undefined {
  const [, day = '', minute, second, fraction = '', zone] = DATE_TIME.exec(text.toUpperCase()) ?? []
  // `Date.parse` would take the 30th of February for a day of March, so the day is checked first. It knows no leap second (60) either.
  if (!z.iso.date().safeParse(day).success) return undefined
  return Date.parse(`${day}T${minute}:${second === '60' ? '59' : second}${fraction}${zone}`)
}

/** The error for a message that is not written as EIP-4361 has it. @param how what is wrong: follows a colon */
function misfit(how: string): SignInFailedError {
  return new SignInFailedError(`the message is not one of EIP-4361: ${how}`)
}
