import { randomUUID } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type { ApiKey, IssuedKey, KeyPage, KeyQuery, NewKey } from '../../core/keys.ts'
import { KeyNotFoundError, MaxKeysError } from '../../errors/access.ts'
import type { Store } from '../../store/openStore.ts'
import type { ApiKeysTable, Tables } from '../../store/tables.ts'
import { hashOf, mintKey, prefixOf } from './apiKey.ts'
import { readCursor, writeCursor } from './keyCursor.ts'

export interface KeyStoreOptions {
  readonly store: Store
  /** Live keys that one subject may hold at a time. */
  readonly maxKeysPerSubject: number
  /** The wall clock, in milliseconds of unix time. */
  readonly now?: () => number
}

/** Developers' keys in the database: hashes, and never a key. Throws whatever the database throws. */
export class KeyStore {
  readonly #store: Store
  readonly #maxKeysPerSubject: number
  readonly #now: () => number

  constructor({ store, maxKeysPerSubject, now = Date.now }: KeyStoreOptions) {
    this.#store = store
    this.#maxKeysPerSubject = maxKeysPerSubject
    this.#now = now
  }

  /** Makes a key. Throws MaxKeysError, exactly, however many are made for one subject at a time. */
  async create({ subjectId, label, expiresAt }: NewKey): Promise<IssuedKey> {
    const token = mintKey()
    const row: ApiKeysTable = {
      id: randomUUID(),
      subject_id: subjectId,
      label,
      hash: hashOf(token),
      prefix: prefixOf(token),
      created_at: this.#now(),
      last_used_at: null,
      expires_at: expiresAt,
      revoked_at: null,
    }
    await this.#store.transaction(async (db) => {
      await this.#lockSubject(db, subjectId)
      const live = await db
        .selectFrom('api_keys')
        .select('id')
        .where('subject_id', '=', subjectId)
        .where('revoked_at', 'is', null)
        .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', this.#now())]))
        .limit(this.#maxKeysPerSubject)
        .execute()
      if (live.length >= this.#maxKeysPerSubject) throw new MaxKeysError(this.#maxKeysPerSubject)
      await db.insertInto('api_keys').values(row).execute()
    })
    return { token, key: toKey(row) }
  }

  /** A transaction of SQLite has the whole file for itself; in Postgres a lock stands for the subject. */
  async #lockSubject(db: Transaction<Tables>, subjectId: string): Promise<void> {
    if (this.#store.kind === 'sqlite') return
    await sql`select pg_advisory_xact_lock(hashtextextended(${`api_keys ${subjectId}`}, 0))`.execute(db)
  }

  /** Newest first. Throws ValidationError for a cursor that is none. */
  async list({ subjectId, first, after }: KeyQuery): Promise<KeyPage> {
    const before = after === undefined ? undefined : readCursor(after)
    const rows = await this.#store.db
      .selectFrom('api_keys')
      .selectAll()
      .$if(subjectId !== undefined, (query) => query.where('subject_id', '=', subjectId ?? ''))
      .$if(before !== undefined, (query) =>
        query.where((where) =>
          where.or([
            where('created_at', '<', before?.createdAt ?? 0),
            where.and([where('created_at', '=', before?.createdAt ?? 0), where('id', '<', before?.id ?? '')]),
          ]),
        ),
      )
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(first + 1)
      .execute()
    const keys = rows.slice(0, first).map(toKey)
    const last = keys.at(-1)
    return { keys, nextCursor: rows.length > first && last !== undefined ? writeCursor(last) : null }
  }

  /** Throws KeyNotFoundError. */
  async get(id: string): Promise<ApiKey> {
    const row = await this.#store.db
      .selectFrom('api_keys')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst()
    if (row === undefined) throw new KeyNotFoundError(id)
    return toKey(row)
  }

  /** Revokes a key, once: a second time keeps the first time's moment. Throws KeyNotFoundError. */
  async revoke(id: string): Promise<{ key: ApiKey; hash: string }> {
    return this.#store.transaction(async (db) => {
      await db
        .updateTable('api_keys')
        .set({ revoked_at: this.#now() })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .execute()
      const row = await db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst()
      if (row === undefined) throw new KeyNotFoundError(id)
      return { key: toKey(row), hash: row.hash }
    })
  }

  /** By the hash of the whole key, so that no part of one can be felt for by how long the answer takes. */
  async findByHash(hash: string): Promise<ApiKeysTable | undefined> {
    return this.#store.db.selectFrom('api_keys').selectAll().where('hash', '=', hash).executeTakeFirst()
  }

  /** Notes uses, all or none. A later use that another process has noted stays. @param uses unix milliseconds by id */
  async noteUses(uses: readonly (readonly [id: string, usedAt: number])[]): Promise<void> {
    await this.#store.transaction(async (db) => {
      // In one order everywhere: two processes would otherwise wait for each other's rows.
      for (const [id, usedAt] of uses.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
        await db
          .updateTable('api_keys')
          .set({ last_used_at: usedAt })
          .where('id', '=', id)
          .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', usedAt)]))
          .execute()
      }
    })
  }
}

function toKey(row: ApiKeysTable): ApiKey {
  return {
    id: row.id,
    subjectId: row.subject_id,
    label: row.label,
    prefix: row.prefix,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  }
}
