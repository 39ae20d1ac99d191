import type { BlockPlace } from '@remit/engine/ports/nodes'
import type { PlacedEvent } from '@remit/engine/ports/source'
import { Address, BlockHash, SubscriptionId, TransactionHash } from '@remit/engine/schema/hex'
import { Uint256 } from '@remit/engine/schema/numbers'
import { MAX_DETAILS_LENGTH, subscriptEventName } from '@remit/protocol/logs/events'
import { cleanText } from '@remit/protocol/text'
import { type Hex, zeroAddress } from 'viem'
import * as z from 'zod'
import { AnswerTooLargeError, type SubgraphClient, UnusableRowsError } from './SubgraphClient.ts'

// Reads the contract's events from a subgraph: first how its rows are parsed into events, then the queries, then the reader that pages
// through them for `createSubgraphSource`.

/** An entity of the subgraph, which is one log of the contract, with the id by which it is paged. */
interface EntityRow {
  readonly id: Hex
  readonly placed: PlacedEvent
}

/**
 * The index of a log in its block, from an entity's id: the transaction's hash, then the index as four bytes, the
 * least significant first (`concatI32` of graph-ts). `undefined` if the id has another form.
 */
export function logIndexOf(id: Hex, transactionHash: Hex): number | undefined {
  if (!/^0x[0-9a-f]{72}$/.test(id) || !id.startsWith(transactionHash)) return undefined
  const index = Buffer.from(id.slice(66), 'hex').readInt32LE()
  return index < 0 ? undefined : index
}

const EntityId = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2}){1,64}$/)
  .transform((text): Hex => `0x${text.slice(2).toLowerCase()}`)

/** GraphQL sends BigInt as decimal text. These values are small enough for a number. */
const SmallBigInt = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)

const Uint40 = SmallBigInt.refine((value) => value < 2 ** 40)

/** A text that anybody may have logged, without what is not text, and cut as logs are. */
const ChainText = z.string().transform((text) => cleanText(text, MAX_DETAILS_LENGTH))

/** The fields that all entities have. */
const place = { id: EntityId, blockNumber: SmallBigInt, transactionHash: TransactionHash }

type Placed = { id: Hex; blockNumber: number; transactionHash: Hex }

/** Adds the log's index to an event, from the row's id. */
function placed(row: Placed, event: PlacedEvent['event'], context: z.RefinementCtx): EntityRow {
  const { id, blockNumber, transactionHash } = row
  const logIndex = logIndexOf(id, transactionHash)
  if (logIndex === undefined) {
    context.addIssue({ code: 'custom', path: ['id'], message: 'is not the transaction hash and a log index' })
    return z.NEVER
  }
  return { id, placed: { event, blockNumber, logIndex, transactionHash } }
}

const SubLogRow = z
  .object({
    ...place,
    internal_id: SubscriptionId,
    provider: Address,
    subscriber: Address,
    timestamp: Uint40,
    amount: Uint256,
    token: Address,
    subScriptEvent: z.int().min(0).max(9),
  })
  .transform((row, context) => {
    const { internal_id: id, subscriber, subScriptEvent, provider, timestamp, amount, token } = row
    const event = {
      type: 'SubLog',
      id,
      provider,
      timestamp,
      amount,
      token,
      eventName: subscriptEventName(subScriptEvent),
      subScriptEvent,
      subscriber: subscriber === zeroAddress ? undefined : subscriber,
    } as const
    return placed(row, event, context)
  })

const DetailsLogRow = z
  .object({
    ...place,
    internal_id: SubscriptionId,
    provider: Address,
    timestamp: Uint40,
    url: ChainText,
    description: ChainText,
  })
  .transform((row, context) => {
    const { internal_id: id, provider, timestamp, url, description } = row
    return placed(row, { type: 'DetailsLog', id, provider, timestamp, url, description }, context)
  })

const ProvDetailsLogRow = z
  .object({
    ...place,
    provider: Address,
    timestamp: Uint40,
    description: ChainText,
    company: ChainText,
    url: ChainText,
    domain: ChainText,
    email: ChainText,
    misc: ChainText,
  })
  .transform((row, context) => {
    const { id, blockNumber, transactionHash, ...rest } = row
    return placed({ id, blockNumber, transactionHash }, { type: 'ProvDetailsLog', ...rest }, context)
  })

const CallerLogRow = z
  .object({ ...place, timestamp: Uint40, checkedDay: Uint40, caller: Address, isFinished: z.boolean() })
  .transform((row, context) => {
    const { timestamp, checkedDay, caller, isFinished } = row
    return placed(row, { type: 'CallerLog', timestamp, checkedDay, caller, isFinished }, context)
  })

