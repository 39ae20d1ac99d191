import { createHash, timingSafeEqual } from 'node:crypto'
import type { Audience } from '@remit/engine/declare/access'
import { ValidationError } from '@remit/engine/errors/input'
import type { Log } from '@remit/engine/ports/log'
import { currentTrace } from '../../calls/RequestTrace.ts'
import type { SessionCookie, ShownSession } from '../../calls/sessionCookie.ts'
import {
  AdminNotConfiguredError,
  DeveloperKeysDisabledError,
  ForbiddenError,
  UnauthorizedError,
} from '../../errors/access.ts'
import type {
  AuthFailuresPort,
  CallerSession,
  Credentials,
  Identity,
  IdentityPort,
} from '../../ports/access.ts'
import type { PortalMode, Session } from '../../ports/sessions.ts'
import type { KeyCheck } from '../keys/LiveKeys.ts'
import { ClientAddresses } from './ClientAddresses.ts'

// Who sends a request? `Identities` decides it from the headers and the address, by the route's audience (`engine/declare/access.ts` lists
// them). Credentials are: Basic Auth, where the operator asks for it; the admin secret; an API key; or a session, that is a cookie with
// a second secret that the page holds. A caller's "lane" is its level of limits: `free`, by address, or `developer`, by key or session.

/** The fewest characters of an admin secret. A shorter one could be guessed. */
export const LEAST_ADMIN_SECRET_LENGTH = 16

export interface IdentitiesOptions {
  /** `undefined` where developer keys are switched off. Throws KeysUnavailableError. */
  readonly keys: { check(key: string): Promise<KeyCheck> } | undefined
  readonly adminSecret: string | undefined
  /** `undefined` where nobody has to authenticate. */
  readonly basicAuth: { readonly user: string; readonly password: string } | undefined
  readonly trustedProxies: readonly string[]
  readonly authFailures: AuthFailuresPort
  /** Left out where nobody can sign in. */
  readonly portal?: { readonly sessions: SessionsRule; readonly cookie: SessionCookie }
  readonly log: Log
}

type LiveKey = Extract<KeyCheck, { live: true }>

/** What `Sessions` says of the session that a request comes with. */
interface SessionsRule {
  /** Who may have keys of the portal. Sessions can exist while it is `off`: members sign in for passes and rescues too. */
  readonly portal: PortalMode
  find(shown: ShownSession, address: string): Promise<CallerSession | undefined>
  /** Throws PortalClosedError where the wallet may have no keys. */
  requireKeysFor(session: Session): void
  /** The same as an answer. */
  mayHaveKeys(session: Session): boolean
  /** Whether a page of this origin is one of the service's own. */
  owns(origin: string): boolean
}

/** The credentials of one request before they are verified. */
interface Showing {
  readonly address: string
  readonly method: string
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

