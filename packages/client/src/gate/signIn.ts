import { type Address, getAddress, type Hex, zeroAddress } from 'viem'
import { createSiweMessage } from 'viem/siwe'
import { isRecord } from '../call/isRecord.ts'
import { NotAdmitted } from './NotAdmitted.ts'

/** How far the clocks of a gate's replicas may differ. */
const SKEW_MS = 60_000
/** What Node takes of all headers of a request. A signature of ERC-6492 has some kilobytes. */
const MOST_HEADER_BYTES = 16_384
const STATEMENT = 'Sign in as a member. This signature moves no money.'

/** What every message to one gate has in common. */
export interface SignInTerms {
  /** The address of the gate, without a slash at its end. */
  readonly url: string
  readonly chainId: number
  readonly lifeMs: number
}

/** What a wallet is asked to sign, as x402's extension `sign-in-with-x` writes it. */
export interface SignInChallenge {
  readonly domain: string
  readonly uri: string
  readonly statement: string
  readonly version: '1'
  readonly nonce: string
  /** As `Date.toISOString` writes it. */
  readonly issuedAt: string
  readonly expirationTime: string
  readonly resources: readonly string[]
}

/** A message that this gate could have asked for. Its signature is not verified yet. */
export interface SignIn {
  readonly address: Address
  readonly nonce: string
  /** Unix milliseconds. */
  readonly expiresMs: number
  /** By EIP-4361, as the wallet has signed it if the signature is its own. */
  readonly message: string
  readonly signature: Hex
}

/** What differs from one message to the next is the nonce and the time. */
export function challengeOf(terms: SignInTerms, nonce: string, issuedMs: number): SignInChallenge {
  return {
    domain: new URL(terms.url).host,
    uri: terms.url,
    statement: STATEMENT,
    version: '1',
    nonce,
    issuedAt: new Date(issuedMs).toISOString(),
    expirationTime: new Date(issuedMs + terms.lifeMs).toISOString(),
    resources: [terms.url],
  }
}

export function newNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Reads the header `SIGN-IN-WITH-X`. The message is written anew from what the gate itself says: of the caller's words
 * only the address, the nonce and the time count, and the signature must cover them.
 *
 * Throws NotAdmitted, which says what does not fit.
 */
export function readSignIn(header: string, terms: SignInTerms, nowMs: number): SignIn {
  const shown = decoded(header)
  const { address, nonce, issuedAt, signature } = shown
  if (typeof address !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(address)) refuse('names no address')
  const signer = getAddress(address)
  // What is no signature of a key recovers to it in some verifiers.
  if (signer === zeroAddress) refuse('names the zero address, which is nobody’s wallet')
  if (typeof nonce !== 'string' || !/^[A-Za-z0-9]{8,64}$/.test(nonce))
    refuse('has no nonce of 8 to 64 letters and digits')
  if (!isHex(signature)) refuse('has no signature in hex')
  const issuedMs = typeof issuedAt === 'string' ? Date.parse(issuedAt) : Number.NaN
  if (!Number.isFinite(issuedMs) || new Date(issuedMs).toISOString() !== issuedAt)
    refuse('has no issuedAt such as 2026-01-20T10:00:00.000Z')
  const challenge = challengeOf(terms, nonce, issuedMs)
  const asked = { ...challenge, chainId: `eip155:${terms.chainId}`, type: 'eip191' }
  for (const [name, value] of Object.entries(asked)) {
    if (JSON.stringify(shown[name]) !== JSON.stringify(value))
      refuse(`has another ${name} than this gate asks for: ${JSON.stringify(value)}`)
  }
  for (const name of ['notBefore', 'requestId']) {
    if (shown[name] !== undefined) refuse(`has ${name}, which this gate does not ask for`)
  }
  if (issuedMs > nowMs + SKEW_MS) refuse('was issued in the future')
  const expiresMs = issuedMs + terms.lifeMs
  if (expiresMs <= nowMs) refuse('has expired: sign a new one')
  const message = createSiweMessage({
    domain: challenge.domain,
    address: signer,
    statement: challenge.statement,
    uri: challenge.uri,
    version: challenge.version,
    chainId: terms.chainId,
    nonce,
    issuedAt: new Date(issuedMs),
    expirationTime: new Date(expiresMs),
    resources: [...challenge.resources],
  })
  return { address: signer, nonce, expiresMs, message, signature }
}

function decoded(header: string): Readonly<Record<string, unknown>> {
  if (header.length > MOST_HEADER_BYTES) refuse('is too long')
  try {
    const bytes = Uint8Array.from(atob(header), (character) => character.charCodeAt(0))
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (isRecord(value)) return value
  } catch {
    // Said below.
  }
  return refuse('is not JSON in base64')
}

/** It may have no bytes: some contracts confirm what their owners have approved on the chain. */
function isHex(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x(?:[0-9a-fA-F]{2})*$/.test(value)
}

function refuse(flaw: string): never {
  throw new NotAdmitted('SIGN_IN_REFUSED', `The message in SIGN-IN-WITH-X ${flaw}.`)
}
