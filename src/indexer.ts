import { parseArgs } from 'node:util'
import { Chains } from './chain/Chains.ts'
import { ConfigError } from './configuration/ConfigError.ts'
import { type Config, loadConfig } from './configuration/loadConfig.ts'
import { misspellings } from './configuration/misspellings.ts'
import type { Log } from './core/ports/log.ts'
import { createIndexing } from './indexing.ts'
import { createLog } from './log.ts'
import { type Running, runUntilSignalled } from './runUntilSignalled.ts'
import { secretsOf } from './secretsOf.ts'
import { openStore } from './store/openStore.ts'

export interface IndexerOptions {
  /** How long other processes wait before they take over when this one has died; default 10 s. */
  readonly leaseMs?: number
  /** A chain whose index is deleted first and then read again. */
  readonly rebuild?: number
}

/** Starts a process that fills the indexes of all configured chains and serves no requests. */
export async function startIndexer(
  config: Config,
  log: Log,
  { rebuild, ...options }: IndexerOptions = {},
): Promise<Running> {
  const { defaultChainId, rpcTimeoutMs } = config
  const store = await openStore(config.databaseUrl)
  const chains = new Chains({ entries: config.chains, defaultChainId, rpcTimeoutMs, log })
  const indexing = createIndexing({ config, chains, store, log, ...options })
  const { chainIds, failed } = indexing
  if (chainIds.length === 0) {
    await store.close()
    throw new ConfigError('There is nothing to index: INDEX_<id> is off for every chain with an RPC URL.')
  }
  const close = async () => {
    await indexing.stop()
    chains.stop()
    await store.close()
  }
  try {
    chains.start()
    if (rebuild !== undefined) await indexing.empty(rebuild)
    await indexing.start()
  } catch (error) {
    await close()
    throw error
  }
  return { ready: `Remit indexes: chains ${chainIds.join(', ')}`, failed, indexing, close }
}

/** `--lease-seconds 10 --rebuild 8453` */
function readArguments(): IndexerOptions {
  const { 'lease-seconds': seconds, rebuild } = parseOptions()
  if (seconds !== undefined && (!/^\d{1,4}(\.\d)?$/.test(seconds) || Number(seconds) === 0)) {
    throw new ConfigError('--lease-seconds must be a number from 0.1 to 9999.')
  }
  if (rebuild !== undefined && !/^\d{1,16}$/.test(rebuild)) {
    throw new ConfigError('--rebuild must be the id of a chain, such as 8453.')
  }
  return {
    ...(seconds === undefined ? {} : { leaseMs: Number(seconds) * 1_000 }),
    ...(rebuild === undefined ? {} : { rebuild: Number(rebuild) }),
  }
}

function parseOptions() {
  try {
    return parseArgs({ options: { 'lease-seconds': { type: 'string' }, rebuild: { type: 'string' } } }).values
  } catch (cause) {
    throw new ConfigError('The options are --lease-seconds <seconds> and --rebuild <chain id>.', { cause })
  }
}

if (import.meta.filename === process.argv[1]) {
  await runUntilSignalled(async () => {
    const config = loadConfig(process.env)
    if (!config.indexer) throw new ConfigError('INDEXER is false, but this program does nothing but index.')
    const log = createLog(config.logLevel, { secrets: secretsOf(config) })
    for (const sentence of misspellings(process.env)) log.warn(sentence)
    return startIndexer(config, log, readArguments())
  })
}
