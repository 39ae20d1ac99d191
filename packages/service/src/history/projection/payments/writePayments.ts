import { groupBy } from '@remit/engine/indexing/groupBy'
import type { PlacedPayment } from '@remit/engine/ports/source'
import { dayNumberAt } from '@remit/protocol/calendar'
import { SUBSCRIPT_EVENT_NUMBERS } from '@remit/protocol/logs/events'
import { PAYMENT_KINDS, type PaymentKind } from '@remit/protocol/payments/Payment'
import type { Insertable, Transaction } from 'kysely'
import { getAddress } from 'viem'
import type { EventsTable, PaymentsTable } from '../../../store/indexTables.ts'
import type { Tables } from '../../../store/tables.ts'
import { inChunks } from '../columns.ts'
import type { MemberChange } from '../step/memberships.ts'
import { addToDays } from './addToDays.ts'

export type PaymentRow = Insertable<PaymentsTable>

/** What the rows of `payments` of a step are made of: its payments, and the cancellations among its events. */
interface PaymentChanges {
  readonly events: readonly Insertable<EventsTable>[]
  readonly payments: readonly PlacedPayment[]
  /** Changes of the members of subscriptions that are not cancelled, as `liveMemberChanges` returns them. */
  readonly members: readonly MemberChange[]
}

/** A kind as the store has it: its place in PAYMENT_KINDS. */
export function kindNumber(kind: PaymentKind): number {
  return PAYMENT_KINDS.indexOf(kind)
}

/**
 * Writes the payments of a step, adds them to the sums of their days, and notes tokens that moved another amount than their logs state.
 * @returns the payments, those of clean-ups with the true provider
 */
export async function writePayments(
  db: Transaction<Tables>,
  chainId: number,
  { events, payments: given, members }: PaymentChanges,
): Promise<readonly PlacedPayment[]> {
  const providers = await providersOfCleanUps(db, chainId, given)
  const payments = given.map((payment) => {
    const provider = providers.get(payment.subscriptionId.toLowerCase())
    return provider === undefined ? payment : { ...payment, provider: getAddress(provider) }
  })
  const rows = paymentRows(chainId, { events, payments, members })
  await inChunks(rows, (chunk) => db.insertInto('payments').values(chunk).execute())
  await addToDays(db, chainId, rows)

  // By token, the block that first showed it (`../verdicts/tokenChecks.ts`).
  const unstated = new Map<string, Insertable<Tables['unstated_tokens']>>()
  for (const { isStated, token, blockNumber } of payments) {
    const row = { chain_id: chainId, token: token.toLowerCase(), block_number: blockNumber }
    if (!isStated && !unstated.has(row.token)) unstated.set(row.token, row)
  }
  await inChunks([...unstated.values()], (chunk) =>
    db
      .insertInto('unstated_tokens')
      .values(chunk)
      .onConflict((row) => row.doNothing())
      .execute(),
  )
  return payments
}

function paymentRows(chainId: number, { events, payments, members }: PaymentChanges): PaymentRow[] {
  const changes = groupBy(members, ({ blockNumber }) => blockNumber)
  const membersIn = (block: number, first: number, last: number) =>
    (changes.get(block) ?? [])
      .filter(({ logIndex }) => logIndex >= first && logIndex <= last)
      .reduce((sum, change) => sum + change.members, 0)
  const rows = payments.map((payment) => ({
    ...paymentRow(chainId, payment),
    members: membersIn(payment.blockNumber, payment.logIndex, payment.lastLogIndex),
  }))
  const cancellations = events
    .filter(({ event }) => event === SUBSCRIPT_EVENT_NUMBERS.Cancelled)
    .map((row) => ({
      ...cancellationRow(row),
      members: membersIn(row.block_number, row.log_index, row.log_index),
    }))
  return [...rows, ...cancellations]
}

/** By id, the true providers of subscriptions that were cleaned up: the logs of a clean-up name whatever its caller named. */
async function providersOfCleanUps(
  db: Transaction<Tables>,
  chainId: number,
  payments: readonly PlacedPayment[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set<string>()
  for (const { kind, subscriptionId } of payments)
    if (kind === 'cleanedUp') ids.add(subscriptionId.toLowerCase())
  const found = new Map<string, string>()
  await inChunks([...ids], async (chunk) => {
    const rows = await db
      .selectFrom('subscriptions')
      .select(['id', 'provider'])
      .where('chain_id', '=', chainId)
      .where('id', 'in', chunk)
      .execute()
    for (const { id, provider } of rows) found.set(id, provider)
  })
  return found
}

function paymentRow(chainId: number, payment: PlacedPayment): Omit<PaymentRow, 'members'> {
  return {
    chain_id: chainId,
    block_number: payment.blockNumber,
    log_index: payment.logIndex,
    last_log_index: payment.lastLogIndex,
    transaction_hash: payment.transactionHash.toLowerCase(),
    timestamp: payment.timestamp,
    kind: kindNumber(payment.kind),
    subscription_id: payment.subscriptionId.toLowerCase(),
    provider: payment.provider.toLowerCase(),
    subscriber: payment.subscriber.toLowerCase(),
    token: payment.token.toLowerCase(),
    day: payment.dayNumber,
    to_provider: payment.toProvider.toString(),
    to_fee_balance: payment.toFeeBalance.toString(),
    to_subscriber: payment.toSubscriber.toString(),
    caller_fee: payment.callerFee.toString(),
    system_share: payment.systemShare.toString(),
    drop_reason: payment.dropReason,
  }
}

/** The row of a cancellation. It moved nothing, but all memberships ended with it. */
function cancellationRow(row: Insertable<EventsTable>): Omit<PaymentRow, 'members'> {
  const { chain_id, block_number, log_index, transaction_hash, timestamp, subscription_id, provider, token } =
    row
  return {
    chain_id,
    block_number,
    log_index,
    last_log_index: log_index,
    transaction_hash,
    timestamp,
    kind: kindNumber('cancelled'),
    subscription_id,
    provider,
    subscriber: null,
    token,
    day: dayNumberAt(timestamp),
    to_provider: '0',
    to_fee_balance: '0',
    to_subscriber: '0',
    caller_fee: '0',
    system_share: '0',
    drop_reason: null,
  }
}
