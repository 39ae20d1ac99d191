import { type Hex, sha256, stringToBytes } from 'viem'
import type * as z from 'zod'
import { type EVENT_FACTS, EVENT_TYPES, type EventType, type Happened } from '../../ports/events.ts'
import type { PlacedEvent, PlacedPayment, Step, StepFacts } from '../../ports/source.ts'

/** What has to be known beside the logs of a step to say what happened in it. */
interface StepContext extends Pick<StepFacts, 'terms' | 'payments' | 'blockHashes'> {
  /** Whether a membership began or ended with this payment. */
  readonly changesMembership: (payment: PlacedPayment) => boolean
}

/**
 * The events that callers hear of (EVENT_TYPES), made of a step's logs and payments, in the order of the chain. The index
 * writes them into its event log; a client that reads a node without an index streams them. Ids depend on the chain alone:
 * on the block's hash, the log's place in it and the kind of event.
 *
 * @throws Error if the hash of a block with events, or the terms of a creation, are not known
 */
export function happenedIn(
  chainId: number,
  step: Pick<Step, 'events' | 'blocks' | 'to'>,
  context: StepContext,
): readonly Happened[] {
  const hashes = hashesOf(step, context.blockHashes)
  const make: Make = (type, facts, { blockNumber, logIndex, transactionHash, timestamp }, subject) => {
    const hash = hashes.get(blockNumber)
    if (hash === undefined) throw new Error(`the hash of block ${blockNumber}, which has events, is missing`)
    const id = eventId(chainId, hash, logIndex, type)
    const block = { number: blockNumber, hash, timestamp }
    const whose = { subscriptionId: null, provider: null, account: null, token: null, ...subject }
    // Safe: the facts are those of the type, which the signature checks.
    return { id, type, block, logIndex, transactionHash, subject: whose, facts } as Happened
  }
  const happened = [...ofSubscriptions(step.events, context, make), ...ofPayments(context, make)]
  return happened.sort(
    (a, b) =>
      a.block.number - b.block.number || (a.logIndex ?? 0) - (b.logIndex ?? 0) || orderOf(a) - orderOf(b),
  )
}

/** An event's id: the same for the same parts, wherever and whenever it is made. */
export function eventId(...parts: readonly (string | number)[]): string {
  return `evt_${sha256(stringToBytes(parts.join(' '))).slice(2, 42)}`
}

interface Place extends Pick<PlacedEvent, 'blockNumber' | 'logIndex' | 'transactionHash'> {
  readonly timestamp: number
}

/** Makes one event. */
type Make = <Type extends EventType>(
  type: Type,
  facts: z.output<(typeof EVENT_FACTS)[Type]>,
  place: Place,
  subject: Partial<Happened['subject']>,
) => Happened

/** A sort key for the events of one log: the joining first, then the payment or its failure, then the drop. */
function orderOf({ type }: Happened): number {
  return type === 'subscriber.dropped' ? EVENT_TYPES.length : EVENT_TYPES.indexOf(type)
}

function* ofSubscriptions(events: Step['events'], { terms }: StepContext, make: Make): Generator<Happened> {
  const created = new Map<string, number>()
  for (const { event, transactionHash, logIndex } of events) {
    if (event.type === 'SubLog' && event.eventName === 'Created')
      created.set(`${transactionHash} ${event.id}`, logIndex)
  }
  // A creation logs its details before itself: they belong to it, and are no edit.
  const detailsOfCreated = new Map<string, { readonly url: string; readonly description: string }>()
  for (const placed of events) {
    const { event, transactionHash, logIndex } = placed
    const place = { ...placed, timestamp: event.timestamp }
    if (event.type === 'DetailsLog') {
      const { id: subscriptionId, provider, url, description } = event
      const key = `${transactionHash} ${subscriptionId}`
      if (logIndex < (created.get(key) ?? 0)) detailsOfCreated.set(key, { url, description })
      else yield make('subscription.edited', { url, description }, place, { provider, subscriptionId })
    } else if (event.type === 'ProvDetailsLog') {
      const { type: _, timestamp: __, provider, ...profile } = event
      yield make('provider.edited', profile, place, { provider })
    } else if (event.type === 'SubLog') {
      const { id: subscriptionId, provider, token, amount } = event
      const subject = { subscriptionId, provider, token }
      if (event.eventName === 'Cancelled') yield make('subscription.cancelled', {}, place, subject)
      if (event.eventName !== 'Created') continue
      const schedule = terms.get(subscriptionId)
      if (schedule === undefined) throw new Error(`the terms of the created ${subscriptionId} are missing`)
      const { url = null, description = null } =
        detailsOfCreated.get(`${transactionHash} ${subscriptionId}`) ?? {}
      yield make('subscription.created', { amount, ...schedule, url, description }, place, subject)
    }
  }
}

function* ofPayments({ payments, changesMembership }: StepContext, make: Make): Generator<Happened> {
  for (const payment of payments) {
    const { subscriptionId, provider, subscriber: account, token } = payment
    for (const type of typesOf(payment, changesMembership(payment)))
      yield make(type, factsOf(payment), payment, { subscriptionId, provider, account, token })
  }
}

type PaymentEvent = Extract<EventType, `subscriber.${string}` | 'payment.succeeded' | 'payment.failed'>

/**
 * The events of one payment. `feeFill`: a period of which a part filled the fee balance; `left`: the subscriber unsubscribed; `dropped`: remit
 * could not charge; `removed`: the provider took it off; `cleanedUp`: the janitor did. Whoever was no member does not leave: the contract
 * lets strangers unsubscribe.
 */
function typesOf({ kind }: PlacedPayment, changesMembership: boolean): readonly PaymentEvent[] {
  switch (kind) {
    case 'firstCharge':
      return changesMembership ? ['subscriber.joined', 'payment.succeeded'] : ['payment.succeeded']
    case 'period':
    case 'feeFill':
      return ['payment.succeeded']
    case 'left':
      return changesMembership ? ['subscriber.left'] : []
    case 'dropped':
      return changesMembership ? ['payment.failed', 'subscriber.dropped'] : ['payment.failed']
    case 'removed':
    case 'cleanedUp':
      return changesMembership ? ['subscriber.removed'] : []
  }
}

function factsOf(payment: PlacedPayment) {
  const { kind, dayNumber: day, lastLogIndex, dropReason } = payment
  const { toProvider, toFeeBalance, toSubscriber, callerFee, systemShare } = payment
  const moved = { toProvider, toFeeBalance, toSubscriber, callerFee, systemShare }
  return { kind, day, lastLogIndex, ...moved, dropReason }
}

/** The hashes of the step's blocks, as far as anything tells them. */
function hashesOf(
  { events, blocks, to }: Pick<Step, 'events' | 'blocks' | 'to'>,
  others: StepContext['blockHashes'],
) {
  const hashes = new Map<number, Hex>()
  const tell = (number: number, hash: Hex) => hashes.set(number, lower(hash))
  for (const [number, hash] of others ?? []) tell(number, hash)
  for (const { number, hash } of [...blocks, to]) tell(number, hash)
  for (const { blockNumber, blockHash } of events) if (blockHash !== undefined) tell(blockNumber, blockHash)
  return hashes
}

function lower(hex: Hex): Hex {
  return `0x${hex.slice(2).toLowerCase()}`
}
