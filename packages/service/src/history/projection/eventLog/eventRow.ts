import { type EVENT_FACTS, EVENT_TYPES, type EventType } from '@remit/engine/ports/events'
import type { BlockRef } from '@remit/engine/ports/history'
import type { Selectable } from 'kysely'
import * as z from 'zod'
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

/** The place of an event that no log shows: the block at which it was seen. */
export function withoutLog({ number, hash, timestamp }: BlockRef) {
  const block = { block_number: number, block_hash: hash.toLowerCase(), timestamp }
  return { ...block, log_index: null, transaction_hash: null }
}

/** Makes a row. Its facts must be those of its type, which the signature checks. */
export function eventRow<Type extends EventType>(
  type: Type,
  facts: StoredFacts<Type>,
  row: Omit<NewEvent, 'type' | 'facts' | keyof RowSubject> & RowSubject,
): NewEvent {
  const nobody = { subscription_id: null, provider: null, account: null, token: null }
  return { ...nobody, ...row, type: typeNumber(type), facts: JSON.stringify(facts) }
}

const Facts = z.looseObject({ day: z.number().optional(), kind: z.string().optional() })

/** The facts of an earlier event that decide whether the next one is new. */
export function toldFacts(facts: string): z.output<typeof Facts> {
  return Facts.parse(JSON.parse(facts))
}
