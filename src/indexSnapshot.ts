import packageJson from '../package.json' with { type: 'json' }
import { Chains } from './chain/Chains.ts'
import type { Config } from './configuration/loadConfig.ts'
import type { Log } from './core/ports/log.ts'
import { createIndexing } from './createIndexing.ts'
import type { ChainCheck } from './history/snapshots/checkWithChain.ts'
import { exportIndex } from './history/snapshots/exportIndex.ts'
import { RowProgress } from './history/snapshots/RowProgress.ts'
import { Snapshot } from './history/snapshots/Snapshot.ts'
import type { SnapshotHeader } from './history/snapshots/SnapshotHeader.ts'
import { openStore } from './store/openStore.ts'

type Output = ConstructorParameters<typeof RowProgress>[0]['output']

/** `--export`: writes a chain's index to a file. Returns a sentence about it. */
export async function exportSnapshot(options: {
  config: Pick<Config, 'databaseUrl'>
  chainId: number
  file: string
  output: Output
}): Promise<string> {
  const { config, chainId, file, output } = options
  const store = await openStore(config.databaseUrl)
  try {
    const progress = new RowProgress({ what: `Export of chain ${chainId}`, output })
    const header = await exportIndex({ store, chainId, file, release: packageJson.version, progress })
    return `The index of chain ${chainId} at block ${header.block.number} is in ${file}: ${rowsOf(header)} rows.`
  } finally {
    await store.close()
  }
}

/** `--import`: makes a snapshot the index of its chain, after a check against the chain. Returns a sentence about it. */
export async function importSnapshot(options: {
  config: Config
  log: Log
  file: string
  output: Output
}): Promise<string> {
  const { config, log, file, output } = options
  const { defaultChainId, rpcTimeoutMs } = config
  const snapshot = await Snapshot.open(file)
  const { header } = snapshot
  const store = await openStore(config.databaseUrl, log)
  const chains = new Chains({ entries: config.chains, defaultChainId, rpcTimeoutMs, log })
  const indexing = createIndexing({ config: { ...config, indexer: false }, chains, store, log })
  try {
    chains.start()
    const progress = new RowProgress({ what: `Import of chain ${header.chainId}`, output })
    return sentenceOf(header, await indexing.import(snapshot, progress))
  } finally {
    await indexing.stop()
    chains.stop()
    await chains.settled()
    await snapshot.close()
    await store.close()
  }
}

function sentenceOf(header: SnapshotHeader, check: ChainCheck): string {
  const { chainId, block, finalizedBlock } = header
  const { headers, accounts, ranges, blocks, logs } = check
  const counted = check.isCountExact ? 'as many as the contract has' : 'no more than the contract has by now'
  const replaced = check.isReplaced
    ? ` Block ${block.number} was replaced since: the index goes on from a block of the chain, at or after ${finalizedBlock}.`
    : ''
  return `The index of chain ${chainId} stands at block ${block.number}: ${rowsOf(header)} rows. Compared with the chain: ${headers} block hashes, ${accounts} accounts (${counted}), and ${logs} logs in ${blocks} blocks of ${ranges} ranges.${replaced}`
}

function rowsOf({ tables }: SnapshotHeader): string {
  return tables.reduce((sum, { rows }) => sum + rows, 0).toLocaleString('en-US')
}
