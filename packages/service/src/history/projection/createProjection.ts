import type { Store } from '../../store/openStore.ts'
import type { LogReader, ProjectionReader, ProjectionWriter } from '../projection.ts'
import { emptyChain } from './emptyChain.ts'
import { readLog, readLogEnd, readLogState } from './eventLog/readLog.ts'
import { createStateReader, findIndexState, readTip } from './indexTip.ts'
import { Leases } from './Leases.ts'
import { createQueries } from './queries/queries.ts'
import { applyStep } from './step/applyStep.ts'

/**
 * Makes the writer and reader of the index in a store.
 * @param now unix milliseconds. Leases in SQLite end by this clock, because its users share a machine. In Postgres
 *   they end by the server's clock.
 */
export function createProjection(
  store: Store,
  now: () => number = Date.now,
): ProjectionWriter & ProjectionReader & LogReader {
  const leases = new Leases(store, now)
  return {
    take: (identity, source, origin, holder, leaseMs) =>
      leases.take(identity, source, origin, holder, leaseMs),
    renew: (lease, leaseMs) => leases.renew(lease, leaseMs),
    release: (lease) => leases.release(lease),
    setAlarm: (lease, alarm) => leases.setAlarm(lease, alarm),
    tip: (chainId) => readTip(store.db, chainId),
    apply: (lease, from, step, facts, leaseMs) =>
      applyStep(store, lease, leases.until(leaseMs), from, step, facts),
    empty: (lease, origin, source) => emptyChain(store, lease, origin, source),
    verify: (identity) => leases.verify(identity),
    indexState: createStateReader(store.db),
    logState: (chainId) => readLogState(store.db, chainId),
    logEnd: (chainId, finality) =>
      store.snapshot(async (db) => {
        const state = await readLogState(db, chainId)
        return state && readLogEnd(db, chainId, state, finality)
      }),
    readLog: (chainId, query) =>
      store.snapshot(async (db) => {
        const state = await readLogState(db, chainId)
        return state && readLog(db, chainId, state, query)
      }),
    snapshot: (chainId, use) =>
      store.snapshot(async (db) => {
        const indexState = await findIndexState(db, chainId)
        if (indexState === undefined) return undefined
        return { rows: await use(createQueries(db, chainId, indexState, now), indexState), indexState }
      }),
  }
}
