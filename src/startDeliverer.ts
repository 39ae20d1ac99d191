import packageJson from '../package.json' with { type: 'json' }
import { Chains } from './chain/Chains.ts'
import { createNodeLimitStore } from './chain/KeptLimits.ts'
import { ConfigError } from './configuration/ConfigError.ts'
import type { Config } from './configuration/loadConfig.ts'
import type { Log } from './core/ports/log.ts'
import { createDelivering } from './delivering.ts'
import { chainsState, createIndexing } from './indexing.ts'
import { observedDeliveries } from './metrics/observedDeliveries.ts'
import { openConfiguredMetrics } from './openConfiguredMetrics.ts'
import type { Running } from './runUntilSignalled.ts'
import { openStore } from './store/openStore.ts'
import type { Retries } from './webhooks/delivering/retries.ts'

export interface DelivererProcessOptions {
  /** Tests shorten the times. */
  readonly retries?: Retries
  readonly leaseMs?: number
  readonly timeoutMs?: number
}

/** Starts a process that delivers to webhooks and serves no requests. */
export async function startDeliverer(
  config: Config,
  log: Log,
  options: DelivererProcessOptions = {},
): Promise<Running> {
  if (!config.webhooks || !config.deliverer) {
    throw new ConfigError('WEBHOOKS or DELIVERER is false, but this program does nothing but deliver.')
  }
  const { defaultChainId, rpcTimeoutMs } = config
  const { version } = packageJson
  const open = await openConfiguredMetrics(config, log)
  const store = await openStore(config.databaseUrl, log)
  const limitStore = createNodeLimitStore(store)
  const observer = open?.metrics
  const chains = new Chains({
    entries: config.chains,
    defaultChainId,
    rpcTimeoutMs,
    log,
    limitStore,
    observer,
  })
  // It only reads the log: another process fills the index.
  const indexing = createIndexing({ config: { ...config, indexer: false }, chains, store, log, observer })
  open?.watchChains(chainsState(chains, indexing))
  const delivering = createDelivering({
    config,
    chains,
    indexing,
    store,
    version,
    log,
    onTurn: observer && observedDeliveries(observer.registry, () => delivering),
    ...options,
  })
  const close = async () => {
    await delivering.stop()
    await indexing.stop()
    chains.stop()
    await chains.settled()
    await store.close()
    await open?.close()
  }
  try {
    await chains.recall()
    chains.start()
    await indexing.start()
    await delivering.start()
  } catch (error) {
    await close()
    throw error
  }
  return {
    ready: `Remit delivers: events of chains ${indexing.chainIds.join(', ')}`,
    failed: indexing.failed,
    close,
  }
}
