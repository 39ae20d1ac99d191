import { getAddress, isHex } from 'viem'
import * as z from 'zod'
import { type EventFilters, FINALITIES, type Finality, type LoggedEvent } from '../../core/ports/events.ts'
import { type EndpointRow, readTypes } from '../endpoints/rows.ts'

/** Where an endpoint begins to hear of a chain: what is up to this place, or in blocks before this one, is the past. */
export interface Beginning {
  readonly sequence: number
  readonly leastBlock: number
}

/** An endpoint as far as it decides which events it hears. */
export interface Listener {
  readonly id: string
  readonly chainId: number | null
  readonly types: ReadonlySet<string> | null
  readonly subscriptionId: string | null
  readonly provider: string | null
  readonly account: string | null
  readonly finality: Finality
  /** By chain. */
  readonly begins: ReadonlyMap<number, Beginning>
  /** Unix milliseconds. */
  readonly createdAt: number
}

const Begins = z.record(z.string(), z.tuple([z.int(), z.int()]))

/** By chain, as the column `begins` keeps it. */
export function writeBegins(begins: ReadonlyMap<number, Beginning>): string {
  const entries = [...begins].map(([chainId, { sequence, leastBlock }]) => [chainId, [sequence, leastBlock]])
  return JSON.stringify(Object.fromEntries(entries))
}

export function toListener(row: EndpointRow): Listener {
  const types = readTypes(row.types)
  const begins = Object.entries(Begins.parse(JSON.parse(row.begins)))
  return {
    id: row.id,
    chainId: row.chain_id,
    types: types && new Set(types),
    subscriptionId: row.subscription_id,
    provider: row.provider,
    account: row.account,
    finality: z.enum(FINALITIES).parse(row.finality),
    begins: new Map(
      begins.map(([chainId, [sequence, leastBlock]]) => [Number(chainId), { sequence, leastBlock }]),
    ),
    createdAt: row.created_at,
  }
}

/** Endpoints, found by what they filter by, so that an event is not held against each of them. */
export class Listeners {
  readonly #bySubject = new Map<string, Listener[]>()
  readonly #others: Listener[] = []
  /** How sure events have to be for some of them. */
  readonly finalities: ReadonlySet<Finality>

  constructor(listeners: readonly Listener[]) {
    for (const listener of listeners) {
      const { subscriptionId, account, provider } = listener
      const subject = subscriptionId ?? account ?? provider
      if (subject === null) this.#others.push(listener)
      else this.#bySubject.set(subject, [...(this.#bySubject.get(subject) ?? []), listener])
    }
    this.finalities = new Set(listeners.map(({ finality }) => finality))
  }

  /** Who hears an event, but for its type if it is a retraction: that concerns whoever was told what it takes back. */
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

/** As `concerns`, of the past too. */
export function matches(listener: Listener, event: LoggedEvent): boolean {
  if (listener.chainId !== null && listener.chainId !== event.chainId) return false
  if (listener.types !== null && event.type !== 'retracted' && !listener.types.has(event.type)) return false
  const { subscriptionId, account, provider } = lowerSubject(event)
  return (
    (listener.subscriptionId === null || listener.subscriptionId === subscriptionId) &&
    (listener.account === null || listener.account === account) &&
    (listener.provider === null || listener.provider === provider)
  )
}

/** What the log looks through for one endpoint. Types are left to the reader: a retraction is heard whatever they say. */
export function filtersOf({ subscriptionId, provider, account }: Listener): EventFilters {
  return {
    ...(subscriptionId !== null && isHex(subscriptionId) ? { subscriptionId } : {}),
    ...(provider === null ? {} : { provider: getAddress(provider) }),
    ...(account === null ? {} : { account: getAddress(account) }),
  }
}

function isPast({ begins, createdAt }: Listener, { chainId, sequence, block }: LoggedEvent): boolean {
  const beginning = begins.get(chainId)
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
