import { type EventFilters, FINALITIES, type Finality, type LoggedEvent } from '@remit/engine/ports/events'
import { getAddress, isHex } from 'viem'
import * as z from 'zod'
import { type EndpointRow, readTypes } from '../endpoints/rows.ts'

// Which endpoints hear which event.

/** Where an endpoint begins to hear of each chain: what is up to a sequence, or in blocks before a number, is the past. */
const Begins = z.record(z.string(), z.tuple([z.int(), z.int()]))

/** An endpoint as far as it decides which events it hears. */
export interface Listener
  extends Pick<
    EndpointRow,
    'id' | 'chain_id' | 'subscription_id' | 'provider' | 'account' | 'created_at' | 'version'
  > {
  readonly types: ReadonlySet<string> | null
  readonly finality: Finality
  readonly begins: z.output<typeof Begins>
}

export function toListener(row: EndpointRow): Listener {
  const types = readTypes(row.types)
  return {
    ...row,
    types: types && new Set(types),
    finality: z.enum(FINALITIES).parse(row.finality),
    begins: Begins.parse(JSON.parse(row.begins)),
  }
}

/** All endpoints, found by what they filter by, so that an event is not compared with each of them. */
export class Listeners {
  readonly #bySubject = new Map<string, Listener[]>()
  readonly #others: Listener[] = []
  /** Each `finality` that any of them waits for. */
  readonly finalities: ReadonlySet<Finality>

  constructor(listeners: readonly Listener[]) {
    for (const listener of listeners) {
      const subject = listener.subscription_id ?? listener.account ?? listener.provider
      if (subject === null) this.#others.push(listener)
      else this.#bySubject.set(subject, [...(this.#bySubject.get(subject) ?? []), listener])
    }
    this.finalities = new Set(listeners.map(({ finality }) => finality))
  }

  /** Who hears an event. A retraction is heard whatever types an endpoint names: it concerns whoever was sent what it takes back. */
  hearing(event: LoggedEvent, finality: Finality): readonly Listener[] {
    const { subscriptionId, account, provider } = lowerSubject(event)
    const candidates = [subscriptionId, account, provider].flatMap((subject) =>
      subject === null ? [] : (this.#bySubject.get(subject) ?? []),
    )
    return [...new Set([...candidates, ...this.#others])].filter(
      (listener) => listener.finality === finality && concerns(listener, event),
    )
  }
}

/** Whether an endpoint hears an event, by its chain, its subject, its type and its place in the log. */
export function concerns(listener: Listener, event: LoggedEvent): boolean {
  return !isPast(listener, event) && matches(listener, event)
}

/** As `concerns`, but also for events from before the endpoint began to hear. */
export function matches(listener: Listener, event: LoggedEvent): boolean {
  if (listener.chain_id !== null && listener.chain_id !== event.chainId) return false
  if (listener.types !== null && event.type !== 'retracted' && !listener.types.has(event.type)) return false
  const { subscriptionId, account, provider } = lowerSubject(event)
  return (
    (listener.subscription_id === null || listener.subscription_id === subscriptionId) &&
    (listener.account === null || listener.account === account) &&
    (listener.provider === null || listener.provider === provider)
  )
}

/** What the log looks through for one endpoint. Types are left to the reader: a retraction is heard whatever they say. */
export function filtersOf({ subscription_id: subscriptionId, provider, account }: Listener): EventFilters {
  return {
    ...(subscriptionId !== null && isHex(subscriptionId) ? { subscriptionId } : {}),
    ...(provider === null ? {} : { provider: getAddress(provider) }),
    ...(account === null ? {} : { account: getAddress(account) }),
  }
}

function isPast({ begins, created_at }: Listener, { chainId, sequence, block }: LoggedEvent): boolean {
  const beginning = begins[chainId]
  // A chain that the service got later: what happened after the endpoint's creation is new, whenever the index finds it.
  if (beginning === undefined) return block.timestamp * 1_000 < created_at
  const [after, leastBlock] = beginning
  return sequence <= after || block.number < leastBlock
}

function lowerSubject({ subject: { subscriptionId, account, provider } }: LoggedEvent) {
  return {
    subscriptionId: subscriptionId?.toLowerCase() ?? null,
    account: account?.toLowerCase() ?? null,
    provider: provider?.toLowerCase() ?? null,
  }
}

/** The queue of an event, within which deliveries keep their order: one subscription's, or else one token's, provider's or account's. */
export function queueOf({ chainId, subject }: LoggedEvent): string {
  const { subscriptionId, token, provider, account } = subject
  return `${chainId} ${(subscriptionId ?? token ?? provider ?? account ?? '').toLowerCase()}`
}
