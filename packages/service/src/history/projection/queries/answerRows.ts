import type {
  ApprovalEvent,
  DetailsRow,
  HistoryEvent,
  IndexedSubscription,
  LogPlace,
  ProfileRow,
} from '@remit/engine/ports/history'
import { parseFrequency } from '@remit/protocol/subscription'
import type { Selectable } from 'kysely'
import { getAddress } from 'viem'
import type {
  ApprovalsTable,
  DetailsLogsTable,
  EventsTable,
  ProfileLogsTable,
  SubscriptionsTable,
} from '../../../store/indexTables.ts'
import { toHex } from '../columns.ts'

// Turns rows of the store into rows of answers. Addresses are checksummed.

export function historyEvent(row: Selectable<EventsTable>, finalizedBlock: number): HistoryEvent {
  return {
    ...logPlace(row, finalizedBlock),
    subscriptionId: toHex(row.subscription_id),
    provider: getAddress(row.provider),
    subscriber: row.subscriber === null ? null : getAddress(row.subscriber),
    token: getAddress(row.token),
    subScriptEvent: row.event,
    amount: BigInt(row.amount),
  }
}

export function approvalEvent(row: Selectable<ApprovalsTable>, finalizedBlock: number): ApprovalEvent {
  return {
    ...logPlace(row, finalizedBlock),
    owner: getAddress(row.owner),
    token: getAddress(row.token),
    allowanceRaw: BigInt(row.amount),
  }
}

export function detailsRow(row: Selectable<DetailsLogsTable>, finalizedBlock: number): DetailsRow {
  const { url, description, provider } = row
  return { ...logPlace(row, finalizedBlock), provider: getAddress(provider), url, description }
}

export function profileRow(row: Selectable<ProfileLogsTable>, finalizedBlock: number): ProfileRow {
  const { description, company, url, domain, email, misc } = row
  return { ...logPlace(row, finalizedBlock), description, company, url, domain, email, misc }
}

export function indexedSubscription(row: Selectable<SubscriptionsTable>): IndexedSubscription {
  return {
    id: toHex(row.id),
    provider: getAddress(row.provider),
    token: getAddress(row.token),
    amount: BigInt(row.amount),
    frequency: parseFrequency(row.frequency),
    dueDay: row.due_day,
    cancelled: row.cancelled === 1,
    createdAt: row.created_at,
  }
}

export function logPlace(
  row: Pick<Selectable<EventsTable>, 'block_number' | 'log_index' | 'transaction_hash' | 'timestamp'>,
  finalizedBlock: number,
): LogPlace {
  return {
    blockNumber: row.block_number,
    logIndex: row.log_index,
    transactionHash: toHex(row.transaction_hash),
    timestamp: row.timestamp,
    finalized: row.block_number <= finalizedBlock,
  }
}
