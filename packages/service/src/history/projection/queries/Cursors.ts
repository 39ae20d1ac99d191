import { createHash } from 'node:crypto'
import { CursorStaleError } from '@remit/engine/errors/chain'
import { ValidationError } from '@remit/engine/errors/input'
import type { PageQuery } from '@remit/engine/ports/history'
import type { Queries } from '../../../store/openStore.ts'
import type { IndexState } from '../../projection.ts'

// Cursors of lists that callers page through: first those of a chain's index, which look up whether their rows still exist, then the
// text of a cursor itself.

/** A row of any table, with its place in the chain. */
export interface PlacedRow {
  readonly block_number: number
  readonly log_index: number
  readonly transaction_hash: string
}

/** A table of logs, in which a cursor's row is looked up. */
export type LogTable = 'events' | 'approvals' | 'details_logs' | 'payments'

/**
 * Makes the cursors of one chain's lists, and reads them as long as their blocks are on the chain. A cursor names the last row of a
 * page by its place: block and log. A short hash of transaction and block shows whether a reorganisation has put another row there.
 */
export class Cursors {
  readonly #db: Queries
  readonly #chainId: number
  readonly #state: IndexState

  constructor(db: Queries, chainId: number, indexState: IndexState) {
    this.#db = db
    this.#chainId = chainId
    this.#state = indexState
  }

