import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { Log } from '../core/ports/log.ts'
import {
  type KeptFinding,
  NODE_ABILITIES,
  NODE_LIMITS,
  type NodeLimitStore,
} from '../core/ports/nodeLimits.ts'
import type { Store } from '../store/openStore.ts'
import type { Rpc } from './rpc/rpc.ts'

const Name = z.enum([...NODE_LIMITS, ...NODE_ABILITIES])

/** Keeps what was learnt of nodes in the database. */
export function createNodeLimitStore(store: Store): NodeLimitStore {
  return {
    async read(chainId, endpoint) {
      const rows = await store.db
        .selectFrom('node_limits')
        .select(['name', 'value', 'learnt_at'])
        .where('chain_id', '=', chainId)
        .where('endpoint', '=', endpoint)
        .execute()
      return rows.flatMap(({ name, value, learnt_at }): KeptFinding[] => {
        // A newer release may know more names.
        const known = Name.safeParse(name)
        return known.success ? [{ name: known.data, value, learntAt: learnt_at }] : []
      })
    },
    async write(chainId, endpoint, findings) {
      const rows = findings.map(({ name, value, learntAt }) => {
        return {
          chain_id: chainId,
          endpoint,
          name,
          value: Math.floor(value),
          learnt_at: Math.floor(learntAt),
        }
      })
      if (rows.length === 0) return
      await store.transaction((db) =>
        db
          .insertInto('node_limits')
          .values(rows)
          .onConflict((row) =>
            row
              .columns(['chain_id', 'endpoint', 'name'])
              .doUpdateSet((update) => ({
                value: update.ref('excluded.value'),
                learnt_at: update.ref('excluded.learnt_at'),
              }))
              .whereRef('excluded.learnt_at', '>=', 'node_limits.learnt_at'),
          )
          .execute(),
      )
    },
  }
}

/** Takes up what earlier processes learnt of a chain's nodes, and keeps what this one learns. */
export class KeptLimits {
  readonly #store: NodeLimitStore
  readonly #rpc: Pick<Rpc, 'chainId' | 'limits'>
  readonly #endpoints: readonly string[]
  readonly #log: Log
  readonly #changed = new Set<number>()
  #writing: Promise<void> | undefined

  /** @param options.urls in the order of `rpc`'s nodes */
  constructor(options: {
    store: NodeLimitStore
    rpc: Pick<Rpc, 'chainId' | 'limits'>
    urls: readonly string[]
    log: Log
  }) {
    this.#store = options.store
    this.#rpc = options.rpc
    this.#log = options.log
    this.#endpoints = options.urls.map((url) => createHash('sha256').update(url).digest('hex'))
  }

  /** Never rejects: without what was kept, it is learnt anew. */
  async recall(): Promise<void> {
    await Promise.all(
      this.#endpoints.map(async (endpoint, node) => {
        try {
          this.#rpc.limits(node).restore(await this.#store.read(this.#rpc.chainId, endpoint))
        } catch (error) {
          this.#warn('What was learnt of a node could not be read', error)
        }
      }),
    )
  }

  /** Something was learnt of a node. It is written soon. */
  learnt(node: number): void {
    this.#changed.add(node)
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
  }

  /** Resolves once everything is written that was learnt. */
  async settled(): Promise<void> {
    await this.#writing
  }

  async #write(): Promise<void> {
    // What the answers of one HTTP response teach is written together.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#changed.size > 0) {
      const nodes = [...this.#changed]
      this.#changed.clear()
      try {
        for (const node of nodes) {
          const endpoint = this.#endpoints[node]
          if (endpoint === undefined) continue
          await this.#store.write(this.#rpc.chainId, endpoint, this.#rpc.limits(node).findings())
        }
      } catch (error) {
        this.#warn('What was learnt of a node could not be kept', error)
      }
    }
  }

  #warn(message: string, error: unknown): void {
    const { chainId } = this.#rpc
    this.#log.warn(message, { chainId, cause: error instanceof Error ? error.message : String(error) })
  }
}
