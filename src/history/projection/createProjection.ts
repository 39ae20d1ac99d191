import type { Store } from '../../store/openStore.ts'
import type { ProjectionReader, ProjectionWriter } from '../projection.ts'
import { emptyChain } from './emptyChain.ts'
import { Leases } from './Leases.ts'
import { createQueries } from './queries/queries.ts'
import { findCheckpoint, readStandpoint } from './standpoint.ts'
import { applyStep } from './step/applyStep.ts'

/**
 * The projection in a store: what fills it, and what it is read by.
 * @param now unix milliseconds: the clock that leases are measured by in SQLite, whose users share a machine.
 *   Postgres uses its server's.
 */
export function createProjection(
  store: Store,
  now: () => number = Date.now,
): ProjectionWriter & ProjectionReader {
  const leases = new Leases(store, now)
  return {
    take: (identity, source, origin, holder, leaseMs) =>
      leases.take(identity, source, origin, holder, leaseMs),
    renew: (lease, leaseMs) => leases.renew(lease, leaseMs),
    release: (lease) => leases.release(lease),
    setAlarm: (lease, alarm) => leases.setAlarm(lease, alarm),
    standpoint: (chainId) => readStandpoint(store.db, chainId),
    apply: (lease, from, step, terms, leaseMs) =>
      applyStep(store, lease, leases.until(leaseMs), from, step, terms),
    empty: (lease, origin) => emptyChain(store, lease, origin),
    verify: (identity) => leases.verify(identity),
    checkpoint: (chainId) => findCheckpoint(store.db, chainId),
    snapshot: (chainId, use) =>
      store.snapshot(async (db) => {
        const checkpoint = await findCheckpoint(db, chainId)
        if (checkpoint === undefined) return undefined
        return { rows: await use(createQueries(db, chainId, checkpoint), checkpoint), checkpoint }
      }),
  }
}
