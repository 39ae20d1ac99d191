import type { Address, Hex } from 'viem'
import type { Event } from '../generated/api.ts'
import type { Events } from './streamEvents.ts'

/**
 * Something that happened to what is watched. Comparing its `type` narrows what its `data` is; `retracted` takes back what a
 * reorganisation has undone. A service that is newer than this package may send types that are not among these.
 */
export type Change = Placed<Event>

/** Each type of event by itself, so that `type` still narrows `data`. */
type Placed<Each> = Each extends Event
  ? Omit<Each, 'sequence'> & {
      /** Where a watch of the same subject goes on after this: its `after`. A node and a service have different ones. */
      readonly position: string
    }
  : never

export interface WatchOptions {
  /** Default: the chain of the client. */
  readonly chainId?: number | undefined
  /** The `position` of the last change that you have dealt with. Default: what happens from now on. */
  readonly after?: string | undefined
  /** Ends the iteration. Its reason is thrown. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Changes as they come: from the blocks of the client's own node, or else from the stream of its service. Each change comes once, in the
 * order of the chain, whatever fails in between. What a reorganisation takes back is told as `retracted` before what comes in its place.
 *
 * It ends by `break`, by the signal, or by an error that trying again does not fix. What no log says (`payment.at_risk`,
 * `payment.safe_again`, `coverage.ending`) comes from a service alone.
 */
export interface Watch {
  /**
   * What happens to a subscription and to its members.
   *
   * @example
   * for await (const change of client.watch.subscription(id)) {
   *   if (change.type === 'payment.failed') console.log(change.subject.account, change.data.reason)
   * }
   */
  subscription(id: Hex, options?: WatchOptions): AsyncIterable<Change>
  /** What happens to the memberships of an account, and to its payments. */
  account(address: Address, options?: WatchOptions): AsyncIterable<Change>
}

export type WatchSubject = { readonly subscriptionId: Hex } | { readonly account: Address }

/** Begins a watch when its first change is asked for. */
export type StartWatch = (subject: WatchSubject, options: WatchOptions) => AsyncIterable<Change>

/** The public form of whatever starts a watch: a node's (`followNode`), or a service's (`watchEvents`). */
export function createWatch(start: StartWatch): Watch {
  return {
    subscription: (subscriptionId, options = {}) => start({ subscriptionId }, options),
    account: (account, options = {}) => start({ account }, options),
  }
}

/** Watches by the events of a service. */
export function watchEvents({ stream }: Events): StartWatch {
  return async function* (subject, { chainId, after, signal }) {
    const place = after === undefined ? undefined : Number(after)
    for await (const event of stream({ ...subject, chainId, after: place }, { signal }))
      yield changeOf(event, String(event.sequence))
  }
}

/** @param position where to go on after the event */
export function changeOf({ sequence: _, ...event }: Event, position: string): Change {
  // Safe: all but the place is as it was.
  return { ...event, position } as Change
}
