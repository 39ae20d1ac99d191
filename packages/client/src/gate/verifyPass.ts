/**
 * Passes: a pass is a JWT that a service has signed (Ed25519), and says that a wallet is a member of a subscription. Whoever runs another
 * server verifies it here, by the service's public keys, without asking the service.
 */

import { isRecord } from '../call/isRecord.ts'
import { requireFinite } from '../call/requireFinite.ts'
import type { GetPassKeysAnswer } from '../generated/api.ts'

/** Why a pass is refused. */
export type PassRefusal =
  | 'malformed'
  | 'unknown-key'
  | 'bad-signature'
  | 'wrong-issuer'
  | 'wrong-audience'
  | 'not-yet'
  | 'expired'
  | 'wrong-subscription'

const SENTENCES: Readonly<Record<PassRefusal, string>> = {
  malformed: 'This is no pass.',
  'unknown-key': 'No known key has signed this pass: read the keys of the service again.',
  'bad-signature': 'The service has not signed this pass.',
  'wrong-issuer': 'Another service has issued this pass.',
  'wrong-audience': 'This pass is for somebody else.',
  'not-yet': 'This pass was issued in the future: compare the clocks.',
  expired: 'This pass has expired.',
  'wrong-subscription': 'This pass is for another subscription.',
}

/** The pass does not let its holder in. */
export class PassRefusedError extends Error {
  override readonly name = 'PassRefusedError'
  readonly why: PassRefusal

  constructor(why: PassRefusal) {
    super(SENTENCES[why])
    this.why = why
  }
}

/** The public keys of a service's passes, as `getPassKeys` and `/.well-known/jwks.json` give them. */
export type PassKeySet = Pick<GetPassKeysAnswer, 'keys'>

/** The type has another name in Node than in browsers. */
type VerifyingKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** The imported keys of each set, by id: a set that is kept is imported once, however many passes it verifies. */
const imported = new WeakMap<PassKeySet, Map<string, Promise<VerifyingKey>>>()

/** The key with this id, ready for use; `undefined` where the set has none. */
function findKey(set: PassKeySet, id: string): Promise<VerifyingKey> | undefined {
  const known = imported.get(set) ?? new Map<string, Promise<VerifyingKey>>()
  imported.set(set, known)
  const ready = known.get(id)
  if (ready !== undefined) return ready
  const row = set.keys.find(({ kid }) => kid === id)
  if (row === undefined) return undefined
  const { kty, crv, x } = row
  const key = crypto.subtle.importKey('jwk', { kty, crv, x }, 'Ed25519', false, ['verify'])
  known.set(id, key)
  return key
}

/** How far the clocks of a server and of the service may differ. */
const SKEW_SECONDS = 60

export interface VerifyPassOptions {
  /** The keys of the service, as its `/.well-known/jwks.json` answers. Keep them for a day. */
  readonly keys: PassKeySet
  /** Who you are: the audience that your visitors ask their passes for, such as the origin of your site. */
  readonly audience: string
  /** The address of the service that you trust, without a slash at its end. */
  readonly issuer: string
  /** The subscription that lets in, with its chain. Without it, a pass for any subscription lets in: look at the answer. */
  readonly subscription?: { readonly id: string; readonly chainId: number }
  /** Unix seconds. Default: the clock of this machine. */
  readonly now?: number
  /** Default: 60. */
  readonly skewSeconds?: number
}

/** What a pass that holds says. */
export interface Pass {
  /** The wallet's address. */
  readonly subscriber: string
  readonly chainId: number
  readonly contractAddress: string
  readonly subscriptionId: string
  /** The block that the membership was read at. */
  readonly block: { readonly number: number; readonly hash: string }
  /** The last second that is paid for, as that block knew it, with the service's days of grace. */
  readonly entitledThrough: Date
  readonly issuedAt: Date
  readonly expiresAt: Date
  /** Differs in each pass, to recognise one that was shown before. */
  readonly id: string
}