/** How an entity is asked for, and how a row of it is read. */
interface Entity {
  /** Its fields, as the query lists them. */
  readonly fields: string
  readonly row: z.ZodType<EntityRow>
}

const PLACE_FIELDS = 'id blockNumber transactionHash'

/** The entities that the index keeps, by the name of their list in GraphQL. */
export const ENTITIES = {
  subLogs: {
    fields: `${PLACE_FIELDS} internal_id provider subscriber timestamp amount token subScriptEvent`,
    row: SubLogRow,
  },
  detailsLogs: {
    fields: `${PLACE_FIELDS} internal_id provider timestamp url description`,
    row: DetailsLogRow,
  },
  provDetailsLogs: {
    fields: `${PLACE_FIELDS} provider timestamp description company url domain email misc`,
    row: ProvDetailsLogRow,
  },
  callerLogs: {
    fields: `${PLACE_FIELDS} timestamp checkedDay caller isFinished`,
    row: CallerLogRow,
  },
} as const satisfies Record<string, Entity>

type ListName = keyof typeof ENTITIES

type Client = Pick<SubgraphClient, 'ask' | 'indexingErrors'>

/** The subgraph's newest block, and which deployment answers. */
const Meta = z.object({
  block: z.object({ number: z.int().min(0), hash: BlockHash, timestamp: z.int().nullish() }),
  hasIndexingErrors: z.boolean(),
  deployment: z.string().max(200),
})

export type Meta = z.output<typeof Meta>

/** All events from the block that was asked for to `to`. */
export interface SubgraphRows {
  /** The last block whose events are included. All of them are. */
  readonly to: number
  /** The events in the order of the chain. */
  readonly events: readonly PlacedEvent[]
  /** What each of the answers said of the subgraph: its newest block then, and which deployment answered. */
  readonly metas: readonly Meta[]
}

/** graph-node's limit for the rows of a list in one answer. */
const MOST_ROWS = 1_000

/** Rows of one list in one block, at most: a row costs the contract's caller some 10,000 gas, and no block has 500 million. */
const MOST_BLOCK_ROWS = 50_000

const LISTS: readonly ListName[] = ['subLogs', 'detailsLogs', 'provDetailsLogs', 'callerLogs']

const META = '_meta { block { number hash timestamp } hasIndexingErrors deployment }'

const HEAD_QUERY = `query Head { ${META} }`

// The block by its hash: asked by number, graph-node may answer with rows of a branch that was replaced since.
const EVENTS_QUERY = `query Events($block: Bytes!, $from: BigInt!, $first: Int!) {
  ${META}
${LISTS.map(
  (list) => `  ${list}(
    first: $first, orderBy: blockNumber, orderDirection: asc
    block: { hash: $block }, where: { blockNumber_gte: $from }
  ) { ${ENTITIES[list].fields} }`,
).join('\n')}
}`

/** All rows of one block, by id: a block may have more than one answer holds. */
const blockQuery = (list: ListName) =>
  `query Block($block: Bytes!, $at: BigInt!, $after: Bytes!, $first: Int!) {
  ${META}
  rows: ${list}(
    first: $first, orderBy: id, orderDirection: asc
    block: { hash: $block }, where: { blockNumber: $at, id_gt: $after }
  ) { ${ENTITIES[list].fields} }
}`

/** Below every id. */
const NO_ID = '0x00'

const HeadAnswer = z.object({ _meta: Meta })
const EventsAnswer = z.object({
  _meta: Meta,
  subLogs: z.array(ENTITIES.subLogs.row),
  detailsLogs: z.array(ENTITIES.detailsLogs.row),
  provDetailsLogs: z.array(ENTITIES.provDetailsLogs.row),
  callerLogs: z.array(ENTITIES.callerLogs.row),
})

/**
 * Reads a subgraph's entities, each exactly once, wherever pages end. A page has the first rows of each list from a block on. Where a
 * list's page is full, its last block may be incomplete: the reading ends before it, for all lists. If that is the first block, its rows
 * of that list are paged through by id.
 */
export class SubgraphReader {
  readonly #client: Client
  readonly #chainId: number
  readonly #pageSize: number

  /** @param pageSize rows of each list in one answer, 1000 at most */
  constructor(client: Client, chainId: number, pageSize = MOST_ROWS) {
    if (pageSize < 1 || pageSize > MOST_ROWS) throw new RangeError(`pageSize must be 1 to ${MOST_ROWS}`)
    this.#client = client
    this.#chainId = chainId
    this.#pageSize = pageSize
  }

