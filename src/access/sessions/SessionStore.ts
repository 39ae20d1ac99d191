import { hash, randomBytes } from 'node:crypto'
import type { Session } from '../../core/ports/sessions.ts'
import type { Store } from '../../store/openStore.ts'

/** Of a nonce: nobody can guess one that another wallet was given. EIP-4361 wants letters and digits. */
const NONCE_BYTES = 16
/** How long a wallet may take to sign. */
export const NONCE_MS = 10 * 60 * 1000

/** Stands for the chain of a session that the wallet's own key has signed. */
const BY_KEY = 0

export interface SessionStoreOptions {
  readonly store: Store
  /** The wall clock, in milliseconds of unix time. */
  readonly now: () => number
}

/** Sessions and nonces in the database, so that every replica knows them. Throws whatever the database throws. */
export class SessionStore {
  readonly #store: Store
  readonly #now: () => number

  constructor({ store, now }: SessionStoreOptions) {
    this.#store = store
    this.#now = now
  }

  /** Makes a nonce, and forgets those that nobody used in time. */
  async makeNonce(): Promise<{ nonce: string; issuedAt: number; expiresAt: number }> {
    const now = this.#now()
    const row = { nonce: randomBytes(NONCE_BYTES).toString('hex'), expires_at: now + NONCE_MS }
    await this.#store.transaction(async (db) => {
      await db.deleteFrom('sign_in_nonces').where('expires_at', '<=', now).execute()
      await db.insertInto('sign_in_nonces').values(row).execute()
    })
    return { nonce: row.nonce, issuedAt: now, expiresAt: row.expires_at }
  }

  /** Spends a nonce. Of two requests with the same one, one is told `false`. */
  async spendNonce(nonce: string): Promise<boolean> {
    const { numDeletedRows } = await this.#store.transaction((db) =>
      db
        .deleteFrom('sign_in_nonces')
        .where('nonce', '=', nonce)
        .where('expires_at', '>', this.#now())
        .executeTakeFirstOrThrow(),
    )
    return numDeletedRows > 0n
  }

  /** Opens a session under a new token, whatever the browser had before. Forgets sessions that have ended. */
  async open(session: Session): Promise<string> {
    const token = randomBytes(32).toString('base64url')
    const { subject, expiresAt, chainId } = session
    const row = { hash: hashOf(token), subject, expires_at: expiresAt, chain_id: chainId ?? BY_KEY }
    await this.#store.transaction(async (db) => {
      await db.deleteFrom('sessions').where('expires_at', '<=', this.#now()).execute()
      await db.insertInto('sessions').values(row).execute()
    })
    return token
  }

  async find(token: string): Promise<Session | undefined> {
    const row = await this.#store.db
      .selectFrom('sessions')
      .select(['subject', 'expires_at', 'chain_id'])
      .where('hash', '=', hashOf(token))
      .where('expires_at', '>', this.#now())
      .executeTakeFirst()
    return (
      row && {
        subject: row.subject,
        expiresAt: row.expires_at,
        chainId: row.chain_id === BY_KEY ? null : row.chain_id,
      }
    )
  }

  async close(token: string): Promise<void> {
    await this.#store.transaction((db) =>
      db.deleteFrom('sessions').where('hash', '=', hashOf(token)).execute(),
    )
  }
}

/** SHA-256: a token has 256 random bits, so no salt is needed. */
function hashOf(token: string): string {
  return hash('sha256', token)
}
