import { type RawBuilder, type Selectable, sql } from 'kysely'
import { DELIVERY_STATES } from '../../ports/webhooks.ts'
import type { WebhookDeliveriesTable, WebhookLanesTable } from '../../store/tables.ts'

// The words of webhook delivery. An endpoint is one webhook: a URL, and what it hears. A delivery is a row for one event that an
// endpoint is sent; "an event gets a row" means that it will be sent. Rows of one queue are sent in order; a queue is one
// subscription's events (`queueOf` tells of the others). A cursor says up to which sequence of a chain's event log an endpoint's events
// have rows: the main cursor, one for each queue that is late, one for events that are wanted again since a time. A queue is late while
// earlier events of it wait, with a row or without: the main cursor passes over its new ones, and its own leads to them. A cursor that
// has nothing left ends: its row is deleted. A route says how far the router (`Router.ts`) has read a log: it wakes the endpoints that
// hear an event there, that is, makes them due and sets `woken`. A turn is one claim of an endpoint by a process: give rows, send, write
// down.

export const PENDING = DELIVERY_STATES.indexOf('pending')
export const DELIVERED = DELIVERY_STATES.indexOf('delivered')
export const DEAD = DELIVERY_STATES.indexOf('dead')

/** The `chain_id` of messages that are no events of a chain, such as "webhook paused". Their `sequence` is that of `nextVersion`. */
export const NO_CHAIN = 0

/** A cursor of an endpoint. Its table is named lanes since migration 0017. */
export type CursorRow = Selectable<WebhookLanesTable>

/** Stands for the queue in the row of a main cursor. */
export const MAIN_QUEUE = ''
/** The queue of `redeliver` with `since`: its cursor reads again everything since that time. */
export const SINCE_QUEUE = 'since'

export function kindOf({ queue }: Pick<CursorRow, 'queue'>): 'main' | 'since' | 'late' {
  return queue === MAIN_QUEUE ? 'main' : queue === SINCE_QUEUE ? 'since' : 'late'
}

/** The queue of one event that its owner wants again: it waits for nothing, and nothing waits for it. */
export function againQueue(chainId: number, sequence: number): string {
  return `again ${chainId} ${sequence}`
}

/** The columns to set in the row of a delivery that is sent once more, as if it had never been attempted. */
export const RESEND_COLUMNS = { state: PENDING, again: 1, attempts: 0, first_attempt_at: null } as const

/** A delivery that nobody has attempted yet: columns that are left out are null. */
export function newDelivery(
  endpointId: string,
  message: Pick<WebhookDeliveriesTable, 'chain_id' | 'sequence' | 'event_id' | 'type' | 'queue' | 'body'>,
  now: number,
) {
  const waiting = { state: PENDING, again: 0, created_at: now, next_at: now, attempts: 0 }
  return { endpoint_id: endpointId, ...message, ...waiting }
}

/** Rows in one statement. */
const CHUNK = 200

/** Rows in groups that fit into one statement. */
export function chunksOf<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  return Array.from({ length: Math.ceil(rows.length / CHUNK) }, (_, index) =>
    rows.slice(index * CHUNK, (index + 1) * CHUNK),
  )
}

/** The first of each, then the second of each, and so on. */
export function alternating<Row>(groups: Iterable<readonly Row[]>): readonly Row[] {
  const lists = [...groups]
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => list.slice(index, index + 1)),
  ).flat()
}

type ColumnType = 'text' | 'bigint'

/** SQL after `with`: a table `done` of these rows, one at least. The first one says the types: without them Postgres takes all for text. */
export function doneRows<Name extends string>(
  types: Readonly<Record<Name, ColumnType>>,
  rows: readonly Readonly<Record<NoInfer<Name>, string | number | null>>[],
): RawBuilder<unknown> {
  const columns: readonly (readonly [string, ColumnType])[] = Object.entries(types)
  const names = columns.map(([name]) => name)
  const values = rows.map((row, index) => {
    const cellsByName: Readonly<Record<string, string | number | null>> = row
    const cells = columns.map(([name, type]) => {
      const value = cellsByName[name] ?? null
      return index === 0 ? sql`cast(${value} as ${sql.raw(type)})` : value
    })
    return sql`(${sql.join(cells)})`
  })
  return sql`done (${sql.raw(names.join(', '))}) as (values ${sql.join(values)})`
}
