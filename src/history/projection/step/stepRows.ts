import type { Insertable } from 'kysely'
import type { Hex } from 'viem'
import type { SubLog } from '../../../protocol/events.ts'
import type {
  DetailsLogsTable,
  EventsTable,
  ProfileLogsTable,
  SubscriptionsTable,
} from '../../../store/tables.ts'
import type { ScheduleTerms } from '../../projection.ts'
import type { PlacedEvent, Step } from '../../source.ts'

/** A step's events as rows, in the order of the chain. */
export interface StepRows {
  readonly events: readonly Insertable<EventsTable>[]
  readonly detailsLogs: readonly Insertable<DetailsLogsTable>[]
  readonly profileLogs: readonly Insertable<ProfileLogsTable>[]
  readonly subscriptions: readonly Insertable<SubscriptionsTable>[]
  readonly cancellations: readonly { readonly id: string; readonly blockNumber: number }[]
}

/**
 * What a step adds.
 *
 * Terms of a subscription are taken from its creation only: the janitor's logs state a provider, an amount
 * and a token that nobody has checked.
 * @throws Error where the terms of a creation are missing
 */
export function stepRows(
  chainId: number,
  { events }: Pick<Step, 'events'>,
  terms: ReadonlyMap<Hex, ScheduleTerms>,
): StepRows {
  const rows = {
    events: [] as Insertable<EventsTable>[],
    detailsLogs: [] as Insertable<DetailsLogsTable>[],
    profileLogs: [] as Insertable<ProfileLogsTable>[],
    subscriptions: [] as Insertable<SubscriptionsTable>[],
    cancellations: [] as { id: string; blockNumber: number }[],
  }
  for (const placed of events) {
    const { event } = placed
    const place = placeColumns(chainId, placed)
    const provider = event.provider.toLowerCase()
    switch (event.type) {
      case 'DetailsLog': {
        const { url, description } = event
        rows.detailsLogs.push({ ...place, provider, subscription_id: event.id, url, description })
        break
      }
      case 'ProvDetailsLog': {
        const { description, company, url, domain, email, misc } = event
        rows.profileLogs.push({ ...place, provider, description, company, url, domain, email, misc })
        break
      }
      case 'SubLog':
        rows.events.push({
          ...place,
          provider,
          subscription_id: event.id,
          event: event.subScriptEvent,
          subscriber: event.subscriber?.toLowerCase() ?? null,
          token: event.token.toLowerCase(),
          amount: event.amount.toString(),
        })
        if (event.eventName === 'Created') rows.subscriptions.push(created(chainId, placed, event, terms))
        if (event.eventName === 'Cancelled') {
          rows.cancellations.push({ id: event.id, blockNumber: placed.blockNumber })
        }
    }
  }
  return rows
}

function placeColumns(chainId: number, { event, blockNumber, logIndex, transactionHash }: PlacedEvent) {
  return {
    chain_id: chainId,
    block_number: blockNumber,
    log_index: logIndex,
    transaction_hash: transactionHash.toLowerCase(),
    timestamp: event.timestamp,
  }
}

function created(
  chainId: number,
  { blockNumber, logIndex, transactionHash }: PlacedEvent,
  event: SubLog,
  terms: ReadonlyMap<Hex, ScheduleTerms>,
): Insertable<SubscriptionsTable> {
  const schedule = terms.get(event.id)
  if (schedule === undefined) throw new Error(`the terms of the created subscription ${event.id} are missing`)
  return {
    chain_id: chainId,
    id: event.id,
    provider: event.provider.toLowerCase(),
    token: event.token.toLowerCase(),
    amount: event.amount.toString(),
    frequency: schedule.frequency,
    due_day: schedule.dueDay,
    created_at: event.timestamp,
    created_block: blockNumber,
    created_log_index: logIndex,
    transaction_hash: transactionHash.toLowerCase(),
    cancelled: 0,
    cancelled_block: null,
  }
}