  /** The caller of a request to a path for this audience. Throws as `IdentityPort` says. */
  async identify(credentials: Credentials, audience: Audience = 'callers'): Promise<Identity> {
    const address = this.#addresses.ownerOf(credentials)
    currentTrace()?.cameFrom(address)
    const isGuest = audience === 'guests'
    if (audience === 'anyone' || (isGuest && this.#basic === undefined)) return { lane: 'free', id: address }
    const header = (name: string) => credentials.header(name)
    const written = header('authorization')
    const authorization =
      written === undefined
        ? undefined
        : await this.#countingFailures(address, () => readAuthorization(written))
    // `entered`: a caller who is identified once more, and came past Basic Auth before.
    if (this.#basic !== undefined && audience !== 'entered') {
      await this.#requireBasic(this.#basic, address, authorization)
    }
    if (isGuest) return { lane: 'free', id: address }
    const { method } = credentials
    // Where Basic Auth is asked for, it is neither a key nor an admin secret.
    const isBasic = this.#basic !== undefined && authorization?.scheme === 'basic'
    const showing = { address, method, header, authorization: isBasic ? undefined : authorization }
    if (audience === 'operators') return this.#operatorOrSession(showing)
    if (audience === 'developers') return this.#developer(showing)
    if (audience === 'newcomers') return this.#newcomer(showing)
    if (audience === 'signers') return this.#signer(showing)
    if (audience === 'wallets') return this.#wallet(showing)
    return audience === 'visitors' ? this.#visitor(showing) : this.#caller(showing)
  }

  async #requireBasic(basic: Secret, address: string, authorization: Authorization | undefined) {
    if (authorization === undefined) throw UnauthorizedError.basic()
    this.#options.authFailures.admitCredentials(address)
    await this.#countingFailures(address, () => {
      const { scheme, credentials } = authorization
      if (scheme !== 'basic' || !basic.is(readBasic(credentials))) throw UnauthorizedError.basic()
    })
  }

  /** For routes of operators, which all manage keys: by the admin secret, or by the session of a wallet that may have keys. */
  async #operatorOrSession(showing: Showing): Promise<Identity> {
    if (this.#options.keys === undefined) throw new DeveloperKeysDisabledError()
    const { authorization, header } = showing
    const showsSecret = authorization !== undefined || header('x-service-admin-key') !== undefined
    const session = showsSecret ? undefined : await this.#liveSession(showing)
    if (session === undefined) {
      // A browser deletes the cookie of a session that has ended, and then sends nothing. Such a wallet is asked to sign in again.
      if (!showsSecret && this.#admin === undefined && this.#isPortalOn) throw UnauthorizedError.session()
      return this.#operator(showing)
    }
    this.#options.portal?.sessions.requireKeysFor(session)
    return identityOf(session)
  }

  /** By a session, or else as any caller. */
  async #visitor(showing: Showing): Promise<Identity> {
    if (this.#options.portal !== undefined) refuseForeign(showing, this.#options.portal.sessions)
    const session = await this.#session(showing)
    return session === undefined ? this.#caller(showing) : identityOf(session)
  }

  /** For the route that signs in. The address pays: if sessions did, each would pay for the next. The new session ends an earlier one. */
  async #newcomer(showing: Showing): Promise<Identity> {
    const { session } = await this.#visitor(showing)
    return { lane: 'free', id: showing.address, ...(session && { session }) }
  }

  /** By a key, else by the session of a wallet that may have keys. Without either, as any caller. */
  async #developer(showing: Showing): Promise<Identity> {
    const session = showsKey(showing) ? undefined : await this.#liveSession(showing)
    if (session === undefined) return this.#caller(showing)
    // Where only passes are on, wallets sign in without being developers.
    this.#options.portal?.sessions.requireKeysFor(session)
    return identityOf(session)
  }

  /** By a key, else by any session, also one of a wallet that may have no keys. Without either, as any caller. */
  async #wallet(showing: Showing): Promise<Identity> {
    const session = showsKey(showing) ? undefined : await this.#session(showing)
    return session === undefined ? this.#caller(showing) : identityOf(session)
  }

  /**
   * As any caller. But who is signed in, and asks from a page of this service, has a developer's limits, so that people behind one
   * network address do not wait for each other. The session gives no other right: it is left out of the identity.
   */
  async #signer(showing: Showing): Promise<Identity> {
    const { portal } = this.#options
    const shown = portal?.cookie.read(showing.header)
    if (portal === undefined || shown?.secret === undefined || showsKey(showing)) return this.#caller(showing)
    if (isForeign(showing, portal.sessions)) return this.#caller(showing)
    const session = await portal.sessions.find(shown, showing.address)
    if (session === undefined || !portal.sessions.mayHaveKeys(session)) return this.#caller(showing)
    const { lane, id, within, address } = identityOf(session)
    return { lane, id, within, address }
  }

  /** The live session of the cookie and the secret, if there is one. Throws ForbiddenError where another site's page has sent them. */
  async #session(showing: Showing): Promise<CallerSession | undefined> {
    const { portal } = this.#options
    if (portal === undefined) return undefined
    const { sessions, cookie } = portal
    const shown = cookie.read(showing.header)
    if (shown === undefined) return undefined
    refuseForeign(showing, sessions)
    return sessions.find(shown, showing.address)
  }

  /** As `#session`. While the portal is on, it throws UnauthorizedError where the request shows a session that is not live any more. */
  async #liveSession(showing: Showing): Promise<CallerSession | undefined> {
    const session = await this.#session(showing)
    if (session !== undefined) return session
    const shown = this.#options.portal?.cookie.read(showing.header)
    if (shown === undefined || !this.#isPortalOn) return undefined
    return this.#countingFailures(showing.address, () => {
      throw UnauthorizedError.session()
    })
  }

  get #isPortalOn(): boolean {
    const { portal } = this.#options
    return portal !== undefined && portal.sessions.portal !== 'off'
  }

  /** By the admin secret alone. */
  async #operator({ address, header, authorization }: Showing): Promise<Identity> {
    const admin = this.#admin
    if (admin === undefined) throw new AdminNotConfiguredError()
    const said = header('x-service-admin-key')
    if (authorization === undefined && said === undefined) throw UnauthorizedError.admin(false)
    this.#options.authFailures.admitCredentials(address)
    await this.#countingFailures(address, () => {
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

  /** By an API key; without any credentials, on the free lane by the network address. */
  async #caller({ address, header, authorization }: Showing): Promise<Identity> {
    const said = header('x-api-key')?.trim()
    if (authorization === undefined && said === undefined) return { lane: 'free', id: address }
    return this.#countingFailures(address, async () => {
      const bearer = authorization && bearerOf(authorization)
      // A proxy in front may have a Basic Auth of its own: then the key is in X-API-Key.
      if (bearer === undefined && said === undefined) throw UnauthorizedError.key()
      if (bearer !== undefined) refuseManyWords(bearer)
      const given = [bearer, said].filter((key) => key !== undefined)
      refuseDifferent(given, 'X-API-Key')
      const [key = ''] = given
      const { account, subjectId } = await this.#liveKey(key)
      return { lane: 'developer', id: account, address, subject: subjectId }
    })
  }

  /** A live key. The caller does not learn what is wrong with another one; the log does. */
  async #liveKey(key: string): Promise<LiveKey> {
    const { keys, log } = this.#options
    if (keys === undefined) throw UnauthorizedError.key()
    const check = await keys.check(key)
    if (check.live) return check
    const { live: _, ...facts } = check
    log.info('An API key was refused', facts)
    throw UnauthorizedError.key()
  }

  /** Judges credentials. Where they fail, takes a unit of the address's failures; throws RateLimitedError where none is left. */
  async #countingFailures<T>(address: string, judge: () => T | Promise<T>): Promise<T> {
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

