import { parseArgs } from 'node:util'
import { Chains } from './chain/Chains.ts'
import { type Config, loadConfig } from './config.ts'
import type { Log } from './core/log.ts'
import { ConfigError } from './environment.ts'
import { createIndexing } from './indexing.ts'
import { createLog } from './log.ts'
import { type Running, runUntilSignalled } from './runUntilSignalled.ts'
import { secretsOf } from './secretsOf.ts'
import { openStore } from './store/openStore.ts'

/** A process that fills the indexes of all configured chains and serves nobody. */
export async function startIndexer(
  config: Config,
  log: Log,
  options: { leaseMs?: number } = {},
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
    await indexing.start()
  } catch (error) {
    await close()
    throw error
  }
  return { ready: `Remit indexes: chains ${chainIds.join(', ')}`, failed, indexing, close }
}

/** `--lease-seconds 10`: how long this process, when it dies, keeps others from taking over. */
function readArguments(): { leaseMs?: number } {
  const seconds = readOption()
  if (seconds === undefined) return {}
  if (!/^\d{1,4}(\.\d)?$/.test(seconds) || Number(seconds) === 0) {
    throw new ConfigError('--lease-seconds must be a number from 0.1 to 9999.')
  }
  return { leaseMs: Number(seconds) * 1_000 }
}

function readOption(): string | undefined {
  try {
    return parseArgs({ options: { 'lease-seconds': { type: 'string' } } }).values['lease-seconds']
  } catch (cause) {
    throw new ConfigError('The only option is --lease-seconds, with a number of seconds.', { cause })
  }
}

if (import.meta.filename === process.argv[1]) {
  await runUntilSignalled(async () => {
    const config = loadConfig(process.env)
    if (!config.indexer) throw new ConfigError('INDEXER is false, but this program does nothing but index.')
    return startIndexer(config, createLog(config.logLevel, { secrets: secretsOf(config) }), readArguments())
  })
}