/**
 * Checks a pass without asking anybody: signature, issuer, audience and times.
 *
 * A pass is as good as money until it expires: take it over https only, and never from an address bar.
 *
 * Throws PassRefusedError, with its reason in `why`, for anything but a pass that holds. With `unknown-key`, read the
 * keys again, once. Throws RangeError for a clock or a tolerance that is not finite: every pass would hold.
 *
 * @example
 * import { createClient, verifyPass } from '@remit/client'
 *
 * const keys = await createClient({ url: 'https://remit.example' }).getPassKeys()
 * const { pass } = await client.createPass({ subscriptionId: id, audience: 'https://shop.example' })
 * const { subscriber } = await verifyPass(pass, {
 *   keys,
 *   audience: 'https://shop.example',
 *   issuer: 'https://remit.example',
 * })
 */
export async function verifyPass(pass: unknown, options: VerifyPassOptions): Promise<Pass> {
  requireFinite({ now: options.now, skewSeconds: options.skewSeconds })
  const [head, body, signature, surplus] = textOf(pass).split('.')
  if (!head || !body || !signature || surplus !== undefined) throw new PassRefusedError('malformed')
  const header = readJson(head)
  // One algorithm and no other: nothing that a pass says of itself counts before it is verified.
  if (header.alg !== 'EdDSA' || typeof header.kid !== 'string' || 'crit' in header) {
    throw new PassRefusedError('malformed')
  }
  const key = await findKey(options.keys, header.kid)
  if (key === undefined) throw new PassRefusedError('unknown-key')
  const signed = new TextEncoder().encode(`${head}.${body}`)
  if (!(await crypto.subtle.verify('Ed25519', key, readBytes(signature), signed))) {
    throw new PassRefusedError('bad-signature')
  }
  return judge(readJson(body), options)
}

/** Whether the signed claims let in: issuer, audience, times, subscription. */
function judge(claims: Readonly<Record<string, unknown>>, options: VerifyPassOptions): Pass {
  const { audience, issuer, subscription, now = Date.now() / 1000, skewSeconds = SKEW_SECONDS } = options
  const { iss, aud, sub, iat, exp, jti, chainId, contractAddress, subscriptionId, block, entitledThrough } =
    claims
  if (iss !== issuer) throw new PassRefusedError('wrong-issuer')
  if (aud !== audience) throw new PassRefusedError('wrong-audience')
  const [, chain, subscriber] = /^eip155:(\d+):(0x[0-9a-fA-F]{40})$/.exec(textOf(sub)) ?? []
  const issuedAt = numberOf(iat)
  const expiresAt = numberOf(exp)
  if (subscriber === undefined || Number(chain) !== chainId) throw new PassRefusedError('malformed')
  if (issuedAt > now + skewSeconds) throw new PassRefusedError('not-yet')
  if (expiresAt <= now - skewSeconds) throw new PassRefusedError('expired')
  const id = textOf(subscriptionId)
  if (subscription !== undefined) {
    const isSame = id === subscription.id.toLowerCase() && chainId === subscription.chainId
    if (!isSame) throw new PassRefusedError('wrong-subscription')
  }
  if (!isRecord(block)) throw new PassRefusedError('malformed')
  return {
    subscriber,
    chainId: numberOf(chainId),
    contractAddress: textOf(contractAddress),
    subscriptionId: id,
    block: { number: numberOf(block.number), hash: textOf(block.hash) },
    entitledThrough: new Date(numberOf(entitledThrough) * 1000),
    issuedAt: new Date(issuedAt * 1000),
    expiresAt: new Date(expiresAt * 1000),
    id: textOf(jti),
  }
}

function readJson(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(readBytes(part)))
    if (isRecord(value)) return value
  } catch {
    // Refused below, as JSON of another form is.
  }
  throw new PassRefusedError('malformed')
}

/**
 * Throws PassRefusedError unless this is the canonical base64url of its bytes: a server that remembers used passes must
 * recognise each one.
 */
function readBytes(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[A-Za-z0-9_-]+$/.test(text) || text.length % 4 === 1) throw new PassRefusedError('malformed')
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const spelling = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  if (spelling !== text) throw new PassRefusedError('malformed')
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new PassRefusedError('malformed')
  return value
}

function numberOf(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new PassRefusedError('malformed')
  return value
}
