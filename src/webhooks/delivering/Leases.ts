import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { hostname } from 'node:os'
import type { Expression, Transaction } from 'kysely'
import type { Log } from '../../core/ports/log.ts'
import type { Store } from '../../store/openStore.ts'
import { storeTime } from '../../store/storeTime.ts'
import type { Tables } from '../../store/tables.ts'
import { SHARDS } from '../shards.ts'

interface LeasesOptions {
  readonly store: Store
  readonly log: Log
  /** What only one process does at a time, beside the shards. */
  readonly tasks: readonly string[]
  /** How long a process that was killed keeps others from its work. */
  readonly leaseMs: number
}

const PRESENCE = 'deliverer'

/**
 * Shares the work among all processes that deliver: parts of the endpoints, and tasks. Each lease ends by the store's
 * clock, and earlier by the holder's own, so it stops before another one begins.
 */
export class Leases {
  readonly #options: LeasesOptions
  readonly #holder = `${hostname()} ${process.pid} ${randomUUID()}`
  readonly #presence = `${PRESENCE} ${this.#holder}`
  readonly #held = new Map<string, AbortController>()
  /** Shards that are given to others as soon as nothing of them is being sent. */
  readonly #leaving = new Set<string>()
  /** By a clock that never goes back. */
  #validUntil = 0

  constructor(options: LeasesOptions) {
    this.#options = options
  }

  /** Aborts when a lease is lost; `undefined` where it is not held. */
  signalOf(name: string): AbortSignal | undefined {
    if (performance.now() >= this.#validUntil || this.#leaving.has(name)) return undefined
    return this.#held.get(name)?.signal
  }

  /** The shards in which new work may begin. */
  shards(): number[] {
    return Array.from({ length: SHARDS }, (_, shard) => shard).filter(
      (shard) => this.signalOf(shardName(shard)) !== undefined,
    )
  }

  async prepare(): Promise<void> {
    const names = [...shardNames(), ...this.#options.tasks]
    await this.#options.store.transaction((db) =>
      db
        .insertInto('webhook_leases')
        .values(names.map((name) => ({ name, holder: null, lease_until: 0 })))
        .onConflict((row) => row.doNothing())
        .execute(),
    )
  }

  /**
   * Renews what is held, and takes or gives away until every process has a fair share.
   * @param isIdle whether nothing of a shard is being sent
   */
  async balance(isIdle: (shard: number) => boolean): Promise<void> {
    const { store, leaseMs, tasks } = this.#options
    const askedAt = performance.now()
    const { renewed, present } = await store.transaction(async (db) => {
      await db
        .insertInto('webhook_leases')
        .values({ name: this.#presence, holder: this.#holder, lease_until: 0 })
        .onConflict((row) => row.doNothing())
        .execute()
      await db
        .deleteFrom('webhook_leases')
        .where('name', 'like', `${PRESENCE} %`)
        .where('lease_until', '<=', this.#until(0))
        .where('holder', '<>', this.#holder)
        .execute()
      const renewed = await db
        .updateTable('webhook_leases')
        .set({ lease_until: this.#until(leaseMs) })
        .where('holder', '=', this.#holder)
        .returning('name')
        .execute()
      const { count } = await db
        .selectFrom('webhook_leases')
        .select((query) => query.fn.countAll<number>().as('count'))
        .where('name', 'like', `${PRESENCE} %`)
        .executeTakeFirstOrThrow()
      return { renewed: new Set(renewed.map(({ name }) => name)), present: Number(count) }
    })
    this.#validUntil = askedAt + leaseMs
    for (const [name, lost] of this.#held) if (!renewed.has(name)) this.#lose(name, lost)
    // A row may name this process where nothing is held any more: it stopped while the store was away, or the answer to a
    // commit was lost. What is renewed and not held would be done by nobody.
    for (const name of renewed) if (!this.#held.has(name) && name !== this.#presence) this.#hold(name)
    const share = Math.ceil(SHARDS / Math.max(1, present))
    const own = shardNames().filter((name) => this.#held.has(name))
    for (const name of own.slice(share)) this.#leaving.add(name)
    await this.#give(own.filter((name) => this.#leaving.has(name) && isIdle(shardOfName(name))))
    await this.#take(shardNames(), share - own.length)
    await this.#take(tasks, tasks.length)
  }

  /** Stops what is sent under leases that have run out, because they could not be renewed in time. */
  expire(): void {
    if (performance.now() >= this.#validUntil) this.abort()
  }

  /** Stops all that is still being sent. */
  abort(): void {
    for (const [name, lost] of this.#held) this.#lose(name, lost)
  }

  /** Lets others take over at once. If this fails, the leases end by themselves. */
  async release(): Promise<void> {
    this.abort()
    const { store } = this.#options
    await store
      .transaction(async (db) => {
        await db.deleteFrom('webhook_leases').where('name', '=', this.#presence).execute()
        await db
          .updateTable('webhook_leases')
          .set({ holder: null })
          .where('holder', '=', this.#holder)
          .execute()
      })
      .catch(() => {})
  }

  async #take(names: readonly string[], most: number): Promise<void> {
    const wanted = names.filter((name) => !this.#held.has(name))
    if (most <= 0 || wanted.length === 0) return
    const { store, leaseMs } = this.#options
    const taken = await store.transaction(async (db) => {
      const free = await db
        .selectFrom('webhook_leases')
        .select('name')
        .where('name', 'in', wanted)
        .where((row) => row.or([row('holder', 'is', null), row('lease_until', '<=', this.#until(0))]))
        .execute()
      if (free.length === 0) return []
      return db
        .updateTable('webhook_leases')
        .set({ holder: this.#holder, lease_until: this.#until(leaseMs) })
        .where(
          'name',
          'in',
          free.slice(0, most).map(({ name }) => name),
        )
        .where((row) => row.or([row('holder', 'is', null), row('lease_until', '<=', this.#until(0))]))
        .returning('name')
        .execute()
    })
    for (const { name } of taken) this.#hold(name)
  }

  #hold(name: string): void {
    const lost = new AbortController()
    // Each running request listens.
    setMaxListeners(0, lost.signal)
    this.#held.set(name, lost)
  }

  async #give(names: readonly string[]): Promise<void> {
    if (names.length === 0) return
    for (const name of names) {
      this.#held.delete(name)
      this.#leaving.delete(name)
    }
    await this.#options.store.transaction((db) =>
      db
        .updateTable('webhook_leases')
        .set({ holder: null })
        .where('name', 'in', names)
        .where('holder', '=', this.#holder)
        .execute(),
    )
  }

  #lose(name: string, lost: AbortController): void {
    this.#held.delete(name)
    this.#leaving.delete(name)
    lost.abort()
  }

  #until(ms: number): Expression<number> {
    return storeTime(this.#options.store.kind, ms)
  }
}

/** How many processes deliver. One that was killed counts until its lease ends. */
export async function presentDeliverers(db: Transaction<Tables>, kind: Store['kind']): Promise<number> {
  const { count } = await db
    .selectFrom('webhook_leases')
    .select((query) => query.fn.countAll<number>().as('count'))
    .where('name', 'like', `${PRESENCE} %`)
    .where('lease_until', '>', storeTime(kind, 0))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export function shardName(shard: number): string {
  return `shard ${shard}`
}

function shardNames(): string[] {
  return Array.from({ length: SHARDS }, (_, shard) => shardName(shard))
}

function shardOfName(name: string): number {
  return Number(name.slice('shard '.length))
}
