import { BlockGoneError } from '../../core/ports/chains.ts'
import type { AccountTotal, ChainNode, NodeHeader } from '../../core/ports/node.ts'
import type { Queries } from '../../store/openStore.ts'
import { StoreError } from '../../store/StoreError.ts'
import { countAccounts } from '../audits/auditAccounts.ts'
import { type Cells, CHAIN_TABLES } from '../projection/chainTables.ts'
import { readRows } from '../projection/tableRows.ts'
import { type ComparedRanges, compareRanges } from './compareRanges.ts'
import type { SnapshotHeader } from './SnapshotHeader.ts'

/** With the head's, these headers fit into one HTTP request. */
const MOST_HEADERS = 37

/** What was compared with the chain. */
export interface ChainCheck extends ComparedRanges {
  readonly headers: number
  readonly accounts: number
  /** Whether the block that the snapshot stands at was replaced. The index then goes back by itself. */
  readonly isReplaced: boolean
  /** Whether the accounts were counted at the snapshot's block, and not only at the newest one. */
  readonly isCountExact: boolean
}

interface Options {
  readonly db: Queries
  readonly header: SnapshotHeader
  readonly node: ChainNode & AccountTotal
  readonly signal: AbortSignal
  /** From 0 to 1. */
  readonly random?: () => number
}

/**
 * Compares imported rows with the chain: block hashes, the contract's count of accounts, and the logs of random ranges.
 * Rows of an account that the contract also knows, outside these ranges, may still be missing or wrong.
 *
 * Throws StoreError if the snapshot differs from the chain, or the node is behind it.
 */
export async function checkWithChain(options: Options): Promise<ChainCheck> {
  const { header, random = Math.random } = options
  const { headers, isReplaced } = await compareHeaders(options, random)
  const accounts = await compareAccounts(options)
  const lastBlock = isReplaced ? header.finalizedBlock : header.block.number
  const compared = await compareRanges({ ...options, random, lastBlock })
  return { headers, isReplaced, ...accounts, ...compared }
}

async function compareHeaders({ db, header, node, signal }: Options, random: () => number) {
  const { chainId, block, finalizedBlock } = header
  const stored = await storedBlocks(db, header)
  const tip = stored.find(({ number }) => number === block.number)
  if (tip?.hash !== block.hash) {
    throw new StoreError(
      `The snapshot contradicts itself: it does not hold block ${block.number}, at which it stands.`,
    )
  }
  const { head } = await node.head(signal)
  if (head.number < block.number) {
    throw new StoreError(
      `The nodes of chain ${chainId} stand at block ${head.number}, before the snapshot's block ${block.number}: wait until they have it.`,
    )
  }
  const final = stored.filter(({ number }) => number <= finalizedBlock)
  const [oldest, newest] = [final.at(-1), final[0]]
  const sample = [tip, oldest, newest, ...sampleOf(final, MOST_HEADERS - 3, random)].filter(
    (one) => one !== undefined,
  )
  const found = await node.headers(
    sample.map(({ number }) => number),
    signal,
  )
  for (const [index, { number, hash }] of sample.entries()) {
    if (number <= finalizedBlock && found[index]?.hash !== hash) throw differs(chainId, number, found[index])
  }
  return {
    headers: new Set(sample.map(({ number }) => number)).size,
    isReplaced: found[0]?.hash !== block.hash,
  }
}

/** Newest first. */
async function storedBlocks(db: Queries, { chainId }: SnapshotHeader) {
  const table = CHAIN_TABLES.find(({ name }) => name === 'index_blocks')
  if (table === undefined) throw new Error('the index remembers blocks')
  const [number, hash] = ['number', 'hash'].map((column) => Object.keys(table.columns).indexOf(column))
  const rows = await readRows(db, chainId, table, undefined, 100_000)
  const cell = (row: Cells, index = -1) => row[index]
  return rows
    .map((row) => ({ number: Number(cell(row, number)), hash: String(cell(row, hash)) }))
    .toReversed()
}

function differs(chainId: number, number: number, header: NodeHeader | undefined): StoreError {
  return new StoreError(
    header === undefined
      ? `The nodes of chain ${chainId} have no block ${number}, which the snapshot has.`
      : `The snapshot is not of this chain: its block ${number} is another than that of chain ${chainId}.`,
  )
}

async function compareAccounts({ db, header, node, signal }: Options) {
  const { chainId, block } = header
  const accounts = await countAccounts(db, chainId)
  const at = (asked: Parameters<AccountTotal['totalAccounts']>[0]) => node.totalAccounts(asked, signal)
  const exact = await at(block).catch((error: unknown) => {
    // The block was replaced, or its state is too old for the nodes.
    if (error instanceof BlockGoneError) return undefined
    throw error
  })
  if (exact !== undefined) {
    if (exact === accounts) return { accounts, isCountExact: true }
    throw new StoreError(
      `The snapshot knows ${accounts} accounts at block ${block.number}, and the contract has ${exact}.`,
    )
  }
  const now = await at((await node.head(signal)).head)
  if (now >= accounts) return { accounts, isCountExact: false }
  throw new StoreError(`The snapshot knows ${accounts} accounts, and the contract has only ${now} by now.`)
}

function sampleOf<Element>(elements: readonly Element[], most: number, random: () => number): Element[] {
  if (elements.length <= most) return [...elements]
  return Array.from({ length: most }, () => elements[Math.floor(random() * elements.length)]).filter(
    (element) => element !== undefined,
  )
}
