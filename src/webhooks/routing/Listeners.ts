import type { Finality, LoggedEvent } from '../../core/ports/events.ts'
import { type Beginning, readBegins } from '../endpoints/begins.ts'
import { type EndpointRow, readTypes } from '../endpoints/toWebhook.ts'

/** An endpoint as far as it decides which events it hears. */
export interface Listener {
  readonly id: string
  readonly chainId: number | null
  readonly types: ReadonlySet<string> | null
  readonly subscriptionId: string | null
  readonly provider: string | null
  readonly account: string | null
  readonly finality: Finality
  readonly begins: (chainId: number) => Beginning | undefined
  /** Unix milliseconds. */
  readonly createdAt: number
  /** The chains that it is fed from on its own. */
  readonly fed: ReadonlySet<number>
}

export type ListenerColumns = Pick<
  EndpointRow,
  | 'id'
  | 'chain_id'
  | 'types'
  | 'subscription_id'
  | 'provider'
  | 'account'
  | 'finality'
  | 'begins'
  | 'created_at'
>

export function toListener(row: ListenerColumns, finality: Finality, fed: readonly number[]): Listener {
  const types = readTypes(row.types)
  return {
    id: row.id,
    chainId: row.chain_id,
    types: types && new Set(types),
    subscriptionId: row.subscription_id,
    provider: row.provider,
    account: row.account,
    finality,
    begins: readBegins(row.begins),
    createdAt: row.created_at,
    fed: new Set(fed),
  }
}

/**
 * All endpoints, found by what they filter by, so that an event is not held against each of them.
 */
export class Listeners {
  readonly #bySubject = new Map<string, Listener[]>()
  readonly #others: Listener[] = []
  readonly #finalities: ReadonlySet<Finality>

  constructor(listeners: readonly Listener[]) {
    for (const listener of listeners) {
      const { subscriptionId, account, provider } = listener
      const subject = subscriptionId ?? account ?? provider
      if (subject === null) this.#others.push(listener)
      else this.#bySubject.set(subject, [...(this.#bySubject.get(subject) ?? []), listener])
    }
    this.#finalities = new Set(listeners.map(({ finality }) => finality))
  }

  /** Whether anybody waits for events to be that sure. */
  has(finality: Finality): boolean {
    return this.#finalities.has(finality)
  }

  /** How sure events have to be for some of them. */
  get finalities(): ReadonlySet<Finality> {
    return this.#finalities
  }

  /** Who hears an event, but for its type if it is a retraction: that concerns whoever was told what it takes back. */
  hearing(event: LoggedEvent, finality: Finality): readonly Listener[] {
    const { subscriptionId, account, provider } = lowerSubject(event)
    const candidates = [subscriptionId, account, provider].flatMap((subject) =>
      subject === null ? [] : (this.#bySubject.get(subject) ?? []),
    )
    return [...new Set([...candidates, ...this.#others])].filter(
      (listener) =>
        listener.finality === finality && !listener.fed.has(event.chainId) && concerns(listener, event),
    )
  }
}

/** Whether an endpoint hears an event, by its chain, its subject, its type and its place in the log. */
export function concerns(listener: Listener, event: LoggedEvent): boolean {
  if (isPast(listener, event)) return false
  if (listener.chainId !== null && listener.chainId !== event.chainId) return false
  if (listener.types !== null && event.type !== 'retracted' && !listener.types.has(event.type)) return false
  const { subscriptionId, account, provider } = lowerSubject(event)
  return (
    (listener.subscriptionId === null || listener.subscriptionId === subscriptionId) &&
    (listener.account === null || listener.account === account) &&
    (listener.provider === null || listener.provider === provider)
  )
}

function isPast({ begins, createdAt }: Listener, { chainId, sequence, block }: LoggedEvent): boolean {
  const beginning = begins(chainId)
  // Of a chain that came later, what happened after the creation is new, whenever the index finds it.
  if (beginning === undefined) return block.timestamp * 1_000 < createdAt
  return sequence <= beginning.sequence || block.number < beginning.leastBlock
}

function lowerSubject({ subject: { subscriptionId, account, provider } }: LoggedEvent) {
  return {
    subscriptionId: subscriptionId?.toLowerCase() ?? null,
    account: account?.toLowerCase() ?? null,
    provider: provider?.toLowerCase() ?? null,
  }
}

/** Deliveries of one queue keep their order: those of one subscription, or else of one token or provider. */
export function queueOf({ chainId, subject }: LoggedEvent): string {
  const { subscriptionId, token, provider, account } = subject
  return `${chainId} ${(subscriptionId ?? token ?? provider ?? account ?? '').toLowerCase()}`
}
