import { CursorStaleError } from '../../../errors/chain.ts'
import type { Queries } from '../../../store/openStore.ts'
import type { IndexState } from '../../projection.ts'
import { cursorHash, decodeCursor, encodeCursor, type Position } from './cursor.ts'

/** A row of any table, with its place in the chain. */
export interface PlacedRow {
  readonly block_number: number
  readonly log_index: number
  readonly transaction_hash: string
}

/** A table of logs, in which a cursor's row is looked up. */
export type LogTable = 'events' | 'approvals' | 'details_logs' | 'payments'

/** Makes the cursors of one chain's lists, and reads them as long as their blocks are on the chain. */
export class Cursors {
  readonly #db: Queries
  readonly #chainId: number
  readonly #state: IndexState

  constructor(db: Queries, chainId: number, indexState: IndexState) {
    this.#db = db
    this.#chainId = chainId
    this.#state = indexState
  }

  async make(list: string, row: PlacedRow): Promise<string> {
    const { block_number: block, log_index: log, transaction_hash } = row
    const isFinal = block <= this.#state.finalizedBlock
    const hash = isFinal ? undefined : await this.#blockHash(block)
    return encodeCursor(this.#named(list), {
      block,
      log,
      transaction: cursorHash(transaction_hash),
      blockHash: hash === undefined ? undefined : cursorHash(hash),
    })
  }

  /**
   * The place that a cursor names.
   * @throws ValidationError if it is no cursor of this list
   * @throws CursorStaleError if its block was reorganised away
   */
  async place(list: string, tables: readonly LogTable[], text: string): Promise<Position> {
    const { block, log, transaction, blockHash } = decodeCursor(this.#named(list), text)
    let row: Pick<PlacedRow, 'transaction_hash'> | undefined
    for (const table of tables) {
      row ??= await this.#db
        .selectFrom(table)
        .select('transaction_hash')
        .where('chain_id', '=', this.#chainId)
        .where('block_number', '=', block)
        .where('log_index', '=', log)
        .executeTakeFirst()
    }
    if (row === undefined || cursorHash(row.transaction_hash) !== transaction) throw new CursorStaleError()
    // After a reorganisation the same transaction may be at the same place of another block, with other rows
    // before it.
    if (blockHash !== undefined && (await this.#isLost(block, blockHash))) throw new CursorStaleError()
    return { block, log }
  }

  /** The hash of a block is deleted some time after it is final. Lost blocks are kept longer. */
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
