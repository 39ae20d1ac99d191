import { DROP_REASONS, PAYMENT_KINDS } from '@remit/protocol/payments/Payment'
import type { Address, Hex } from 'viem'
import * as z from 'zod'
import { Uint256 } from '../schema/numbers.ts'

// The events that callers follow (streams, webhooks): their types and facts, and the log that keeps them (`EventLog`), which the
// service's index writes. Amounts of payments are in the token's smallest unit, days are unix time / 86400.

/** What can happen. The store keeps the place in this list: only append. */
export const EVENT_TYPES = [
  'subscription.created',
  'subscription.edited',
  'subscription.cancelled',
  'subscriber.joined',
  'subscriber.left',
  'subscriber.removed',
  'subscriber.dropped',
  'payment.succeeded',
  'payment.failed',
  'provider.edited',
  'token.paused',
  'token.resumed',
  'remit.behind',
  'coverage.ending',
  'payment.at_risk',
  'payment.safe_again',
  'retracted',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

/** How sure it is that an event stays, least first: its block is indexed, has CONFIRMED_BLOCKS on top, or cannot be replaced. */
export const FINALITIES = ['seen', 'confirmed', 'final'] as const

export type Finality = (typeof FINALITIES)[number]

/** An event is confirmed once the index is this many blocks beyond its block. */
export const CONFIRMED_BLOCKS = 10

/** How sure an event of a block is, by the last block of the index (`tip`) and the newest final one. */
export function finalityAt(
  block: number,
  tip: { readonly blockNumber: number; readonly finalizedBlock: number },
): Finality {
  if (block <= tip.finalizedBlock) return 'final'
  return block <= tip.blockNumber - CONFIRMED_BLOCKS ? 'confirmed' : 'seen'
}

/** Why a charge to come will not be paid. */
export const RISKS = ['allowance', 'balance', 'both', 'blocked'] as const

const EventDay = z.int().min(0)

/** One payment: `ports/history.ts` says what each field of it is. */
const PaymentFacts = z.object({
  kind: z.enum(PAYMENT_KINDS),
  day: EventDay,
  lastLogIndex: z.int(),
  toProvider: Uint256,
  toFeeBalance: Uint256,
  toSubscriber: Uint256,
  callerFee: Uint256,
  systemShare: Uint256,
  dropReason: z.enum(DROP_REASONS).nullable(),
})

/** A charge to come that will fail, or hold remit up. */
const RiskFacts = z.object({
  /** Its due day. */
  day: EventDay,
  kind: z.enum(RISKS),
  /** Raw units. */
  missingAllowance: Uint256,
  missingBalance: Uint256,
})

const NoFacts = z.object({})

/** What each type of event says beside its subject. In the store it is JSON; amounts are decimal text there. */
export const EVENT_FACTS = {
  'subscription.created': z.object({
    /** Protocol units. */
    amount: Uint256,
    frequency: z.int().min(0).max(3),
    dueDay: EventDay,
    url: z.string().nullable(),
    description: z.string().nullable(),
  }),
  'subscription.edited': z.object({ url: z.string(), description: z.string() }),
  'subscription.cancelled': NoFacts,
  'subscriber.joined': PaymentFacts,
  'subscriber.left': PaymentFacts,
  'subscriber.removed': PaymentFacts,
  'subscriber.dropped': PaymentFacts,
  'payment.succeeded': PaymentFacts,
  'payment.failed': PaymentFacts,
  'provider.edited': z.object({
    description: z.string(),
    company: z.string(),
    url: z.string(),
    domain: z.string(),
    email: z.string(),
    misc: z.string(),
  }),
  'token.paused': NoFacts,
  'token.resumed': NoFacts,
  'remit.behind': z.object({
    /** The first day that remit has not finished. */
    day: EventDay,
    /** Since the due day of the oldest charge that waits. */
    daysWaiting: z.int(),
  }),
  'coverage.ending': RiskFacts.extend({
    /** How many are paid before that of `day` fails. */
    charges: z.int().min(0),
  }),
  'payment.at_risk': RiskFacts,
  'payment.safe_again': z.object({ day: EventDay }),
  retracted: z.object({
    ids: z.array(z.string()),
    /** The types of the events that it takes back. */
    types: z.array(z.enum(EVENT_TYPES)),
    /** The highest finality that one of them may have had. */
    reached: z.enum(FINALITIES),
  }),
} as const satisfies Record<EventType, z.ZodObject>

/** Whom an event is about; `null` where it is about no such thing. */
export interface EventSubject {
  readonly subscriptionId: Hex | null
  readonly provider: Address | null
  /** The subscriber. */
  readonly account: Address | null
  readonly token: Address | null
}

interface LoggedFields {
  /** The same in every index of the chain. */
  readonly id: string
  readonly chainId: number
  /** The place in this store's log of the chain. It only grows, also after a reorganisation. */
  readonly sequence: number
  readonly block: { readonly number: number; readonly hash: Hex; readonly timestamp: number }
  /** `null` for an event without a log: the sweep (the index's trials of charges to come) found it, or it retracts others. */
  readonly logIndex: number | null
  readonly transactionHash: Hex | null
  readonly finality: Finality
  readonly subject: EventSubject
}

/** An event as the log keeps it. `presentation/event.ts` makes what callers get. */
export type LoggedEvent = {
  readonly [Type in EventType]: LoggedFields & {
    readonly type: Type
    readonly facts: z.output<(typeof EVENT_FACTS)[Type]>
  }
}[EventType]

/** What happened, before a log gives it a place and says how sure it is. */
export type Happened = LoggedEvent extends infer Each
  ? Each extends LoggedEvent
    ? Omit<Each, 'chainId' | 'sequence' | 'finality'>
    : never
  : never

/** Which events a reader wants. A field that is left out matches all. A retraction matches if one of its ids does. */
export interface EventFilters {
  readonly subscriptionId?: Hex | undefined
  readonly provider?: Address | undefined
  readonly account?: Address | undefined
  readonly types?: readonly EventType[] | undefined
}

export interface EventQuery {
  /** The sequence that was read last; 0 from the beginning. */
  readonly after: number
  readonly first: number
  readonly filters: EventFilters
  /** Events are given once they are this sure. Events that were retracted earlier are left out, unless it is `seen`. */
  readonly finality: Finality
}

export interface EventPage {
  readonly events: readonly LoggedEvent[]
  /** Where to go on: all events up to it have been given. Never smaller than `after`. */
  readonly next: number
  /** Whether there is more to be given after `next` already. */
  readonly hasMore: boolean
}

/** How far the log of a chain is. Readers compare it with an earlier one: where they differ, there may be more to read. */
export interface LogState {
  /** The newest sequence; 0 for an empty log. */
  readonly sequence: number
  readonly blockNumber: number
  readonly finalizedBlock: number
}

/** The log of events of each chain that has an index. */
export interface EventLog {
  /** The events after a sequence, oldest first. Throws IndexUnavailableError. */
  read(chainId: number, query: EventQuery): Promise<EventPage>
  /** The sequence after which a reader goes on who wants only what is still to come at this finality. Throws IndexUnavailableError. */
  end(chainId: number, finality: Finality): Promise<number>
  /** `undefined` where the chain has no index, or it has not begun. */
  state(chainId: number): Promise<LogState | undefined>
  /**
   * Waits until the state of a log is another than `seen`, or until the signal aborts. It never rejects. What another process of the
   * service writes is noticed too, within some hundred milliseconds.
   * @returns false once the service shuts down: nobody waits any more
   */
  waitFor(chainId: number, seen: LogState | undefined, signal: AbortSignal): Promise<boolean>
}
