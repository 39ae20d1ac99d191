import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Queries, Store } from '../../store/openStore.ts'
import { StoreError } from '../../store/StoreError.ts'
import { CHAIN_TABLES } from '../projection/chainTables.ts'
import { findIdentity, findIndexState } from '../projection/indexTip.ts'
import { countRows, readTable } from '../projection/tableRows.ts'
import type { RowProgress } from './RowProgress.ts'
import { headerLine, type SnapshotHeader } from './SnapshotHeader.ts'

/**
 * Writes a chain's index to a file, as it is at one moment. Other processes may fill it meanwhile. The file appears under
 * its name when it is whole.
 *
 * Throws StoreError if there is no index of the chain, or the file cannot be written.
 */
export async function exportIndex(options: {
  store: Store
  chainId: number
  file: string
  release: string
  progress: RowProgress
}): Promise<SnapshotHeader> {
  const { store, chainId, file, release, progress } = options
  const partial = `${file}.partial`
  try {
    // The transaction waits for the disk here. It only reads, so no other query waits for it.
    const header = await store.snapshot(async (db) => {
      const made = await createHeader(db, chainId, release)
      progress.begin(made.tables.reduce((sum, { rows }) => sum + rows, 0))
      const lines = Readable.from(linesOf(db, made, progress))
      await pipeline(lines, createGzip(), createWriteStream(partial))
      return made
    })
    await rename(partial, file)
    return header
  } catch (error) {
    await rm(partial, { force: true })
    throw error instanceof StoreError ? error : cannotWrite(file, error)
  }
}

async function createHeader(db: Queries, chainId: number, release: string): Promise<SnapshotHeader> {
  const state = await findIndexState(db, chainId)
  const identity = await findIdentity(db, chainId)
  if (state === undefined || identity === undefined) {
    throw new StoreError(`The store holds no index of chain ${chainId}.`)
  }
  const tables: SnapshotHeader['tables'] = []
  for (const table of CHAIN_TABLES) {
    const { name, columns } = table
    tables.push({ name, columns: Object.keys(columns), rows: await countRows(db, chainId, table) })
  }
  const { block, finalizedBlock } = state
  return { release, ...identity, block: { ...block }, finalizedBlock, tables }
}

async function* linesOf(db: Queries, header: SnapshotHeader, progress: RowProgress): AsyncGenerator<string> {
  yield `${headerLine(header)}\n`
  for (const table of CHAIN_TABLES) {
    for await (const rows of readTable(db, header.chainId, table)) {
      yield rows.map((row) => `${JSON.stringify(row)}\n`).join('')
      progress.moved(rows.length)
    }
  }
}

function cannotWrite(file: string, error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (typeof code !== 'string' || !/^E[A-Z]+$/.test(code))
    return error instanceof Error ? error : new Error(String(error))
  return new StoreError(`The snapshot cannot be written to ${file} (${code}).`, { cause: error })
}
