import type { Hex } from 'viem'
import * as z from 'zod'
import { StoreError } from '../../store/StoreError.ts'
import { CHAIN_TABLES } from '../projection/chainTables.ts'
import type { ChainIdentity } from '../projection.ts'

/**
 * A snapshot of an index is a gzip file of lines. The first line is the header. Then come the rows of each table that
 * the header names, in its order, each as a JSON array of the cells.
 */
const FORMAT = 'remit index'
/** Of the lines. Which tables and columns there are is compared too, so this stays the same when a table is added. */
const VERSION = 1

const Hash = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/)
  .transform((text): Hex => `0x${text.slice(2)}`)
const Count = z.int().min(0)

const Header = z.object({
  /** The release that wrote the file. */
  release: z.string(),
  chainId: Count,
  genesisHash: Hash,
  contract: z.string().regex(/^0x[0-9a-f]{40}$/),
  firstBlock: Count,
  /** The block that the index stands at. */
  block: z.object({ number: Count, hash: Hash, parentHash: Hash, timestamp: Count }),
  finalizedBlock: Count,
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), rows: Count })),
})

export type SnapshotHeader = z.infer<typeof Header>

export function headerLine(header: SnapshotHeader): string {
  return JSON.stringify({ format: FORMAT, version: VERSION, ...header })
}

/** Throws StoreError if this release cannot read the file. */
export function parseHeader(line: string): SnapshotHeader {
  const json = z.looseObject({ format: z.literal(FORMAT), version: z.int() }).safeParse(parseJson(line))
  if (!json.success) throw new StoreError('The file is no snapshot of an index.')
  const { version } = json.data
  if (version !== VERSION) {
    throw new StoreError(`The snapshot has format version ${version}, and this release reads ${VERSION}.`)
  }
  const header = Header.safeParse(json.data)
  if (!header.success) throw new StoreError('The snapshot is damaged: its header cannot be read.')
  assertTables(header.data)
  return header.data
}

/** Throws StoreError if the snapshot is of another chain, contract or first block. */
export function assertIdentity(header: SnapshotHeader, identity: Omit<ChainIdentity, 'genesisHash'>): void {
  const facts: readonly [string, string | number, string | number][] = [
    ['contract', header.contract, identity.contract.toLowerCase()],
    ['first block', header.firstBlock, identity.firstBlock],
  ]
  for (const [what, given, configured] of facts) {
    if (given === configured) continue
    throw new StoreError(
      `The snapshot is of another index of chain ${header.chainId}: its ${what} is ${given}, and here it is ${configured}.`,
    )
  }
}

function assertTables({ release, tables }: SnapshotHeader): void {
  const known = new Map(CHAIN_TABLES.map(({ name, columns }) => [`${name}`, Object.keys(columns).join(' ')]))
  const given = new Map(tables.map(({ name, columns }) => [name, columns.join(' ')]))
  for (const name of new Set([...known.keys(), ...given.keys()])) {
    if (known.get(name) === given.get(name)) continue
    throw new StoreError(
      `The snapshot was made by release ${release}, whose index has another table ${name}: export it again with this release.`,
    )
  }
}

export function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
