import { createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import type { Log } from '@remit/engine/ports/log'
import type { IssuedPass, PassClaims, PassesPort, PassKey } from '@remit/engine/ports/passes'
import { sql, type Transaction } from 'kysely'
import type { Store } from '../../store/openStore.ts'
import { SealedError, type SecretBox } from '../../store/SecretBox.ts'
import type { PassKeysTable, Tables } from '../../store/tables.ts'
import type { StoreAccess } from '../StoreAccess.ts'

// Two classes: `Passes` issues passes, and `PassKeys` keeps and replaces the keys that sign them.

interface PassesOptions extends PassKeysOptions {
  readonly access: StoreAccess
  /** How many days after the last paid one a pass still holds. The operation that issues passes reads it here. */
  readonly graceDays: number
  /** Names the service in each pass. */
  readonly issuer: () => string
}

/**
 * Issues passes: signed proofs that a subscriber has paid, which a provider's server checks without asking this service. They are
 * JWTs (RFC 7519) signed by EdDSA (RFC 8037).
 */
export class Passes implements PassesPort {
  readonly graceDays: number
  readonly #access: StoreAccess
  readonly #keys: PassKeys
  readonly #issuer: () => string
  readonly #now: () => number

  constructor({ access, graceDays, issuer, ...options }: PassesOptions) {
    this.#access = access
    this.graceDays = graceDays
    this.#issuer = issuer
    this.#now = options.now
    this.#keys = new PassKeys(options)
  }

  /** Signs a pass about these claims, which the caller has checked. @param mostSeconds how long it may hold; what is paid for ends it too */
  async issue(claims: PassClaims, mostSeconds: number): Promise<IssuedPass> {
    const { id, key } = await this.#access.ask(() => this.#keys.signing())
    const issuedAt = Math.floor(this.#now() / 1000)
    const expiresAt = Math.min(issuedAt + mostSeconds, claims.entitledThrough)
    const { audience, subscriber, chainId, contractAddress, subscriptionId, block, entitledThrough } = claims
    const body = {
      iss: this.#issuer(),
      sub: `eip155:${chainId}:${subscriber}`,
      aud: audience,
      iat: issuedAt,
      exp: expiresAt,
      jti: randomUUID(),
      chainId,
      contractAddress,
      subscriptionId,
      block,
      entitledThrough,
    }
    const signed = `${encode({ alg: 'EdDSA', typ: 'JWT', kid: id })}.${encode(body)}`
    const signature = sign(null, Buffer.from(signed), key).toString('base64url')
    return { pass: `${signed}.${signature}`, issuedAt, expiresAt }
  }

  /** The public keys with which passes are checked. */
  async keys(): Promise<readonly PassKey[]> {
    return this.#access.ask(() => this.#keys.published())
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

const DAY_MS = 24 * 60 * 60 * 1000
/** How long a key signs. */
const SIGNS_MS = 30 * DAY_MS
/** How long a key is published before it signs, so that whoever keeps a copy of the keys has it by then. */
const AHEAD_MS = 2 * DAY_MS
/** How long a key is published after it has signed for the last time. No pass holds longer. */
const AFTER_MS = 2 * DAY_MS
/** How long this process goes on with the keys that it has read from the store. */
const KEPT_MS = 30_000

interface SigningKey {
  readonly id: string
  readonly key: KeyObject
}

interface PassKeysOptions {
  readonly store: Store
  readonly box: SecretBox
  readonly log: Log
  /** The wall clock, in milliseconds of unix time. */
  readonly now: () => number
}

/**
 * The keys that sign passes: one at a time, for 30 days, shared by every replica through the store.
 *
 * The next one is published two days before it signs, and each for two days after it signed last. So whoever checks
 * passes offline needs new keys once a day at most.
 */
export class PassKeys {
  readonly #options: PassKeysOptions
  /** By the sealed key; `undefined` for one that no SECRETS_KEY opens, which is told once. A row that is sealed anew is tried anew. */
  readonly #opened = new Map<string, KeyObject | undefined>()
  #kept: { readonly rows: readonly PassKeysTable[]; readonly untilMs: number } | undefined

  constructor(options: PassKeysOptions) {
    this.#options = options
  }

  /** The key that signs now: of those whose time it is, the newest one that can be opened. Throws Error where there is none. */
  async signing(): Promise<SigningKey> {
    const rows = await this.#rows()
    // Read afterwards: a key that was made just now signs from that moment on.
    const now = this.#options.now()
    for (const row of rows.toReversed()) {
      const key = signsAt(row, now) ? this.#open(row) : undefined
      if (key !== undefined) return { id: row.id, key }
    }
    throw new Error('No key of passes signs now')
  }

  /** The keys that passes in use may be signed with, and the next one. */
  async published(): Promise<readonly PassKey[]> {
    const now = this.#options.now()
    return (await this.#rows())
      .filter(({ signs_until }) => now < signs_until + AFTER_MS)
      .map(({ id, public_key: x }) => ({ kty: 'OKP', crv: 'Ed25519', x, kid: id, alg: 'EdDSA', use: 'sig' }))
  }

  /** All keys, oldest first: those read lately, or else the store's, once what is missing there was made. */
  async #rows(): Promise<readonly PassKeysTable[]> {
    const now = this.#options.now()
    if (this.#kept !== undefined && now < this.#kept.untilMs) return this.#kept.rows
    const { store } = this.#options
    const found = await store.db.selectFrom('pass_keys').selectAll().orderBy('signs_from').execute()
    // Nothing is written unless a key is missing, so a store that takes no writes still serves its keys.
    const rows = this.#areComplete(found, now) ? found : await store.transaction((db) => this.#renew(db, now))
    this.#kept = { rows, untilMs: now + KEPT_MS }
    return rows
  }

  /** Whether one signs now, one will sign in two days (so it is published by now), and none is so old that it should be deleted. */
  #areComplete(rows: readonly PassKeysTable[], now: number): boolean {
    const usable = rows.filter((row) => this.#open(row) !== undefined)
    return (
      usable.some((row) => signsAt(row, now)) &&
      usable.some((row) => row.signs_until > now + AHEAD_MS) &&
      rows.every((row) => row.signs_until > now - AFTER_MS)
    )
  }

  /** The keys, oldest first, with those that are missing made: one that signs now, and the next one in time. */
  async #renew(db: Transaction<Tables>, now: number): Promise<readonly PassKeysTable[]> {
    // One process at a time: two at once would each make the missing key. SQLite locks the whole file for a transaction anyway.
    if (this.#options.store.kind === 'postgres')
      await sql`select pg_advisory_xact_lock(hashtextextended('pass_keys', 0))`.execute(db)
    await db
      .deleteFrom('pass_keys')
      .where('signs_until', '<=', now - AFTER_MS)
      .execute()
    const rows = await db.selectFrom('pass_keys').selectAll().orderBy('signs_from').execute()
    const usable = rows.filter((row) => this.#open(row) !== undefined)
    const add = async (signsFrom: number) => {
      const made = this.#make(signsFrom)
      await db.insertInto('pass_keys').values(made).execute()
      rows.push(made)
      usable.push(made)
    }
    // Where the present key cannot be opened any more, the next one may exist already: then `end` below is that one's, and none is added.
    if (!usable.some((row) => signsAt(row, now))) await add(now)
    const end = Math.max(...usable.map(({ signs_until: until }) => until))
    if (end <= now + AHEAD_MS) await add(end)
    return rows
  }

  #make(signsFrom: number): PassKeysTable {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const id = randomUUID()
    const sealed = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    return {
      id,
      public_key: publicKey.export({ format: 'jwk' }).x ?? '',
      sealed_key: this.#options.box.seal(sealed, contextOf(id)),
      signs_from: signsFrom,
      signs_until: signsFrom + SIGNS_MS,
    }
  }

  /** The private key; `undefined` where no SECRETS_KEY opens it. Passes that it has signed hold all the same. */
  #open({ id, sealed_key: sealed }: PassKeysTable): KeyObject | undefined {
    if (this.#opened.has(sealed)) return this.#opened.get(sealed)
    try {
      const key = createPrivateKey(this.#options.box.open(sealed, contextOf(id)))
      this.#opened.set(sealed, key)
      return key
    } catch (error) {
      if (!(error instanceof SealedError)) throw error
      this.#opened.set(sealed, undefined)
      this.#options.log.warn('A key of passes cannot be opened, so another one signs', {
        reason: error.message,
      })
      return undefined
    }
  }
}

function signsAt({ signs_from: from, signs_until: until }: PassKeysTable, now: number): boolean {
  return from <= now && now < until
}

function contextOf(id: string): string {
  return `pass_keys ${id}`
}
