import type { Address } from 'viem'
import { createSiweMessage, parseSiweMessage } from 'viem/siwe'
import * as z from 'zod'
import { SignInFailedError } from '../../errors/access.ts'
import { Address as AddressText } from '../../schema/address.ts'
import { NONCE_MS } from './SessionStore.ts'

/** How far the clocks of a wallet and of the service may differ. */
const SKEW_MS = 60_000

/** What a sign-in must fit. */
export interface SignInRules {
  /** The origins of the service's pages. */
  readonly origins: readonly string[]
  /** The chains that are served. */
  readonly chainIds: ReadonlySet<number>
  /** Unix milliseconds. */
  readonly now: number
}

/** A message that fits. Its signature is not checked yet. */
export interface SignIn {
  readonly address: Address
  readonly chainId: number
  readonly nonce: string
  /** Unix milliseconds; `undefined` where the message does not end. */
  readonly expiresAt: number | undefined
}

const time = z.date().refine((date) => !Number.isNaN(date.getTime()))

/** Optional fields are left out where they are not given: `undefined` is then not one of their values. */
const Fields = z.object({
  address: AddressText,
  domain: z.string(),
  scheme: z.string().optional(),
  statement: z.string().optional(),
  uri: z.url(),
  version: z.literal('1'),
  chainId: z.int(),
  nonce: z.string(),
  issuedAt: time,
  expirationTime: time.optional(),
  notBefore: time.optional(),
  requestId: z.string().optional(),
  resources: z.array(z.string()).optional(),
})

type Fields = z.output<typeof Fields>

/**
 * Reads a message of EIP-4361 that was made for this service.
 *
 * Throws SignInFailedError, which says what does not fit.
 */
export function readSignIn(message: string, rules: SignInRules): SignIn {
  const fields = Fields.safeParse(parseSiweMessage(message)).data
  if (fields === undefined || !isWhole(message, fields)) {
    throw new SignInFailedError('the message is not one of EIP-4361, as `viem/siwe` writes it')
  }
  const { address, chainId, nonce, expirationTime } = fields
  const flaw = flawOf(fields, rules)
  if (flaw !== undefined) throw new SignInFailedError(flaw)
  return { address, chainId, nonce, expiresAt: expirationTime?.getTime() }
}

/**
 * Whether the message says these fields and nothing else. The parser looks for its lines anywhere, so that a statement
 * could hold a second set of them.
 */
function isWhole(message: string, fields: Fields): boolean {
  try {
    return createSiweMessage(fields) === message
  } catch {
    return false
  }
}

function flawOf(fields: Fields, { origins, chainIds, now }: SignInRules): string | undefined {
  const { domain, scheme, uri, chainId, issuedAt, expirationTime, notBefore } = fields
  const mine = origins.map((origin) => new URL(origin))
  const known = mine.find(
    ({ host, protocol }) => host === domain && (scheme === undefined || `${scheme}:` === protocol),
  )
  if (known === undefined) return 'the message is for another domain'
  if (new URL(uri).origin !== known.origin) return 'the message is for another URI'
  if (!chainIds.has(chainId)) return 'the message names a chain that is not served here'
  const issuedMs = issuedAt.getTime()
  if (issuedMs > now + SKEW_MS) return 'the message was issued in the future'
  if (issuedMs < now - NONCE_MS - SKEW_MS) return 'the message is too old'
  if (expirationTime !== undefined && expirationTime.getTime() <= now) return 'the message has expired'
  if (notBefore !== undefined && notBefore.getTime() > now + SKEW_MS) return 'the message does not hold yet'
  return undefined
}
