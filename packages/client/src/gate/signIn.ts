/**
 * How somebody signs in at a gate with a wallet: the message that the gate asks for, the header that shows the signed message, who has
 * signed it, and which signatures were used already.
 */

import { isConfirmed, signatureCheck } from '@remit/protocol/signed/signatures'
import {
  type Address,
  BaseError,
  ExecutionRevertedError,
  getAddress,
  type Hex,
  hashMessage,
  verifyMessage,
  zeroAddress,
} from 'viem'
import { createSiweMessage } from 'viem/siwe'
import { isRecord } from '../call/isRecord.ts'

/** Why a gate answers 402. */
export type NotAdmittedCode =
  /** The request shows neither a signature nor a pass. */
  | 'NOTHING_SHOWN'
  /** The signature is not one that this gate has asked for, has expired, was used, or is not the wallet's. */
  | 'SIGN_IN_REFUSED'
  | 'PASS_REFUSED'
  /** The wallet never subscribed. */
  | 'NOT_A_MEMBER'
  /** The wallet was a member, and what it paid for has ended. */
  | 'LAPSED'

/** The caller has not shown that they are a member. */
export class NotAdmitted extends Error {
  override readonly name = 'NotAdmitted'
  readonly code: NotAdmittedCode
  /** Whose signature was verified. */
  readonly address: Address | undefined

  constructor(code: NotAdmittedCode, message: string, address?: Address) {
    super(message)
    this.code = code
    this.address = address
  }
}

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
interface SignInChallenge {
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

/** The message to sign. From one to the next only nonce and time differ. */
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
  // Some verifiers recover the zero address from what is no signature of a key.
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
    // Refused below, as JSON of another form is.
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

/** A node of the gate's chain, asked for signatures of wallets that are contracts. A public client of viem fits. */
export interface GateNode {
  getChainId(): Promise<number>
  /** Runs code as the constructor of a contract that is never created. Rejects with viem's errors. */
  call(request: { readonly data: Hex; readonly gas: bigint }): Promise<{ readonly data?: Hex | undefined }>
}

interface SignatureClaim {
  readonly address: Address
  readonly message: string
  readonly signature: Hex
}

/** Whether the key of this address has signed the message. */
export function isSignedByKey(claim: SignatureClaim): Promise<boolean> {
  // viem throws for what has not the form of a key's signature.
  return verifyMessage(claim).catch(() => false)
}

/**
 * Whether a contract confirms the signature, by ERC-1271, or by ERC-6492 where it is not deployed yet.
 *
 * Rejects where the node could not be asked. (viem's own `verifyMessage` says `false` then, as for a wrong signature.)
 */
export async function isSignedByContract(
  node: GateNode,
  { address, message, signature }: SignatureClaim,
): Promise<boolean> {
  try {
    const { data } = await node.call(signatureCheck({ address, hash: hashMessage(message), signature }))
    return isConfirmed(data)
  } catch (error) {
    const isRevert =
      error instanceof BaseError && error.walk((cause) => cause instanceof ExecutionRevertedError) !== null
    if (isRevert) return false
    throw error
  }
}

/**
 * Remembers which signatures were shown, so that each lets in once. Several replicas need one that they share: in Redis,
 * `SET key 1 NX PXAT untilMs` answers OK the first time.
 */
export interface UsedSignatures {
  /**
   * Notes the key, in one step for all replicas, and tells whether it is new.
   * @param untilMs unix milliseconds from which it may be forgotten: the signature has expired
   */
  claim(key: string, untilMs: number): boolean | Promise<boolean>
}

/**
 * Remembers in this process. Past its size it throws, so that the gate answers 503: to forget a signature that still
 * holds would let it in again.
 *
 * @param most signatures that are remembered at once; default 100,000
 * @param now unix milliseconds; default: the clock of this machine
 */
export function usedSignaturesInMemory({ most = 100_000, now = Date.now } = {}): UsedSignatures {
  const until = new Map<string, number>()
  return {
    claim(key, untilMs) {
      if (until.has(key)) return false
      if (until.size >= most) {
        for (const [used, usedUntilMs] of until) if (usedUntilMs <= now()) until.delete(used)
        if (until.size >= most)
          throw new Error(`${most} signatures are remembered that still hold: no more fit.`)
      }
      until.set(key, untilMs)
      return true
    },
  }
}
