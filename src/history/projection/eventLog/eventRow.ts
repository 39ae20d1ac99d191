import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import * as z from 'zod'
import { type EVENT_FACTS, EVENT_TYPES, type EventType } from '../../../core/ports/events.ts'
import type { EventLogTable } from '../../../store/indexTables.ts'

/** A row of the log before it has its place. */
export type NewEvent = Omit<Selectable<EventLogTable>, 'chain_id' | 'sequence' | 'retracted_by'>

/** Whom a row is about, in lower case. */
type RowSubject = Partial<Pick<NewEvent, 'subscription_id' | 'provider' | 'account' | 'token'>>

/** The facts of a type as the store keeps them. */
type StoredFacts<Type extends EventType> = z.input<(typeof EVENT_FACTS)[Type]>

export function typeNumber(type: EventType): number {
  return EVENT_TYPES.indexOf(type)
}

/** The same for the same parts, wherever and whenever it is made. */
export function eventId(...parts: readonly (string | number)[]): string {
  return `evt_${createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, 40)}`
}

/** Makes a row. Its facts must be those of its type, which the signature checks. */
export function eventRow<Type extends EventType>(
  type: Type,
  facts: StoredFacts<Type>,
  row: Omit<NewEvent, 'type' | 'facts' | keyof RowSubject> & RowSubject,
): NewEvent {
  return {
    id: row.id,
    type: typeNumber(type),
    block_number: row.block_number,
    block_hash: row.block_hash,
    timestamp: row.timestamp,
    log_index: row.log_index,
    transaction_hash: row.transaction_hash,
    subscription_id: row.subscription_id ?? null,
    provider: row.provider ?? null,
    account: row.account ?? null,
    token: row.token ?? null,
    facts: JSON.stringify(facts),
  }
}

const Facts = z.looseObject({ day: z.number().optional(), kind: z.string().optional() })

/** What an event that the sweep told was about, as far as it decides what is told next. */
export function toldFacts(facts: string): z.output<typeof Facts> {
  return Facts.parse(JSON.parse(facts))
}
