import { parseArgs } from 'node:util'
import { ConfigError } from './configuration/ConfigError.ts'
import { type Config, loadConfig } from './configuration/loadConfig.ts'
import { misspellings } from './configuration/misspellings.ts'
import type { Log } from './core/ports/log.ts'
import { createIndexing } from './createIndexing.ts'
import { exportSnapshot, importSnapshot } from './indexSnapshot.ts'
import { createLog } from './log.ts'
import { openProcess } from './openProcess.ts'
import { type Running, runUntilSignalled, type Say } from './runUntilSignalled.ts'
import { secretsOf } from './secretsOf.ts'

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
  const opened = await openProcess(config, log)
  const { store, chains, metrics } = opened
  const indexing = createIndexing({ config, chains, store, log, observer: metrics, ...options })
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
    await chains.recall()
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
  export: { type: 'string' },
  import: { type: 'string' },
  chain: { type: 'string' },
} as const

interface Arguments extends IndexerOptions {
  /** The file that a snapshot is written to. */
  readonly export?: string | undefined
  /** The file that a snapshot is read from. */
  readonly import?: string | undefined
  readonly chain?: number
}

/** `--lease-seconds 10 --rebuild 8453`, `--export base.snapshot --chain 8453`, `--import base.snapshot` */
function readArguments(): Arguments {
  const { 'lease-seconds': seconds, rebuild, chain, ...files } = parseOptions()
  if (seconds !== undefined && (!/^\d{1,4}(\.\d)?$/.test(seconds) || Number(seconds) === 0)) {
    throw new ConfigError('--lease-seconds must be a number from 0.1 to 9999.')
  }
  if (files.export !== undefined && files.import !== undefined) {
    throw new ConfigError('--export and --import cannot be given together.')
  }
  if (chain !== undefined && files.export === undefined) {
    throw new ConfigError('--chain belongs to --export: a snapshot says itself which chain it is of.')
  }
  return {
    ...(seconds === undefined ? {} : { leaseMs: Number(seconds) * 1_000 }),
    ...(rebuild === undefined ? {} : { rebuild: chainIdOf('--rebuild', rebuild) }),
    ...(chain === undefined ? {} : { chain: chainIdOf('--chain', chain) }),
    ...files,
  }
}

function chainIdOf(option: string, text: string): number {
  if (!/^\d{1,16}$/.test(text)) throw new ConfigError(`${option} must be the id of a chain, such as 8453.`)
  return Number(text)
}

function parseOptions() {
  try {
    return parseArgs({ options: OPTIONS }).values
  } catch (cause) {
    throw new ConfigError(
      'The options are --lease-seconds <seconds>, --rebuild <chain id>, --export <file> [--chain <chain id>] and --import <file>.',
      { cause },
    )
  }
}

if (import.meta.filename === process.argv[1]) {
  await runUntilSignalled(async (say) => {
    const { export: exported, import: imported, chain, ...options } = readArguments()
    const config = loadConfig(process.env)
    const log = createLog(config.logLevel, { secrets: secretsOf(config) })
    for (const sentence of misspellings(process.env)) log.warn(sentence)
    const output = process.stderr
    if (exported !== undefined) {
      const chainId = chain ?? config.defaultChainId
      return end(say, await exportSnapshot({ config, chainId, file: exported, output }))
    }
    if (imported !== undefined) return end(say, await importSnapshot({ config, log, file: imported, output }))
    if (!config.indexer) throw new ConfigError('INDEXER is false, but this program does nothing but index.')
    return startIndexer(config, log, options)
  })
}

function end(say: Say, sentence: string): never {
  say(sentence)
  process.exit(0)
}
