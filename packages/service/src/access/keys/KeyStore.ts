import { randomUUID } from 'node:crypto'
import { ValidationError } from '@remit/engine/errors/input'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import { KeyNotFoundError, MaxKeysError } from '../../errors/access.ts'
import type { ApiKey, IssuedKey, KeyPage, KeyQuery, NewKey, RotatedKey } from '../../ports/keys.ts'
import type { Queries, Store } from '../../store/openStore.ts'
import { storeTime } from '../../store/storeTime.ts'
import type { ApiKeysTable, Tables } from '../../store/tables.ts'
import { hashOf, mintKey, prefixOf } from './apiKey.ts'

/** How long the old key of a rotation still works. */
const OVERLAP_MS = 24 * 60 * 60 * 1000

export interface KeyStoreOptions {
  readonly store: Store
  /** Live keys that one subject may hold at a time. */
  readonly maxKeysPerSubject: number
  /** The store's clock, `ms` from now; tests have another one. */
  readonly storeTime?: (ms: number) => RawBuilder<number>
}

/** A key's row, and what the store's clock showed when it was read: unix milliseconds. */
export type FoundKey = ApiKeysTable & { readonly now: number }

/**
 * Developers' keys in the database (`api_keys`), without a cache. Only hashes are stored. Throws whatever the database throws.
 *
 * Words: a "subject" is whom a key belongs to; an "account" is what its requests are counted in, so keys of one account share their
 * limits. A key is "live" until it is revoked or its end has come. A rotation makes a new key, and the old one lives a day longer.
 *
 * Times are the store's: a key expires for all processes at once, whatever their machines' clocks show.
 */
export class KeyStore {
  readonly #store: Store
  readonly #maxKeysPerSubject: number
  readonly #storeTime: (ms: number) => RawBuilder<number>

  constructor({ store, maxKeysPerSubject, storeTime: time }: KeyStoreOptions) {
    this.#store = store
    this.#maxKeysPerSubject = maxKeysPerSubject
    this.#storeTime = time ?? ((ms) => storeTime(store.kind, ms))
  }

