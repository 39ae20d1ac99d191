import { CursorStaleError } from '../../../errors/chain.ts'
import type { Queries } from '../../../store/openStore.ts'
import type { Checkpoint } from '../../projection.ts'
import { cursorHash, decodeCursor, encodeCursor, type Position } from './cursor.ts'

/** A row with its place, of whichever table. */
export interface PlacedRow {
  readonly block_number: number
  readonly log_index: number
  readonly transaction_hash: string
}

/** A table whose rows are logs, by which a cursor is held to what the store has. */
export type LogTable = 'events' | 'details_logs'

/** Makes cursors for one chain's lists, and takes them back as long as their blocks are there. */
export class Cursors {
  readonly #db: Queries
  readonly #chainId: number
  readonly #checkpoint: Checkpoint

  constructor(db: Queries, chainId: number, checkpoint: Checkpoint) {
    this.#db = db
    this.#chainId = chainId
    this.#checkpoint = checkpoint
  }

  async make(list: string, row: PlacedRow): Promise<string> {
    const { block_number: block, log_index: log, transaction_hash } = row
    const isFinal = block <= this.#checkpoint.finalizedBlock
    const hash = isFinal ? undefined : await this.#blockHash(block)
    return encodeCursor(this.#named(list), {
      block,
      log,
      transaction: cursorHash(transaction_hash),
      blockHash: hash === undefined ? undefined : cursorHash(hash),
    })
  }

  /**
   * The place that a cursor stands for.
   * @throws ValidationError where it is no cursor of this list
   * @throws CursorStaleError where its block was reorganised away
   */
  async place(list: string, table: LogTable, text: string): Promise<Position> {
    const { block, log, transaction, blockHash } = decodeCursor(this.#named(list), text)
    const row = await this.#db
      .selectFrom(table)
      .select('transaction_hash')
      .where('chain_id', '=', this.#chainId)
      .where('block_number', '=', block)
      .where('log_index', '=', log)
      .executeTakeFirst()
    if (row === undefined || cursorHash(row.transaction_hash) !== transaction) throw new CursorStaleError()
    // The same transaction may stand at the same place of another block, with other rows before it.
    if (blockHash !== undefined && (await this.#isLost(block, blockHash))) throw new CursorStaleError()
    return { block, log }
  }

  /** What is final is forgotten some time later; what was reorganised away is remembered longer. */
  async #isLost(number: number, hash: string): Promise<boolean> {
    const stands = await this.#blockHash(number)
    if (stands !== undefined) return cursorHash(stands) !== hash
    const lost = await this.#db
      .selectFrom('lost_blocks')
      .select('hash')
      .where('chain_id', '=', this.#chainId)
      .where('number', '=', number)
      .execute()
    return lost.some((block) => cursorHash(block.hash) === hash)
  }

  async #blockHash(number: number): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('index_blocks')
      .select('hash')
      .where('chain_id', '=', this.#chainId)
      .where('number', '=', number)
      .executeTakeFirst()
    return row?.hash
  }

  #named(list: string): string {
    return `${this.#chainId} ${list}`
  }
}
