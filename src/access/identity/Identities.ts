import { createHash, timingSafeEqual } from 'node:crypto'
import type {
  Audience,
  AuthFailuresPort,
  Credentials,
  Identity,
  IdentityPort,
} from '../../core/ports/access.ts'
import type { Log } from '../../core/ports/log.ts'
import { currentTrace } from '../../core/RequestTrace.ts'
import {
  AdminNotConfiguredError,
  DeveloperKeysDisabledError,
  UnauthorizedError,
} from '../../errors/access.ts'
import { ValidationError } from '../../errors/input.ts'
import type { KeyCheck } from '../keys/LiveKeys.ts'
import { type Authorization, readAuthorization, readBasic, refuseManyWords } from './authorization.ts'
import { ClientAddresses } from './ClientAddresses.ts'

/** A shorter one could be guessed. */
export const LEAST_ADMIN_SECRET_LENGTH = 16

export interface IdentitiesOptions {
  /** `undefined` where developer keys are switched off. Throws KeysUnavailableError. */
  readonly keys: { check(key: string): Promise<KeyCheck> } | undefined
  readonly adminSecret: string | undefined
  /** `undefined` where nobody has to authenticate. */
  readonly basicAuth: { readonly user: string; readonly password: string } | undefined
  readonly trustedProxies: readonly string[]
  readonly authFailures: AuthFailuresPort
  readonly log: Log
}

/** The credentials of one request before they are verified. */
interface Showing {
  readonly address: string
  readonly header: Credentials['header']
  readonly authorization: Authorization | undefined
}

/**
 * Identifies callers: by Basic Auth where it is required, then by the admin secret or an API key.
 *
 * Wrong credentials are refused. They never put a caller on the free lane. Each takes one unit of the failures of its
 * address. A request without credentials takes none.
 *
 * An address that has used up its failures gets no more comparisons with secrets that people choose: an attacker could
 * otherwise go on guessing and see which guess is accepted. A live key still works, because nobody guesses 256 bits.
 */
export class Identities implements IdentityPort {
  readonly #options: IdentitiesOptions
  readonly #addresses: ClientAddresses
  readonly #admin: Secret | undefined
  readonly #basic: Secret | undefined

  constructor(options: IdentitiesOptions) {
    const { adminSecret = '', basicAuth, trustedProxies } = options
    this.#options = options
    this.#addresses = new ClientAddresses(trustedProxies)
    this.#admin = adminSecret.length < LEAST_ADMIN_SECRET_LENGTH ? undefined : new Secret(adminSecret)
    this.#basic = basicAuth && new Secret(`${basicAuth.user}:${basicAuth.password}`)
  }

  async identify(credentials: Credentials, audience: Audience = 'callers'): Promise<Identity> {
    const address = this.#addresses.ownerOf(credentials)
    currentTrace()?.cameFrom(address)
    const header = (name: string) => credentials.header(name)
    const authorization = await this.#counting(address, () => {
      const written = header('authorization')
      return written === undefined ? undefined : readAuthorization(written)
    })
    const isBasic = this.#basic !== undefined && authorization?.scheme === 'basic'
    if (audience !== 'anyone') await this.#requireBasic(this.#basic, address, authorization)
    const showing = { address, header, authorization: isBasic ? undefined : authorization }
    return audience === 'operators' ? this.#operator(showing) : this.#caller(showing)
  }

  async #requireBasic(basic: Secret | undefined, address: string, authorization: Authorization | undefined) {
    if (basic === undefined) return
    if (authorization === undefined) throw UnauthorizedError.basic()
    this.#options.authFailures.admitCredentials(address)
    await this.#counting(address, () => {
      const { scheme, credentials } = authorization
      if (scheme !== 'basic' || !basic.is(readBasic(credentials))) throw UnauthorizedError.basic()
    })
  }

  async #operator({ address, header, authorization }: Showing): Promise<Identity> {
    const admin = this.#admin
    if (this.#options.keys === undefined) throw new DeveloperKeysDisabledError()
    if (admin === undefined) throw new AdminNotConfiguredError()
    const said = header('x-service-admin-key')
    if (authorization === undefined && said === undefined) throw UnauthorizedError.admin(false)
    this.#options.authFailures.admitCredentials(address)
    await this.#counting(address, () => {
      const given = [
        ...(authorization === undefined ? [] : [bearerOf(authorization)]),
        ...(said === undefined ? [] : [said]),
      ]
      refuseDifferent(given, 'X-Service-Admin-Key')
      if (!given.every((secret) => secret !== undefined && admin.is(bytesOf(secret)))) {
        throw UnauthorizedError.admin(true)
      }
    })
    return { lane: 'free', id: address, operator: true }
  }

  async #caller({ address, header, authorization }: Showing): Promise<Identity> {
    const said = header('x-api-key')?.trim()
    if (authorization === undefined && said === undefined) return { lane: 'free', id: address }
    return this.#counting(address, async () => {
      const bearer = authorization && bearerOf(authorization)
      if (authorization !== undefined && bearer === undefined) throw UnauthorizedError.key()
      if (bearer !== undefined) refuseManyWords(bearer)
      const given = [bearer, said].filter((key) => key !== undefined)
      refuseDifferent(given, 'X-API-Key')
      const [key = ''] = given
      return { lane: 'developer', id: await this.#liveKey(key) }
    })
  }

  /** The id of a live key. The caller does not learn what is wrong with another one; the log does. */
  async #liveKey(key: string): Promise<string> {
    const { keys, log } = this.#options
    if (keys === undefined) throw UnauthorizedError.key()
    const check = await keys.check(key)
    if (check.live) return check.id
    const { live: _, ...facts } = check
    log.info('An API key was refused', facts)
    throw UnauthorizedError.key()
  }

  /** Takes a unit of the address's failures where the credentials fail. Throws RateLimitedError where none is left. */
  async #counting<T>(address: string, judge: () => T | Promise<T>): Promise<T> {
    try {
      return await judge()
    } catch (error) {
      if (error instanceof UnauthorizedError || error instanceof ValidationError) {
        await this.#options.authFailures.takeAuthFailure(address)
      }
      throw error
    }
  }
}

/** The credentials after "Bearer"; `undefined` for another scheme. */
function bearerOf({ scheme, credentials }: Authorization): string | undefined {
  return scheme === 'bearer' ? credentials : undefined
}

function refuseDifferent(given: readonly (string | undefined)[], header: string): void {
  if (new Set(given).size < 2) return
  throw new ValidationError([{ message: `Authorization and ${header} differ: send one of them.` }])
}

/** A secret. Every comparison takes the same time. */
class Secret {
  readonly #digest: Buffer

  constructor(secret: string) {
    this.#digest = digestOf(Buffer.from(secret, 'utf8'))
  }

  is(said: Buffer): boolean {
    // Digests are compared because they have one length, and reveal nothing about a partly right text.
    return timingSafeEqual(digestOf(said), this.#digest)
  }
}

/** The bytes of a header. Fetch decodes every header as Latin-1. */
function bytesOf(header: string): Buffer {
  return Buffer.from(header, 'latin1')
}

function digestOf(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}
