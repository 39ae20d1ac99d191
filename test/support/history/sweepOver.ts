import type { HistoryQueries } from '@remit/engine/ports/history'
import { createProjection } from '@remit/service/testing/history/projection/createProjection'
import { watchStore } from '@remit/service/testing/history/projection/eventLog/watchStore'
import { verdictStore } from '@remit/service/testing/history/projection/verdicts/verdictStore'
import { Sweep } from '@remit/service/testing/history/sweep/Sweep'
import { UnloggedStateWatch } from '@remit/service/testing/history/sweep/UnloggedStateWatch'
import type { Store } from '@remit/service/testing/store/openStore'
import { type ReadingGround, silentLog } from '../chain/useReadingGround.ts'
import { fillFromLogs } from './fillFromLogs.ts'

/**
 * An index at the chain's head, and a sweep of it that a test drives.
 * @param options.sweptUrl the node that the sweep asks; default the ground's own
 */
export async function sweepOver(
  ground: ReadingGround,
  store: Store,
  options: { perHour?: number; pagePayers?: number; now?: () => number; sweptUrl?: string } = {},
) {
  const { perHour = 10_000, sweptUrl, ...others } = options
  const { chainId } = ground
  const filling = await fillFromLogs(ground, [ground.url], { store })
  await filling.fill()
  const reader = createProjection(store)
  const chains = ground.open({
    pollMs: 50,
    rollbackAfterMs: 0,
    ...(sweptUrl === undefined ? {} : { rpcUrls: [sweptUrl] }),
  })
  const { signal } = new AbortController()
  const make = () =>
    new Sweep({
      chainId,
      chains,
      reader,
      store: verdictStore(store),
      isSynced: () => true,
      requestsPerHour: perHour,
      log: silentLog,
      ...others,
    })
  const sweep = make()
  const watch = new UnloggedStateWatch({ chainId, chains, reader, store: watchStore(store) })
  return {
    filling,
    sweep,
    make,
    async queries<T>(use: (queries: HistoryQueries) => Promise<T>) {
      const found = await reader.snapshot(chainId, use)
      if (found === undefined) throw new Error('there is no index')
      return found.rows
    },
    /** Looks at what no log tells. */
    look: async () => watch.look(await filling.lease(), signal),
    page: async (by = sweep) => by.sweepPage(await filling.lease(), signal),
    async all() {
      for (let pages = 0; await sweep.sweepPage(await filling.lease(), signal); pages += 1) {
        if (pages === 50) throw new Error('the sweep does not end')
        // On to the next page.
      }
    },
  }
}

/** Has every verdict read once more. */
export async function makeDue(store: Store): Promise<void> {
  await store.transaction((db) => db.updateTable('verdicts').set({ sweep_at: 1 }).execute())
}
