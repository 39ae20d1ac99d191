import type { Answer } from './answer.ts'
import type {
  CallContext,
  ChainContext,
  KeysContext,
  Scope,
  ServiceContext,
  SessionContext,
  WebhooksContext,
} from './contexts.ts'
import type { IndexState, WithoutIndex } from './declaration.ts'
import type { Bucket } from './lanes.ts'
import type { OpenStreams } from './OpenStreams.ts'
import type { EventLog } from './ports/events.ts'
import type { HistoryQueries } from './ports/history.ts'

/** What every bound operation says beside how it runs. */
interface BoundCost {
  /** Buckets that this input takes beside the operation's. */
  readonly moreBuckets: readonly Bucket[]
}

/** What tells answers of one block apart: operation, lane and input. `undefined` where an answer is never kept. */
export type Question = string | undefined

/** Valid input, bound to the handler. */
export interface BoundChain {
  readonly scope: 'chain'
  readonly question: Question
  run(context: ChainContext): Promise<Answer>
  readonly fromIndex: BoundIndex | undefined
}

export interface BoundIndex {
  readonly scope: 'index'
  readonly question: Question
  until(waiting: {
    chainId: number
    events: EventLog
    streams: OpenStreams
    signal: AbortSignal | undefined
  }): Promise<void>
  query(
    asked: Pick<CallContext, 'lane' | 'subject'> & { readonly today: number },
    history: HistoryQueries,
  ): Promise<unknown>
  /** @param rows what `query` gave, or those of `withoutIndex` */
  run(context: ChainContext, rows: unknown, index: IndexState): Promise<Answer>
  readonly withoutIndex: WithoutIndex<unknown> | undefined
}

/** One that needs nothing beside its context. */
interface BoundIn<Named extends Scope, Context> {
  readonly scope: Named
  run(context: Context): Promise<Answer>
}

export type Bound = (
  | BoundChain
  | BoundIndex
  | BoundIn<'service', ServiceContext>
  | BoundIn<'keys', KeysContext>
  | BoundIn<'webhooks', WebhooksContext>
  | BoundIn<'session', SessionContext>
) &
  BoundCost
