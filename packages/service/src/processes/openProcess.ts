import { Chains } from '@remit/engine/chain/Chains'
import type { Log } from '@remit/engine/ports/log'
import type { Config } from '../configuration/loadConfig.ts'
import { ForecastThread } from '../forecasting/ForecastThread.ts'
import type { Metrics } from '../metrics/Metrics.ts'
import { WorkPulse } from '../metrics/WorkPulse.ts'
import { openStore, type Store } from '../store/openStore.ts'
import { chainsState, type Indexing } from './createIndexing.ts'
import { openConfiguredMetrics } from './openConfiguredMetrics.ts'
import { openNodeSocket } from './openNodeSocket.ts'

// What the indexer (`indexer.ts`) and the deliverer (`deliverer.ts`) are built on: processes that work in the background and answer no
// callers. The service itself (`service.ts`) opens the same things by itself, with what answers callers.

/** The parts that such a process is built on. */
export interface OpenProcess {
  readonly store: Store
  readonly chains: Chains
  /** `undefined` where no METRICS_PORT is set. */
  readonly metrics: Metrics | undefined
  /** Watches the loops of the process: by it, `/live` and `/ready` answer on the port of the metrics. */
  readonly pulse: WorkPulse
  /** Adds the gauges of the chains and their indexes to the metrics, if there are metrics. */
  watch(indexing: Pick<Indexing, 'history' | 'sweep' | 'lookups'>): void
  /** Closes all of this. Stop the loops that use it first. */
  close(): Promise<void>
}

/**
 * Opens the metrics, the store and the chains of a process. Asks no chain anything.
 * @param stalledAfterMs after how long without a successful turn of one of its loops the process is no longer ready. Default: two minutes
 */
export async function openProcess(config: Config, log: Log, stalledAfterMs?: number): Promise<OpenProcess> {
  const { defaultChainId, rpcTimeoutMs } = config
  const pulse = new WorkPulse({ stalledAfterMs })
  const open = await openConfiguredMetrics(config, log, pulse)
  const store = await openStore(config.databaseUrl, log).catch(async (error: unknown) => {
    await open?.close()
    throw error
  })
  const metrics = open?.metrics
  const entries = config.chains
  const forecaster = new ForecastThread({ entries, rpcTimeoutMs, log, observer: metrics })
  const chains = new Chains({
    entries,
    defaultChainId,
    rpcTimeoutMs,
    log,
    forecaster,
    observer: metrics,
    openSocket: openNodeSocket,
  })
  return {
    store,
    chains,
    metrics,
    pulse,
    watch: (indexing) => open?.watchChains(chainsState(chains, indexing)),
    async close() {
      chains.stop()
      await forecaster.close()
      await store.close()
      await open?.close()
    },
  }
}
