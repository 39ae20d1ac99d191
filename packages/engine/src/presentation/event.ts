import { parseFrequency } from '@remit/protocol/subscription'
import type { Address as ChecksummedAddress } from 'viem'
import * as z from 'zod'
import type { LastingToken } from '../ports/chainReads.ts'
import type { ChainsPort } from '../ports/chains.ts'
import { EVENT_TYPES, FINALITIES, type LoggedEvent, RISKS } from '../ports/events.ts'
import { Quantity, Token } from '../schema/amount.ts'
import { ChainId } from '../schema/chain.ts'
import { Address, BlockHash, SubscriptionId, TransactionHash } from '../schema/hex.ts'
import { BlockNumber, Day, IsoTime, Timestamp } from '../schema/numbers.ts'
import { isoTime, toDay } from './day.ts'
import { DropReason, Payment, toPayment } from './payment.ts'
import { amountText } from './subscriptionText.ts'
import { protocolQuantity, quantity, toToken } from './token.ts'

// An event as callers get it: its schema by type (`Event`), and how it is made of what the log keeps (`toEvent`; ports/events.ts has
// the log). `GET /events`, streams, webhooks and a client's own watch all use it.

export const EventId = z
  .string()
  .regex(/^evt_[0-9a-f]{40}$/)
  .describe('The same in every index of the chain, and after each replay.')

/** The fields of every event. */
const fields = {
  id: EventId,
  chainId: ChainId,
  sequence: z.int().min(1).describe('The place in this service’s log of the chain: it only grows.'),
  time: IsoTime.describe('When its block was made, in ISO 8601.'),
  block: z.object({ number: BlockNumber, hash: BlockHash, timestamp: Timestamp }).meta({ id: 'EventBlock' }),
  transactionHash: TransactionHash.nullable().describe('null where no log says it.'),
  logIndex: z.int().min(0).nullable(),
  finality: z
    .enum(FINALITIES)
    .describe(
      'seen: its block may be replaced, or was. confirmed: ten blocks are on top. final: it stays. What was taken back is never more than seen.',
    ),
  subject: z
    .object({
      subscriptionId: SubscriptionId.nullable(),
      provider: Address.nullable(),
      account: Address.nullable().describe('The subscriber.'),
      token: Address.nullable(),
    })
    .meta({ id: 'EventSubject' }),
}

/** The schema of one type of event. */
function event<Type extends LoggedEvent['type'], Data extends z.ZodObject>(type: Type, data: Data) {
  return z.object({ type: z.literal(type), ...fields, data })
}

const paid = {
  payment: Payment.nullable().describe('null where a clean-up named a token that is not approved.'),
}
const risk = {
  reason: z.enum(RISKS).describe('What is too little; blocked: the token refuses the transfer.'),
  token: Token.nullable(),
  missingAllowance: Quantity.nullable(),
  missingBalance: Quantity.nullable(),
}
const DueDay = Day.describe('The due day of the charge.')
const Frequency = z.int().min(0).max(3)

/** One event. Its type decides what its data is. */
export const Event = z
  .discriminatedUnion('type', [
    event(
      'subscription.created',
      z.object({
        token: Token.nullable(),
        amount: Quantity.nullable(),
        frequency: Frequency,
        dueDay: z.int(),
        details: z.object({ url: z.string(), description: z.string() }).nullable(),
      }),
    ),
    event('subscription.edited', z.object({ url: z.string(), description: z.string() })),
    event('subscription.cancelled', z.object({})),
    event('subscriber.joined', z.object(paid)),
    event('subscriber.left', z.object(paid)),
    event('subscriber.removed', z.object(paid)),
    event('subscriber.dropped', z.object({ reason: DropReason, ...paid })),
    event('payment.succeeded', z.object(paid)),
    event('payment.failed', z.object({ reason: DropReason, ...paid })),
    event(
      'provider.edited',
      z.object({
        description: z.string(),
        company: z.string(),
        url: z.string(),
        domain: z.string(),
        email: z.string(),
        misc: z.string(),
      }),
    ),
    event('token.paused', z.object({ token: Token.nullable() })),
    event('token.resumed', z.object({ token: Token.nullable() })),
    event(
      'remit.behind',
      z.object({
        nextUncheckedDay: Day.describe('The day that remit has to finish next.'),
        daysWaiting: z.int().min(1).describe('Since the due day of the oldest charge that waits.'),
      }),
    ),
    event(
      'coverage.ending',
      z.object({
        charges: z.int().min(0).describe('How many more charges are carried.'),
        failsOn: Day.describe('The due day of the first charge that is not.'),
        ...risk,
      }),
    ),
    event('payment.at_risk', z.object({ dueDay: DueDay, ...risk })),
    event('payment.safe_again', z.object({ dueDay: DueDay })),
    event(
      'retracted',
      z.object({
        ids: z.array(EventId).describe('What a reorganisation took back.'),
        types: z.array(z.enum(EVENT_TYPES)).describe('The types of what it took back.'),
      }),
    ),
  ])
  .meta({
    id: 'Event',
    description:
      'What happened, or is about to. Its type decides what its data is. There may be more types later.',
  })

export type Event = z.output<typeof Event>

/** The schema of each type of event, by the type's name. */
export const EVENT_SCHEMAS: Readonly<Record<string, z.ZodObject>> = Object.fromEntries(
  Event.options.map((schema) => [schema.shape.type.value, schema]),
)

/** The tokens whose facts `toEvent` needs for these events, each once. */
export function eventTokens(events: readonly LoggedEvent[]): ChecksummedAddress[] {
  return [...new Set(events.flatMap(({ subject }) => subject.token ?? []))]
}

