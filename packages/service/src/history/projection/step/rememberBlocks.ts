import type { Step } from '@remit/engine/ports/source'
import type { Transaction } from 'kysely'
import type { Tables } from '../../../store/tables.ts'
import { blockRow, inChunks } from '../columns.ts'

/** This many final blocks are kept for each doubling of their distance from the newest: all of the newest 64, then every second one. */
const KEPT_PER_DOUBLING = 32

/** Stores the hashes of a step's blocks, by which a later step knows where a fork began, and deletes most that have become final. */
export async function rememberBlocks(
  db: Transaction<Tables>,
  chainId: number,
  { to, blocks }: Pick<Step, 'to' | 'blocks'>,
  finalizedBlock: number,
): Promise<void> {
  const rows = new Map([...blocks, to].map((block) => [block.number, blockRow(chainId, block)]))
  await inChunks([...rows.values()], (chunk) =>
    db
      .insertInto('index_blocks')
      .values(chunk)
      // The last block of a step that only rolls back is stored already.
      .onConflict((row) => row.doNothing())
      .execute(),
  )
  const final = await db
    .selectFrom('index_blocks')
    .select('number')
    .where('chain_id', '=', chainId)
    .where('number', '<=', finalizedBlock)
    .orderBy('number')
    .execute()
  const forgotten = blocksToForget(
    final.map(({ number }) => number),
    Math.min(finalizedBlock, to.number),
  )
  await inChunks(forgotten, (numbers) =>
    db.deleteFrom('index_blocks').where('chain_id', '=', chainId).where('number', 'in', numbers).execute(),
  )
}

/**
 * The final blocks that can be deleted: of older ones, ever fewer are kept.
 * So a common ancestor is known even after a reorganisation below finality, not much deeper than the reorganisation
 * itself, and the number of rows grows with the logarithm of the chain's length.
 * @param numbers in ascending order
 */
export function blocksToForget(numbers: readonly number[], newest: number): number[] {
  // Blocks fall into ranges of a width that doubles with their distance. The first of each range stays.
  let lastRange = ''
  return numbers.filter((number) => {
    const distance = Math.max(1, newest - number)
    const width = Math.max(1, 2 ** Math.floor(Math.log2(distance)) / KEPT_PER_DOUBLING)
    const range = `${width}:${Math.floor(number / width)}`
    const isCovered = range === lastRange
    lastRange = range
    return isCovered
  })
}
