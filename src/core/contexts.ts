import type { Lane } from './lanes.ts'
import type { CallerSession, UsagePort } from './ports/access.ts'
import type { ChainAtBlock, ChainView } from './ports/chains.ts'
import type { HistoryQueries } from './ports/history.ts'
import type { KeysPort } from './ports/keys.ts'
import type { PassesPort } from './ports/passes.ts'
import type { ServicePort } from './ports/service.ts'
import type { OpenedSession, SessionsPort } from './ports/sessions.ts'
import type { WebhooksPort } from './ports/webhooks.ts'

/** What every handler is given. It does not learn which surface called it. */
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
export interface BlockContext extends Pick<CallContext, 'lane'> {
  readonly chain: ChainAtBlock
}

export interface ServiceContext extends CallContext {
  readonly service: ServicePort
}

export interface KeysContext extends CallContext {
  /** Everybody's for an operator, and only its own for a session. */
  readonly keys: KeysPort
  readonly usage: UsagePort
}

export interface SessionContext extends CallContext {
  readonly sessions: SessionsPort
  /** The session that the request came with. */
  readonly current: CallerSession | undefined
  /** Runs what asks a node in this scope, which is costly. Throws RateLimitedError. */
  pay<T>(ask: () => Promise<T>): Promise<T>
  /** Has the browser keep this session, or forget the one that it has. */
  keep(session: OpenedSession | null): void
}

export interface WebhooksContext extends CallContext {
  readonly webhooks: WebhooksPort
  /** Runs what makes a webhook. Throws RateLimitedError where the address of a session has made the day's. */
  make<Made>(create: () => Promise<Made>): Promise<Made>
  /** Counts a challenge that is about to be sent. Throws RateLimitedError where the day has none left. */
  mayChallenge(): Promise<void>
  /** Whose key the caller holds. Nothing of another subject is read or changed. */
  readonly subject: string
}

interface Contexts {
  chain: ChainContext
  service: ServiceContext
  keys: KeysContext
  webhooks: WebhooksContext
  session: SessionContext
}

/**
 * What an operation is about: one chain at one block, that and its index, the service itself, developers' keys, the
 * caller's webhooks, or a session.
 */
export type Scope = keyof Contexts | 'index'