  /** The cursor after a row. @param list names the list: a cursor of one list is refused by another */
  async make(list: string, row: PlacedRow): Promise<string> {
    const { block_number: block, log_index: log, transaction_hash } = row
    const isFinal = block <= this.#state.finalizedBlock
    const hash = isFinal ? undefined : await this.#blockHash(block)
    return encodeCursor(this.#listKey(list), {
      block,
      log,
      transaction: cursorHash(transaction_hash),
      blockHash: hash === undefined ? undefined : cursorHash(hash),
    })
  }

  /**
   * The place that a cursor names. @param tables those that may hold its row
   * @throws ValidationError if it is no cursor of this list
   * @throws CursorStaleError if its block was reorganised away
   */
  async place(list: string, tables: readonly LogTable[], text: string): Promise<Position> {
    const { block, log, transaction, blockHash } = decodeCursor(this.#listKey(list), text)
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

  /**
   * For a list whose rows change their places, such as one by numbers of subscribers: the block of its first page, as of which all
   * its pages are read. Its cursors are an ordinary cursor with that block in front: `<block>[_<hash>]__<cursor>`.
   * @returns with `after`, the ordinary cursor, and `wrap`, which puts the block in front of one
   * @throws ValidationError if `after` is no cursor of such a list
   * @throws CursorStaleError if that block was reorganised away
   */
  async asOf({ after, untilBlock }: Pick<PageQuery, 'after' | 'untilBlock'>): Promise<AsOf> {
    const newest = this.#state.block.number
    if (after === undefined) return this.#asOf(Math.min(untilBlock ?? newest, newest), undefined)
    const [, number, hash, inner] = /^(\d{1,12})(?:_([0-9a-f]{16}))?__([\w-]+)$/.exec(after) ?? []
    if (number === undefined) throw notOfList()
    const block = Number(number)
    if (block > newest || (hash !== undefined && (await this.#isLost(block, hash))))
      throw new CursorStaleError()
    return this.#asOf(block, inner)
  }

  async #asOf(block: number, after: string | undefined): Promise<AsOf> {
    const hash = block <= this.#state.finalizedBlock ? undefined : await this.#blockHash(block)
    const begin = hash === undefined ? `${block}` : `${block}_${cursorHash(hash)}`
    const isNow = block === this.#state.block.number
    return { block, isNow, after, wrap: (inner) => `${begin}__${inner}` }
  }

  /** Whether another block has replaced the one of this short hash. Hashes of final blocks are deleted after a time; those of replaced ones stay longer. */
  async #isLost(number: number, hash: string): Promise<boolean> {
    const indexedHash = await this.#blockHash(number)
    if (indexedHash !== undefined) return cursorHash(indexedHash) !== hash
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

  #listKey(list: string): string {
    return `${this.#chainId} ${list}`
  }
}

/** The block as of which a list is read, and its cursors without and with that block. */
interface AsOf {
  readonly block: number
  /** Whether it is the index's block, so that nothing can have changed since. */
  readonly isNow: boolean
  /** The ordinary cursor; `undefined` for the first page. */
  readonly after: string | undefined
  /** Puts the block in front of an ordinary cursor. */
  readonly wrap: (inner: string) => string
}

function notOfList(): ValidationError {
  return ValidationError.of('after', 'must be the nextCursor of an earlier page of the same list')
}

/** A place in the chain by which rows are ordered. */
export interface Position {
  readonly block: number
  /** The log's index in the block. */
  readonly log: number
}

/** A place above those of all rows: of what is read newest first, everything is below it. */
export const NEWEST: Position = { block: Number.MAX_SAFE_INTEGER, log: 0 }

/** The row after which the next page begins, with what is needed to check that it still exists. */
export interface CursorPlace extends Position {
  /** The first 8 bytes of the transaction's hash, hex. */
  readonly transaction: string
  /** The first 8 bytes of the block's hash, hex; only if the block was not final when the cursor was made. */
  readonly blockHash: string | undefined
}

// The bytes of a cursor: tag, block, log, transaction's hash, perhaps block's hash.
const TAG_BYTES = 4
const HASH_BYTES = 8
const BLOCK_BYTES = 6
const LOG_BYTES = 4
const NUMBER_BYTES = BLOCK_BYTES + LOG_BYTES
const PLACE_BYTES = NUMBER_BYTES + HASH_BYTES

/** The part of a hash that a cursor carries. */
function cursorHash(hash: string): string {
  return hash.slice(2, 2 + 2 * HASH_BYTES)
}

/**
 * Makes a cursor: base64url, 30 to 40 characters. It almost never begins with a hyphen: a text that does may be a formula in a
 * spreadsheet, so a CSV has a quotation mark before it, and the cursor could not be copied from there.
 * @param list names the list: the cursor of one list is refused by another
 */
export function encodeCursor(list: string, place: CursorPlace): string {
  const numbers = Buffer.alloc(NUMBER_BYTES)
  numbers.writeUIntBE(place.block, 0, BLOCK_BYTES)
  numbers.writeInt32BE(place.log, BLOCK_BYTES)
  const hashes = Buffer.from(place.transaction + (place.blockHash ?? ''), 'hex')
  const body = Buffer.concat([numbers, hashes])
  // Eight tags, of which almost always one gives a text that does not begin with a hyphen.
  const texts = tagsOf(list, body).map((tag) => Buffer.concat([tag, body]).toString('base64url'))
  const [usual = ''] = texts
  return texts.find((text) => !text.startsWith('-')) ?? usual
}

/** @throws ValidationError on `after` if the text is no cursor of this list */
export function decodeCursor(list: string, text: string): CursorPlace {
  const bytes = Buffer.from(text, 'base64url')
  const body = bytes.subarray(TAG_BYTES)
  const isWhole = body.length === PLACE_BYTES || body.length === PLACE_BYTES + HASH_BYTES
  const isExact = bytes.toString('base64url') === text
  const tag = bytes.subarray(0, TAG_BYTES)
  if (!isWhole || !isExact || !tagsOf(list, body).some((known) => known.equals(tag))) {
    throw notOfList()
  }
  return {
    block: body.readUIntBE(0, BLOCK_BYTES),
    // Signed, as the column is. A larger number, which no cursor of ours holds, would be an error of Postgres.
    log: body.readInt32BE(BLOCK_BYTES),
    transaction: body.toString('hex', NUMBER_BYTES, PLACE_BYTES),
    blockHash: body.length > PLACE_BYTES ? body.toString('hex', PLACE_BYTES) : undefined,
  }
}

/** Eight checksums of a cursor, each as good as the others: they find typing errors and cursors of other lists. They are no secrets. */
function tagsOf(list: string, body: Buffer): Buffer[] {
  const digest = createHash('sha256').update(list).update('\n').update(body).digest()
  return Array.from({ length: digest.length / TAG_BYTES }, (_, index) =>
    digest.subarray(index * TAG_BYTES, (index + 1) * TAG_BYTES),
  )
}
