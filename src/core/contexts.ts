import type { Lane } from './lanes.ts'
import type { CallerSession, UsagePort } from './ports/access.ts'
import type { ChainAtBlock, ChainView } from './ports/chains.ts'
import type { HistoryQueries } from './ports/history.ts'
import type { KeysPort } from './ports/keys.ts'
import type { PassesPort } from './ports/passes.ts'
import type { ServicePort } from './ports/service.ts'
import type { OpenedSession, SessionsPort } from './ports/sessions.ts'
import type { WebhooksPort } from './ports/webhooks.ts'

// What the handlers of the three kinds of operation are given.

/** What a handler is given of its call. It does not learn which surface called it. */
export interface CallContext {
  readonly requestId: string
  readonly lane: Lane
  readonly signal: AbortSignal | undefined
  /** The address of the wallet that has signed in, in lower case; `undefined` where nobody has. */
  readonly subject?: string | undefined
  readonly passes: PassesPort
}

/** Reads one consistent state of the chain's index; `undefined` where there is none, or where it cannot be read. */
export type AskIndex = <Rows>(query: (history: HistoryQueries) => Promise<Rows>) => Promise<Rows | undefined>

export interface ChainContext extends CallContext {
  readonly chain: ChainView
  /** For what the index knows beside the chain. Its block may be another one than the answer's. */
  readonly askIndex: AskIndex
}

/**
 * All that an answer which is kept may be made from: one chain at one block and on one day, and the caller's lane. Whatever
 * else a handler could ask for is missing here, so that it does not compile.
 */
export interface BlockContext {
  readonly lane: Lane
  readonly chain: ChainAtBlock
}

/** What a prepare is made from: a chain at its newest block. It can be had in another thread. */
export interface PrepareContext {
  readonly requestId: string
  readonly chain: ChainView
}

/** What the service keeps, as far as it is the caller's. Whoever has no part in something is refused it by UnauthorizedError. */
export interface ServiceContext extends CallContext {
  readonly service: ServicePort
  /** Everybody's for an operator, and only its own for a session. */
  readonly keys: KeysPort
  readonly usage: UsagePort
  readonly webhooks: WebhooksPort
  /** Whose key or session the caller has. Nothing of another owner's is read or changed. */
  readonly owner: string
  readonly sessions: SessionsPort
  /** The session that the request came with. */
  readonly current: CallerSession | undefined
  /** Runs what asks a node, which is costly. Throws RateLimitedError. */
  pay<T>(ask: () => Promise<T>): Promise<T>
  /** Has the browser keep this session, or forget the one that it has. */
  keep(session: OpenedSession | null): void
  /** Runs what makes a webhook. Throws RateLimitedError where the address of a session has made the day's. */
  make<Made>(create: () => Promise<Made>): Promise<Made>
  /** Counts a challenge that is about to be sent. Throws RateLimitedError where the day has none left. */
  mayChallenge(): Promise<void>
}