/**
 * The identity of a session. Its requests count for the session (`id`), so that pages do not use up the free lane of their address. They
 * also count for all sessions of the address together (`within`): wallets cost nothing, so many would have many times the limits.
 */
function identityOf(session: CallerSession) {
  const { subject, address } = session
  return {
    lane: 'developer' as const,
    id: `session:${subject}`,
    within: `sessions:${address}`,
    address,
    subject,
    session,
  } satisfies Identity
}

/** Whether the request shows what may be an API key. A session beside it does not count then. */
function showsKey({ authorization, header }: Showing): boolean {
  return authorization !== undefined || header('x-api-key') !== undefined
}

/** Throws ForbiddenError where another site's page has sent the request. */
function refuseForeign(showing: Showing, sessions: Pick<SessionsRule, 'owns'>): void {
  if (isForeign(showing, sessions)) {
    throw new ForbiddenError(
      'Only pages of this service may use its sessions. A program that is no browser names this service in the header Origin.',
    )
  }
}

/**
 * Whether another site's page may have sent the request. Browsers name the page's origin (Origin, Sec-Fetch-Site) with everything that
 * changes something, so a change that names none counts as foreign. `none` says that a person typed the address: fine for a read.
 */
function isForeign({ method, header }: Showing, sessions: Pick<SessionsRule, 'owns'>): boolean {
  const changes = method !== 'GET' && method !== 'HEAD'
  const origin = header('origin')
  const site = header('sec-fetch-site')
  const isElsewhere =
    (origin !== undefined && !sessions.owns(origin)) ||
    (site !== undefined && site !== 'same-origin' && (changes || site !== 'none'))
  const isSilent = changes && origin === undefined && site === undefined
  return isElsewhere || isSilent
}

/** The credentials after "Bearer"; `undefined` for another scheme. */
function bearerOf({ scheme, credentials }: Authorization): string | undefined {
  return scheme === 'bearer' ? credentials : undefined
}

/** Throws ValidationError where two credentials are sent that are not the same. @param header the one beside Authorization */
function refuseDifferent(given: readonly (string | undefined)[], header: string): void {
  if (new Set(given).size < 2) return
  throw new ValidationError([{ message: `Authorization and ${header} differ: send one of them.` }])
}

/** A secret that callers must show. Every comparison takes the same time. */
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

/** A parsed Authorization header. */
interface Authorization {
  /** The scheme of the header Authorization, in lower case. */
  readonly scheme: string
  /** The text after the scheme. Never empty. */
  readonly credentials: string
}

/** A token of RFC 9110: the name of a scheme. */
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const SHAPE = new RegExp(`^(${TOKEN})[ \\t]+(\\S.*)$`)

/** Throws ValidationError for a header that has no scheme, or nothing after it. */
function readAuthorization(header: string): Authorization {
  const [, scheme, credentials] = SHAPE.exec(header.trim()) ?? []
  if (scheme === undefined || credentials === undefined) throw malformed('a scheme and credentials')
  return { scheme: scheme.toLowerCase(), credentials }
}

/** Throws ValidationError for more than one word after Bearer, such as two headers joined by a proxy. */
function refuseManyWords(credentials: string): void {
  if (/[\s,]/.test(credentials)) throw malformed('Bearer and one key')
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** "user:password" as UTF-8 bytes; RFC 7617 lets the server choose the encoding. Throws ValidationError. */
function readBasic(credentials: string): Buffer {
  const pair = BASE64.test(credentials) ? Buffer.from(credentials, 'base64') : Buffer.alloc(0)
  if (!pair.includes(':')) throw malformed('Basic and the Base64 of user:password')
  return pair
}

function malformed(expected: string): ValidationError {
  return new ValidationError([{ message: `The Authorization header is malformed: it must be ${expected}.` }])
}
