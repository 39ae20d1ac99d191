import type { EventType } from '@remit/engine/ports/events'
import { SUBSCRIPT_EVENT_NUMBERS } from '@remit/protocol/logs/subscriptEvent'
import { DROP_REASONS, PAYMENT_KINDS } from '@remit/protocol/payments/Payment'
import type { Hex } from 'viem'
import { groupBy } from '../../groupBy.ts'
import type { Step } from '../../source.ts'
import type { PaymentRow } from '../payments/writePayments.ts'
import type { MemberChange } from '../step/memberships.ts'
import type { StepRows } from '../step/stepRows.ts'
import { eventId, eventRow, type NewEvent, typeNumber } from './eventRow.ts'

/** What a step wrote that becomes events. */
export interface Written {
  readonly rows: StepRows
  readonly payments: readonly PaymentRow[]
  /** Each beginning and end of a membership. */
  readonly turns: readonly MemberChange[]
  /** Of blocks whose hashes neither the events nor the step tell. */
  readonly hashes: ReadonlyMap<number, Hex> | undefined
}

interface Place {
  readonly block_number: number
  readonly log_index: number
  readonly transaction_hash: string
  readonly timestamp: number
}

/**
 * What the logs of a step say happened, in the order of the chain. Ids depend on the chain alone: on the block's hash, the
 * log's place in it and the kind of event.
 *
 * @throws Error if the hash of a block with events is not known
 */
export function logRows(chainId: number, step: Step, written: Written): readonly NewEvent[] {
  const hashes = hashesOf(step, written.hashes)
  const placed = (type: EventType, { block_number, log_index, transaction_hash, timestamp }: Place) => {
    const hash = hashes.get(block_number)
    if (hash === undefined) throw new Error(`the hash of block ${block_number}, which has events, is missing`)
    const id = eventId(chainId, hash, log_index, type)
    return { id, block_number, block_hash: hash, log_index, transaction_hash, timestamp }
  }
  const events = [...ofSubscriptions(written.rows, placed), ...ofPayments(written, placed)]
  return events.sort(
    (a, b) =>
      a.block_number - b.block_number || (a.log_index ?? 0) - (b.log_index ?? 0) || orderOf(a) - orderOf(b),
  )
}

type Placed = (
  type: EventType,
  place: Place,
) => Pick<NewEvent, 'id' | 'block_number' | 'block_hash' | 'log_index' | 'transaction_hash' | 'timestamp'>

/** Of two events of one log, the payment or its failure comes after the joining, and before the drop. */
function orderOf({ type }: NewEvent): number {
  return type === typeNumber('subscriber.dropped') ? 99 : type
}

function* ofSubscriptions({ events, detailsLogs, profileLogs, subscriptions }: StepRows, placed: Placed) {
  // A creation logs the details first. They are part of it.
  const created = new Map(subscriptions.map((row) => [`${row.transaction_hash} ${row.id}`, row]))
  const first = new Map<string, StepRows['detailsLogs'][number]>()
  for (const row of detailsLogs) {
    const key = `${row.transaction_hash} ${row.subscription_id}`
    const creation = created.get(key)
    if (creation !== undefined && row.log_index < creation.created_log_index) {
      first.set(key, row)
      continue
    }
    const { provider, subscription_id, url, description } = row
    const place = placed('subscription.edited', row)
    yield eventRow('subscription.edited', { url, description }, { ...place, provider, subscription_id })
  }
  for (const [key, row] of created) {
    const { id: subscription_id, provider, token, amount, frequency, due_day: dueDay } = row
    const { url = null, description = null } = first.get(key) ?? {}
    const at = {
      block_number: row.created_block,
      log_index: row.created_log_index,
      timestamp: row.created_at,
    }
    const place = placed('subscription.created', { ...at, transaction_hash: row.transaction_hash })
    const facts = { amount, frequency, dueDay, url, description }
    yield eventRow('subscription.created', facts, { ...place, provider, token, subscription_id })
  }
  for (const row of profileLogs) {
    const { description, company, url, domain, email, misc, provider } = row
    const facts = { description, company, url, domain, email, misc }
    yield eventRow('provider.edited', facts, { ...placed('provider.edited', row), provider })
  }
  for (const row of events) {
    if (row.event !== SUBSCRIPT_EVENT_NUMBERS.Cancelled) continue
    const { subscription_id, provider, token } = row
    const place = placed('subscription.cancelled', row)
    yield eventRow('subscription.cancelled', {}, { ...place, subscription_id, provider, token })
  }
}

function* ofPayments({ payments, turns }: Written, placed: Placed) {
  const byBlock = groupBy(turns, ({ blockNumber }) => blockNumber)
  for (const row of payments) {
    // Whoever was no member does not leave: the contract lets strangers unsubscribe.
    const turned = (byBlock.get(row.block_number) ?? []).some(
      ({ logIndex }) => logIndex >= row.log_index && logIndex <= row.last_log_index,
    )
    for (const type of typesOf(row, turned)) {
      const { subscription_id, provider, subscriber: account, token } = row
      const subject = { subscription_id, provider, account: account ?? null, token }
      yield eventRow(type, paymentFacts(row), { ...placed(type, row), ...subject })
    }
  }
}

type PaymentEvent = Extract<EventType, `subscriber.${string}` | 'payment.succeeded' | 'payment.failed'>

function typesOf({ kind }: PaymentRow, turned: boolean): readonly PaymentEvent[] {
  switch (PAYMENT_KINDS[kind]) {
    case 'firstCharge':
      return turned ? ['subscriber.joined', 'payment.succeeded'] : ['payment.succeeded']
    case 'period':
    case 'feeFill':
      return ['payment.succeeded']
    case 'left':
      return turned ? ['subscriber.left'] : []
    case 'dropped':
      return turned ? ['payment.failed', 'subscriber.dropped'] : ['payment.failed']
    case 'removed':
    case 'cleanedUp':
      return turned ? ['subscriber.removed'] : []
    default:
      return []
  }
}

function paymentFacts(row: PaymentRow) {
  const kind = PAYMENT_KINDS[row.kind]
  if (kind === undefined) throw new RangeError(`there is no kind ${row.kind} of payment`)
  return {
    kind,
    day: row.day,
    lastLogIndex: row.last_log_index,
    toProvider: row.to_provider,
    toFeeBalance: row.to_fee_balance,
    toSubscriber: row.to_subscriber,
    callerFee: row.caller_fee,
    systemShare: row.system_share,
    dropReason: DROP_REASONS.find((reason) => reason === row.drop_reason) ?? null,
  }
}

/** The hashes of the step's blocks, as far as anything tells them. */
function hashesOf({ events, blocks, to }: Step, others: ReadonlyMap<number, Hex> = new Map()) {
  const hashes = new Map<number, string>([...others].map(([number, hash]) => [number, hash.toLowerCase()]))
  for (const { number, hash } of [...blocks, to]) hashes.set(number, hash.toLowerCase())
  for (const { blockNumber, blockHash } of events) {
    if (blockHash !== undefined) hashes.set(blockNumber, blockHash.toLowerCase())
  }
  return hashes
}
