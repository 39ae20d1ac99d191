import { parseArgs } from 'node:util'
import type { Log } from '@remit/engine/ports/log'
import { ConfigError } from '../configuration/ConfigError.ts'
import { type Config, loadConfig } from '../configuration/loadConfig.ts'
import { misspellings } from '../configuration/misspellings.ts'
import { createIndexing } from './createIndexing.ts'
import { createLog } from './log.ts'
import { secretsOf } from './logLines.ts'
import { openProcess } from './openProcess.ts'
import { type RunningProcess, runUntilSignalled } from './runUntilSignalled.ts'

export interface IndexerOptions {
  /** How long other processes wait before they take over when this one has died; default 10 s. */
  readonly leaseMs?: number
  /** A chain whose index is deleted first and then read again. */
  readonly rebuild?: number
  /** After how long without work the process is no longer ready. */
  readonly stalledAfterMs?: number
}

/** Starts a process that fills the indexes of all configured chains and serves no requests. */
export async function startIndexer(
  config: Config,
  log: Log,
  { rebuild, stalledAfterMs, ...options }: IndexerOptions = {},
): Promise<RunningProcess> {
  const opened = await openProcess(config, log, stalledAfterMs)
  const { store, chains, metrics, pulse } = opened
  const indexing = createIndexing({ config, chains, store, log, observer: metrics, pulse, ...options })
  const { chainIds, failed } = indexing
  opened.watch(indexing)
  const close = async () => {
    await indexing.stop()
    await opened.close()
  }
  try {
    if (chainIds.length === 0) {
      throw new ConfigError('There is nothing to index: INDEX_<id> is off for every chain with an RPC URL.')
    }
    chains.start()
    if (rebuild !== undefined) await indexing.empty(rebuild)
    await indexing.start()
  } catch (error) {
    await close()
    throw error
  }
  return { ready: `Remit indexes: chains ${chainIds.join(', ')}`, failed, indexing, close }
}

const OPTIONS = {
  'lease-seconds': { type: 'string' },
  rebuild: { type: 'string' },
} as const

/** `--lease-seconds 10 --rebuild 8453` */
function readArguments(args: readonly string[]): IndexerOptions {
  const { 'lease-seconds': seconds, rebuild } = parseOptions(args)
  if (seconds !== undefined && (!/^\d{1,4}(\.\d)?$/.test(seconds) || Number(seconds) === 0)) {
    throw new ConfigError('--lease-seconds must be a number from 0.1 to 9999.')
  }
  return {
    ...(seconds === undefined ? {} : { leaseMs: Number(seconds) * 1_000 }),
    ...(rebuild === undefined ? {} : { rebuild: chainIdOf(rebuild) }),
  }
}

function chainIdOf(text: string): number {
  if (!/^\d{1,16}$/.test(text)) throw new ConfigError('--rebuild must be the id of a chain, such as 8453.')
  return Number(text)
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values
  } catch (cause) {
    throw new ConfigError('The options are --lease-seconds <seconds> and --rebuild <chain id>.', { cause })
  }
}

/** `npm run index` */
export async function main(args: readonly string[]): Promise<void> {
  await runUntilSignalled(async () => {
    const options = readArguments(args)
    const config = loadConfig(process.env)
    const log = createLog(config.logLevel, { secrets: secretsOf(config) })
    for (const sentence of misspellings(process.env)) log.warn(sentence)
    if (!config.indexer) throw new ConfigError('INDEXER is false, but this program does nothing but index.')
    return startIndexer(config, log, options)
  })
}
