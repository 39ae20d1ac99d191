import { hash, randomBytes } from 'node:crypto'
import type { ContractSignature, Session } from '../../ports/sessions.ts'
import type { Store } from '../../store/openStore.ts'
import type { SessionsTable } from '../../store/tables.ts'

/** Long enough that nobody guesses a nonce that another wallet was given. Written in hex: EIP-4361 wants letters and digits. */
const NONCE_BYTES = 16
/** How long a wallet may take to sign. */
export const NONCE_MS = 10 * 60 * 1000

/** Stands for the chain of a session that the wallet's own key has signed. */
const BY_KEY = 0

/** The two secrets of a session. Neither opens it alone. */
interface SessionSecrets {
  readonly token: string
  readonly secret: string
}

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

  /** Opens a session under new secrets, whatever the browser had before. Forgets sessions that have ended. */
  async open({ subject, expiresAt, contract }: Session): Promise<SessionSecrets> {
    const secrets = { token: newSecret(), secret: newSecret() }
    const row = {
      hash: hashOf(secrets),
      subject,
      expires_at: expiresAt,
      chain_id: contract?.chainId ?? BY_KEY,
      message_hash: contract?.hash ?? null,
      signature: contract?.signature ?? null,
    }
    await this.#store.transaction(async (db) => {
      await db.deleteFrom('sessions').where('expires_at', '<=', this.#now()).execute()
      await db.insertInto('sessions').values(row).execute()
    })
    return secrets
  }

  /** The session that one of these tokens opens together with the secret; `undefined` where none does. */
  async find(tokens: readonly string[], secret: string): Promise<(Session & { id: string }) | undefined> {
    const row = await this.#store.db
      .selectFrom('sessions')
      .select(['hash', 'subject', 'expires_at', 'chain_id', 'message_hash', 'signature'])
      .where(
        'hash',
        'in',
        tokens.map((token) => hashOf({ token, secret })),
      )
      .where('expires_at', '>', this.#now())
      .executeTakeFirst()
    return row && { id: row.hash, subject: row.subject, expiresAt: row.expires_at, contract: contractOf(row) }
  }

  async close(id: string): Promise<void> {
    await this.#store.transaction((db) => db.deleteFrom('sessions').where('hash', '=', id).execute())
  }
}

function contractOf(
  row: Pick<SessionsTable, 'chain_id' | 'message_hash' | 'signature'>,
): ContractSignature | null {
  const { chain_id: chainId, message_hash: messageHash, signature } = row
  if (messageHash === null || signature === null) return null
  return { chainId, hash: messageHash, signature }
}

function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** SHA-256 of both. Each has 256 random bits, so no salt is needed, and the time of a look-up says nothing about either. */
function hashOf({ token, secret }: SessionSecrets): string {
  return hash('sha256', `${token}.${secret}`)
}