  /**
   * Makes a key. Throws MaxKeysError, and ValidationError for an end that is not in the future. The limit holds even where
   * many keys are made at the same time.
   *
   * Limits are counted by account. A new key takes over an account of the subject that is unused, so revoking a key and making
   * another gives no fresh limits. A key that a rotation has replaced leaves its account unused, also while it still lives.
   */
  async create(key: NewKey): Promise<IssuedKey> {
    const { subjectId, expiresAt } = key
    return this.#store.transaction(async (db) => {
      await this.#lockSubject(db, subjectId)
      const now = await this.#now(db)
      if (expiresAt !== null && expiresAt <= now)
        throw ValidationError.of('expiresAt', 'must be in the future')
      await this.#requireRoom(db, subjectId, 'current')
      const { token, row } = this.#mint(key, await this.#unusedAccount(db, subjectId), now)
      await db.insertInto('api_keys').values(row).execute()
      return { token, key: toKey(row) }
    })
  }

  /** Replaces a live key, which ends a day later. Throws as KeysPort says. */
  async rotate(id: string): Promise<RotatedKey & { hash: string }> {
    return this.#store.transaction(async (db) => {
      await this.#lockSubject(db, (await getRow(db, id)).subject_id)
      // Read again under the lock: of two rotations at the same time, the second one finds `replaced_by` set here, and is refused.
      const old = await getRow(db, id)
      const now = await this.#now(db)
      if (old.replaced_by !== null)
        throw ValidationError.of('id', `is of a key that ${old.replaced_by} replaces`)
      if (old.revoked_at !== null || (old.expires_at !== null && old.expires_at <= now)) {
        throw ValidationError.of('id', 'is of a key that is not live any more: make a new one')
      }
      await this.#requireRoom(db, old.subject_id, 'replaced')
      const { token, row } = this.#mint(
        { subjectId: old.subject_id, label: old.label, expiresAt: old.expires_at },
        accountOf(old),
        now,
      )
      const change = {
        replaced_by: row.id,
        expires_at: Math.min(old.expires_at ?? Infinity, now + OVERLAP_MS),
      }
      await db.insertInto('api_keys').values(row).execute()
      // Revoking takes no lock, so the key may have been revoked since it was read. Then the error below undoes the new key.
      const { numUpdatedRows } = await db
        .updateTable('api_keys')
        .set(change)
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .executeTakeFirst()
      if (numUpdatedRows === 0n)
        throw ValidationError.of('id', 'is of a key that is not live any more: make a new one')
      return { token, key: toKey(row), replaced: toKey({ ...old, ...change }), hash: old.hash }
    })
  }

  /** The store's clock: unix milliseconds. */
  async #now(db: Transaction<Tables>): Promise<number> {
    const { now } = await db.selectNoFrom(this.#storeTime(0).as('now')).executeTakeFirstOrThrow()
    return now
  }

  /** Makes a key and its row, without writing it. @param account what it counts in. Default: a new account, named by the key's id */
  #mint(
    { subjectId, label, expiresAt }: NewKey,
    account: string | undefined,
    now: number,
  ): { token: string; row: ApiKeysTable } {
    const token = mintKey()
    const id = randomUUID()
    const row: ApiKeysTable = {
      id,
      subject_id: subjectId,
      label,
      hash: hashOf(token),
      prefix: prefixOf(token),
      created_at: now,
      last_used_at: null,
      expires_at: expiresAt,
      revoked_at: null,
      replaced_by: null,
      account: account ?? id,
    }
    return { token, row }
  }

  /** Of the subject's unused accounts, the one whose keys were used least recently; `undefined` where each has a live key that is not replaced. */
  async #unusedAccount(db: Transaction<Tables>, subjectId: string): Promise<string | undefined> {
    const { rows } = await sql<{ account: string }>`
      select coalesce(account, id) as account from api_keys
        where subject_id = ${subjectId}
        group by coalesce(account, id)
        having sum(case
          when replaced_by is null and revoked_at is null and (expires_at is null or expires_at > ${this.#storeTime(0)})
          then 1 else 0 end) = 0
        order by max(coalesce(last_used_at, created_at)), account
        limit 1`.execute(db)
    return rows[0]?.account
  }

  /**
   * Throws MaxKeysError where the subject already has the most live keys of this kind. Keys that a rotation has replaced, and that still
   * live for a day, are counted apart, so that a subject with all of its keys can rotate each.
   */
  async #requireRoom(
    db: Transaction<Tables>,
    subjectId: string,
    kind: 'current' | 'replaced',
  ): Promise<void> {
    const live = await db
      .selectFrom('api_keys')
      .select('id')
      .where('subject_id', '=', subjectId)
      .where('revoked_at', 'is', null)
      .where('replaced_by', kind === 'current' ? 'is' : 'is not', null)
      .where((where) =>
        where.or([where('expires_at', 'is', null), where('expires_at', '>', this.#storeTime(0))]),
      )
      .limit(this.#maxKeysPerSubject)
      .execute()
    if (live.length >= this.#maxKeysPerSubject) throw new MaxKeysError(this.#maxKeysPerSubject)
  }

  /** Keeps other transactions from making or rotating keys of the subject. In SQLite each locks the whole file anyway. */
  async #lockSubject(db: Transaction<Tables>, subjectId: string): Promise<void> {
    if (this.#store.kind === 'sqlite') return
    await sql`select pg_advisory_xact_lock(hashtextextended(${`api_keys ${subjectId}`}, 0))`.execute(db)
  }

  /** Newest first. Throws ValidationError for an invalid cursor. */
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
    return toKey(await getRow(this.#store.db, id))
  }

  /** Changes the label, of a key that has ended too. Throws KeyNotFoundError. */
  async rename(id: string, label: string | null): Promise<ApiKey> {
    const row = await this.#store.transaction((db) =>
      db.updateTable('api_keys').set({ label }).where('id', '=', id).returningAll().executeTakeFirst(),
    )
    if (row === undefined) throw new KeyNotFoundError(id)
    return toKey(row)
  }

  /** Revokes a key. Revoking it again keeps the first time. @returns its hash too, for the cache to forget. Throws KeyNotFoundError. */
  async revoke(id: string): Promise<{ key: ApiKey; hash: string }> {
    return this.#store.transaction(async (db) => {
      await db
        .updateTable('api_keys')
        .set({ revoked_at: this.#storeTime(0) })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .execute()
      const row = await getRow(db, id)
      return { key: toKey(row), hash: row.hash }
    })
  }

  /** The key of this hash, live or not, if there is one. The hash is of the whole key, so the answer's time tells nothing about parts of it. */
  async findByHash(hash: string): Promise<FoundKey | undefined> {
    return this.#store.db
      .selectFrom('api_keys')
      .selectAll()
      .select(this.#storeTime(0).as('now'))
      .where('hash', '=', hash)
      .executeTakeFirst()
  }

  /** Notes uses, all or none. A later use from another process is kept. @param uses unix milliseconds by id */
  async noteUses(uses: readonly (readonly [id: string, usedAt: number])[]): Promise<void> {
    await this.#store.transaction(async (db) => {
      // In one order, so that two processes cannot deadlock on each other's rows.
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

async function getRow(db: Queries, id: string): Promise<ApiKeysTable> {
  const row = await db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new KeyNotFoundError(id)
  return row
}

/** The account by which limits count the uses of a key. Keys from before accounts have one of their own. */
export function accountOf({ id, account }: Pick<ApiKeysTable, 'id' | 'account'>): string {
  return account ?? id
}

function toKey(row: ApiKeysTable): ApiKey {
  return {
    id: row.id,
    subjectId: row.subject_id,
    label: row.label,
    prefix: row.prefix,
    account: accountOf(row),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  }
}

/** The last key of a page: its time, and its id among the keys of the same time. */
interface KeyCursor {
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly id: string
}

function writeCursor({ createdAt, id }: Pick<ApiKey, 'createdAt' | 'id'>): string {
  return Buffer.from(`${createdAt}.${id}`).toString('base64url')
}

/** Throws ValidationError for text that is no cursor of this service. */
function readCursor(cursor: string): KeyCursor {
  const match = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  const [, createdAt, id] = match ?? []
  if (createdAt === undefined || id === undefined) {
    throw ValidationError.of('after', 'must be the nextCursor of an earlier page')
  }
  return { createdAt: Number(createdAt), id }
}
