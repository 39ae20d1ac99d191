import type { Log } from '@remit/engine/ports/log'
import packageJson from '../../package.json' with { type: 'json' }
import { ConfigError } from '../configuration/ConfigError.ts'
import { type Config, loadConfig } from '../configuration/loadConfig.ts'
import { misspellings } from '../configuration/misspellings.ts'
import { observedDeliveries } from '../metrics/observedDeliveries.ts'
import type { Retries } from '../webhooks/delivering/retries.ts'
import { createDelivering } from './createDelivering.ts'
import { createIndexing } from './createIndexing.ts'
import { createLog } from './log.ts'
import { secretsOf } from './logLines.ts'
import { openProcess } from './openProcess.ts'
import { type RunningProcess, runUntilSignalled } from './runUntilSignalled.ts'
import { refuseOptions } from './serve.ts'

interface DelivererProcessOptions {
  // Tests shorten the times.
  readonly retries?: Retries
  /** How long a process counts as alive, and keeps what it took to deliver, without saying so again. */
  readonly leaseMs?: number
  /** How long an endpoint may take to answer. */
  readonly timeoutMs?: number
  /** After how long without a turn the deliverer counts as stalled. */
  readonly stalledAfterMs?: number
}

/** Starts a process that delivers to webhooks and serves no requests. */
export async function startDeliverer(
  config: Config,
  log: Log,
  { stalledAfterMs, ...options }: DelivererProcessOptions = {},
): Promise<RunningProcess> {
  if (!config.webhooks || !config.deliverer) {
    throw new ConfigError('WEBHOOKS or DELIVERER is false, but this program does nothing but deliver.')
  }
  const { version } = packageJson
  const opened = await openProcess(config, log, stalledAfterMs)
  const { store, chains, metrics, pulse } = opened
  // It only reads the log: another process fills the index.
  const indexing = createIndexing({
    config: { ...config, indexer: false },
    chains,
    store,
    log,
    observer: metrics,
  })
  opened.watch(indexing)
  const delivering = createDelivering({
    config,
    chains,
    indexing,
    store,
    version,
    log,
    onTurn: metrics && observedDeliveries(metrics.registry, () => delivering),
    pulse,
    ...options,
  })
  const close = async () => {
    await delivering.stop()
    await indexing.stop()
    await opened.close()
  }
  try {
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

/** `npm run deliver` */
export async function main(args: readonly string[]): Promise<void> {
  await runUntilSignalled(async () => {
    refuseOptions(args)
    const config = loadConfig(process.env)
    const log = createLog(config.logLevel, { secrets: secretsOf(config) })
    for (const sentence of misspellings(process.env)) log.warn(sentence)
    return startDeliverer(config, log)
  })
}