/** An event of the log as callers get it. @param tokens those of the events' tokens that the protocol has approved */
export function toEvent(logged: LoggedEvent, tokens: ReadonlyMap<ChecksummedAddress, LastingToken>): Event {
  const { id, chainId, sequence, block, transactionHash, logIndex, finality } = logged
  const subject = { ...logged.subject }
  const time = isoTime(block.timestamp)
  const base = { id, chainId, sequence, time, block, transactionHash, logIndex, finality, subject }
  const known = subject.token === null ? undefined : tokens.get(subject.token)
  const token = known === undefined ? null : toToken(known)
  switch (logged.type) {
    case 'subscription.created': {
      const { amount, frequency, dueDay, url, description } = logged.facts
      const details = url === null ? null : { url, description: description ?? '' }
      const price = known === undefined ? null : protocolQuantity(amount, known)
      const data = { token, amount: price, frequency: parseFrequency(frequency), dueDay, details }
      return { ...base, type: logged.type, data }
    }
    case 'subscription.edited':
      return { ...base, type: logged.type, data: { ...logged.facts } }
    case 'subscription.cancelled':
      return { ...base, type: logged.type, data: {} }
    case 'subscriber.joined':
    case 'subscriber.left':
    case 'subscriber.removed':
    case 'payment.succeeded':
      return { ...base, type: logged.type, data: { payment: paymentOf(logged, known) } }
    case 'subscriber.dropped':
    case 'payment.failed': {
      const reason = logged.facts.dropReason ?? 'unknown'
      return { ...base, type: logged.type, data: { reason, payment: paymentOf(logged, known) } }
    }
    case 'provider.edited':
      return { ...base, type: logged.type, data: { ...logged.facts } }
    case 'token.paused':
    case 'token.resumed':
      return { ...base, type: logged.type, data: { token } }
    case 'remit.behind': {
      const { day, daysWaiting } = logged.facts
      return { ...base, type: logged.type, data: { nextUncheckedDay: toDay(day), daysWaiting } }
    }
    case 'coverage.ending': {
      const { charges, day } = logged.facts
      return { ...base, type: logged.type, data: { charges, failsOn: toDay(day), ...riskOf(logged, known) } }
    }
    case 'payment.at_risk':
      return {
        ...base,
        type: logged.type,
        data: { dueDay: toDay(logged.facts.day), ...riskOf(logged, known) },
      }
    case 'payment.safe_again':
      return { ...base, type: logged.type, data: { dueDay: toDay(logged.facts.day) } }
    case 'retracted': {
      const { ids, types } = logged.facts
      return { ...base, type: logged.type, data: { ids: [...ids], types: [...types] } }
    }
  }
}

type Paid = Extract<LoggedEvent, { facts: { toProvider: bigint } }>
type AtRisk = Extract<LoggedEvent, { facts: { missingBalance: bigint } }>

/** The payment of an event; `null` where its token's decimals are unknown, or it has no place in a log. */
function paymentOf(logged: Paid, token: LastingToken | undefined) {
  const { subject, facts, block, logIndex, transactionHash, finality } = logged
  const { subscriptionId, provider, account } = subject
  if (token === undefined || subscriptionId === null || provider === null) return null
  if (logIndex === null || transactionHash === null) return null
  const place = { blockNumber: block.number, timestamp: block.timestamp, logIndex, transactionHash }
  const { day: dayNumber, ...moved } = facts
  const whose = { subscriptionId, provider, subscriber: account, token: token.address }
  return (
    toPayment({ ...moved, ...whose, ...place, dayNumber, finalized: finality === 'final' }, token) ?? null
  )
}

function riskOf(
  { facts: { kind, missingAllowance, missingBalance } }: AtRisk,
  known: LastingToken | undefined,
) {
  const missing = (raw: bigint) => (known === undefined ? null : quantity(raw, known))
  return {
    reason: kind,
    token: known === undefined ? null : toToken(known),
    missingAllowance: missing(missingAllowance),
    missingBalance: missing(missingBalance),
  }
}

/** An event as it travels: what `GET /events` lists, a stream sends and a webhook posts. */
export type WireEvent = z.input<typeof Event>

/**
 * Events as they travel, in their order. Throws what a view of their chain throws.
 * @param events of one chain
 */
export async function encodeEvents(
  chains: Pick<ChainsPort, 'withView'>,
  chainId: number,
  events: readonly LoggedEvent[],
): Promise<readonly WireEvent[]> {
  const addresses = eventTokens(events)
  const tokens =
    addresses.length === 0
      ? new Map<ChecksummedAddress, LastingToken>()
      : await chains.withView(chainId, {}, (view) => view.read.lastingTokens(addresses))
  return events.map((logged) => z.encode(Event, toEvent(logged, tokens)))
}

/** An event as one line. */
export function eventText({ type, time, id, finality, subject, data }: Event): string {
  const about = [
    subject.subscriptionId && `subscription ${subject.subscriptionId}`,
    subject.account && `subscriber ${subject.account}`,
    subject.subscriptionId === null && subject.provider && `provider ${subject.provider}`,
    'payment' in data && data.payment && `${amountText(data.payment.charged, data.payment.token)} charged`,
    'reason' in data && `because of ${data.reason}`,
    'dueDay' in data && typeof data.dueDay === 'object' && `due on ${data.dueDay.date}`,
    'ids' in data && `took back ${data.ids.join(', ')}`,
  ].filter((part) => typeof part === 'string')
  return `${time} ${type} ${about.join(', ')} (${id}, ${finality})`
}
