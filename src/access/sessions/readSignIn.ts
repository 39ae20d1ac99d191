import { type Address, isAddressEqual, zeroAddress } from 'viem'
import { SignInFailedError } from '../../errors/access.ts'
import { parseUrl } from '../../schema/parseUrl.ts'
import { parseMessage, type SignInMessage } from './parseMessage.ts'
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

/**
 * Reads a message of EIP-4361 that was made for this service.
 *
 * Throws SignInFailedError, which says what does not fit.
 */
export function readSignIn(message: string, rules: SignInRules): SignIn {
  const fields = parseMessage(message)
  const flaw = flawOf(fields, rules)
  if (flaw !== undefined) throw new SignInFailedError(flaw)
  const { address, chainId, nonce, expirationTime } = fields
  return { address, chainId, nonce, expiresAt: expirationTime }
}

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