  /** The subgraph's newest block. Throws SourceError if the subgraph reports indexing errors. */
  async head(signal: AbortSignal): Promise<Meta> {
    const answer = await this.#client.ask(HEAD_QUERY, {}, HeadAnswer, signal)
    return this.#withoutErrors(answer._meta)
  }

  /**
   * The events from block `from` on, about one page of each list, up to `block` at most. All lists are read at the subgraph's state of
   * `block`, so that they fit together.
   *
   * Throws UnusableRowsError if rows are not what was asked for, or too large one by one; and the errors of `SubgraphClient.ask`.
   */
  async read(from: number, block: BlockPlace, signal: AbortSignal): Promise<SubgraphRows> {
    for (let first = this.#pageSize; ; first = Math.ceil(first / 4)) {
      try {
        return await this.#read(from, block, first, signal)
      } catch (error) {
        // Anybody can log long texts for a fee, so a page may be too large. A quarter of the rows may fit.
        if (!(error instanceof AnswerTooLargeError)) throw error
        if (first === 1) throw this.#wrong('cannot give a row at a time: its answers are too large')
      }
    }
  }

  async #read(from: number, block: BlockPlace, first: number, signal: AbortSignal): Promise<SubgraphRows> {
    const page = await this.#client.ask(
      EVENTS_QUERY,
      { block: block.hash, from: `${from}`, first },
      EventsAnswer,
      signal,
    )
    const metas = [this.#withoutErrors(page._meta)]
    const lists = LISTS.map((list) => {
      const rows = this.#inOrder(page[list], from, block.number, first)
      // Up to which block the list is complete: the last block of a full page may have more rows than the page has.
      const last = rows.length < first ? block.number : (rows.at(-1)?.placed.blockNumber ?? block.number) - 1
      return { list, rows, last }
    })
    const to = Math.max(from, Math.min(...lists.map(({ last }) => last)))
    const rows: EntityRow[] = []
    for (const { list, rows: ofPage, last } of lists) {
      if (last >= from) rows.push(...ofPage.filter(({ placed }) => placed.blockNumber <= to))
      // Block `from` alone fills the page, so it is read apart. Then `to` is `from`.
      else rows.push(...(await this.#readBlock(list, { at: from, block, first }, metas, signal)))
    }
    return { to, events: this.#merged(rows), metas }
  }

  /** All rows of one list in one block, page by page. Adds what the answers say of the subgraph to `metas`. */
  async #readBlock(
    list: ListName,
    { at, block, first }: { at: number; block: BlockPlace; first: number },
    metas: Meta[],
    signal: AbortSignal,
  ): Promise<EntityRow[]> {
    const BlockAnswer = z.object({ _meta: Meta, rows: z.array(ENTITIES[list].row) })
    const query = blockQuery(list)
    const found: EntityRow[] = []
    for (;;) {
      const after = found.at(-1)?.id ?? NO_ID
      const { _meta, rows } = await this.#client.ask(
        query,
        { block: block.hash, at: `${at}`, after, first },
        BlockAnswer,
        signal,
      )
      metas.push(this.#withoutErrors(_meta))
      for (const row of this.#inOrder(rows, at, at, first)) {
        if (row.id <= (found.at(-1)?.id ?? NO_ID))
          throw this.#wrong('gives ids in another order than asked for')
        found.push(row)
      }
      if (rows.length < first) return found
      if (found.length > MOST_BLOCK_ROWS)
        throw this.#wrong('gives more rows of one block than a block can hold')
    }
  }

  /** Returns the rows if they are what was asked for. Throws UnusableRowsError otherwise. */
  #inOrder(rows: readonly EntityRow[], from: number, to: number, first: number): readonly EntityRow[] {
    if (rows.length > first) throw this.#wrong('gives more rows than were asked for')
    let least = from
    for (const { placed } of rows) {
      if (placed.blockNumber < least || placed.blockNumber > to) {
        throw this.#wrong('gives rows of other blocks, or in another order, than were asked for')
      }
      least = placed.blockNumber
    }
    return rows
  }

  /** The events of all lists in the order of the chain. Throws UnusableRowsError where two are at one place. */
  #merged(rows: readonly EntityRow[]): PlacedEvent[] {
    const events = rows.map(({ placed }) => placed)
    events.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
    events.forEach((event, index) => {
      const before = events[index - 1]
      if (before?.blockNumber === event.blockNumber && before.logIndex === event.logIndex) {
        throw this.#wrong('gives two rows for one log')
      }
    })
    return events
  }

  #withoutErrors(meta: Meta): Meta {
    if (meta.hasIndexingErrors) throw this.#client.indexingErrors()
    return meta
  }

  #wrong(what: string): UnusableRowsError {
    return new UnusableRowsError(`The subgraph of chain ${this.#chainId} ${what}.`)
  }
}
