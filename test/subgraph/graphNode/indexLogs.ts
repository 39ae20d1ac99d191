import { Subscriptions } from '@remit/contracts/Subscriptions'
import type { DevClient } from '@remit/devchain/testing/chain/client'
import { type Address, type Hex, numberToHex, parseEventLogs } from 'viem'
import type { EntityType } from './apiSchema.ts'

/** An entity's fields as GraphQL gives them. */
export type EntityValues = Readonly<Record<string, unknown>>

/** What a subgraph has at a block: its entities by the list's name. */
export interface Indexed {
  readonly block: { readonly number: number; readonly hash: Hex; readonly timestamp: number }
  readonly lists: ReadonlyMap<string, readonly EntityValues[]>
  /** The numbers of all blocks that were ever read, by their hashes. */
  readonly numbers: ReadonlyMap<string, number>
}

/**
 * Indexes the contract's logs up to a block, as the subgraph's handlers do.
 * @param numbers of the blocks that were read before, by their hashes; those of this branch are added
 */
export async function indexLogs(
  client: DevClient,
  contract: Address,
  entities: readonly EntityType[],
  to: bigint,
  numbers = new Map<string, number>(),
): Promise<Indexed> {
  const { number, hash, timestamp } = await client.getBlock({ blockNumber: to })
  for (let at = number; at >= 0n; at--) {
    const block = await client.getBlock({ blockNumber: at })
    if (numbers.has(block.hash)) break
    numbers.set(block.hash, Number(at))
  }
  const encoded = await client.getLogs({ address: contract, fromBlock: 0n, toBlock: to })
  const logs = parseEventLogs({ abi: Subscriptions.abi, logs: encoded, strict: true })
  const logged = [...new Set(logs.map(({ blockNumber }) => blockNumber))]
  const blocks = await Promise.all(logged.map((blockNumber) => client.getBlock({ blockNumber })))
  const times = new Map(blocks.map((block) => [block.number, block.timestamp]))

  const lists = new Map<string, EntityValues[]>()
  for (const { name, list, fields } of entities) {
    const rows = logs.flatMap(({ eventName, args, blockNumber, transactionHash, logIndex }) => {
      if (eventName !== name) return []
      const { id: internal_id, ...rest } = { id: undefined, ...args }
      const values: EntityValues = {
        ...rest,
        internal_id,
        id: entityId(transactionHash, logIndex),
        blockNumber,
        blockTimestamp: times.get(blockNumber),
        transactionHash,
      }
      return [Object.fromEntries(fields.map(({ name, scalar }) => [name, asScalar(scalar, values[name])]))]
    })
    lists.set(list, rows)
  }
  return { block: { number: Number(number), hash, timestamp: Number(timestamp) }, lists, numbers }
}

/** `transactionHash.concatI32(logIndex)` of graph-ts. */
export function entityId(transactionHash: Hex, logIndex: number): Hex {
  const bigEndian = numberToHex(logIndex, { size: 4 }).slice(2)
  return `${transactionHash}${bigEndian.match(/../g)?.reverse().join('')}`
}

function asScalar(scalar: string, value: unknown): unknown {
  switch (scalar) {
    case 'Bytes':
      return String(value).toLowerCase()
    case 'BigInt':
      return String(value)
    case 'String':
      // Postgres cannot hold it, and graph-node leaves it out.
      return String(value).replaceAll('\0', '')
    default:
      return value
  }
}
