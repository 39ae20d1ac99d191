import type * as z from 'zod'
import type { ErrorClass } from '../errors/base.ts'
import type { IndexPosition, Issue, Warning } from '../schema/answer.ts'
import type {
  BlockContext,
  ChainContext,
  KeysContext,
  ServiceContext,
  SessionContext,
  WebhooksContext,
} from './contexts.ts'
import type { Bucket, Lane, Metering } from './lanes.ts'
import type { OpenStreams } from './OpenStreams.ts'
import type { EventLog } from './ports/events.ts'
import type { HistoryQueries } from './ports/history.ts'

/** The state of the index, as an answer reports it beside its rows. */
export interface IndexState {
  /** `null` where the index could not be read. */
  readonly position: IndexPosition | null
  /** Why it could not be read, or is behind. */
  readonly failure: string | null
}

/** An answer from the index: `query` reads its rows, then `handle` reads the chain at the same block. */
export interface IndexedPart<Input extends z.ZodObject, Output extends z.ZodObject, Rows> {
  /** Waits until there is something to answer. It must end soon after the signal aborts, and within the server's time. */
  until?(context: {
    readonly input: z.output<Input>
    readonly chainId: number
    readonly events: EventLog
    /** Counts it while it waits. */
    readonly streams: OpenStreams
    readonly signal: AbortSignal | undefined
  }): Promise<void>
  /** Reads one consistent state of the index. It must not wait for anything else. */
  query(context: {
    readonly input: z.output<Input>
    readonly lane: Lane
    readonly subject?: string | undefined
    /** The day of the chain's clock, or of the index's block where no head is known. It may change before `handle` runs. */
    readonly today: number
    readonly history: HistoryQueries
  }): Promise<Rows>
  /** `chain` is read at the index's block, or at its head where the index failed or nodes lack that state. */
  handle(
    context: ChainContext & { readonly input: z.output<Input>; readonly rows: Rows },
  ): Promise<HandlerResult<Output>>
}

/** As `IndexedPart`, for an answer that is kept until the index or the head moves. `query` is told no `subject`. */
export interface KeptIndexedPart<Input extends z.ZodObject, Output extends z.ZodObject, Rows>
  extends Pick<IndexedPart<Input, Output, Rows>, 'query'> {
  /** As `handle`, with nothing of the caller but its lane. */
  atBlock(
    context: BlockContext & { readonly input: z.output<Input>; readonly rows: Rows },
  ): Promise<HandlerResult<Output>>
}

/** What an indexed operation answers where the index cannot be read. Without this, it throws IndexUnavailableError. */
export interface WithoutIndex<Rows> {
  readonly rows: Rows
  /** Whether the answer then has an `error`. `false` where the answer is complete without the index. */
  readonly reported: boolean
}

export interface RestRoute<Path extends string = string> {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: Path
  /** The status of a success; default 200. */
  readonly status?: 200 | 201
}

/** The names behind the colons of a path. */
type PathParameter<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParameter<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

type WithPathParameters<Path extends string, Input extends z.ZodObject> =
  Exclude<PathParameter<Path>, keyof Input['shape']> extends never
    ? Input
    : { missingPathParameters: Exclude<PathParameter<Path>, keyof Input['shape']> }

type HandlerResult<Output extends z.ZodObject> = z.output<Output> & { warnings?: readonly Warning[] }

/** The lists of tools that an agent can choose by `/mcp?tools=`. The default is all tools. */
export const TOOL_PROFILES = ['essential', 'read', 'subscriber', 'provider', 'keeper'] as const

export type ToolProfile = (typeof TOOL_PROFILES)[number]

/** How an operation appears as a tool. */
interface ToolFace<Output extends z.ZodObject> {
  /** Only callers with an API key see it and may call it. So it is for every operation about webhooks. */
  readonly forKeys?: true
  /** The lists that it is in. Of a prepare's two forms, only the by-id form is in a list. */
  readonly profiles: readonly ToolProfile[]
  /**
   * The answer in a few words: amounts, dates and ids. Text from the chain stands in quotes, because a stranger wrote
   * it. Warnings, a failure of the index and the block are added.
   */
  text(answer: z.output<Output>): string
}

/** A file that is made of an operation's answer and served at a path of its own, over REST only. */
export interface AnswerFile<Output extends z.ZodObject> {
  /** Its name in logs, metrics and documents. */
  readonly name: string
  readonly path: string
  /** The media type, with its charset. */
  readonly contentType: string
  readonly summary: string
  /** How many rows of the answer's lists it has where its reader asks for no number. */
  readonly first?: number
  /** @param answer with `chainId` and `asOf`, as callers get it, before it is encoded */
  render(answer: z.output<Output> & ReadAt): string
}

/** A stream of server-sent events that goes on where a list ends, over REST only. It takes the list's input. */
export interface EventStreamRoute {
  /** Its name in logs, metrics and documents. */
  readonly name: string
  readonly path: string
  readonly summary: string
  readonly description: string
}

/** The block that an answer was read at. */
export interface ReadAt {
  readonly chainId: number
  readonly asOf: { readonly timestamp: number }
}

/** Rows that stand in the rows of another list: `rows` of each of the `list`, with these fields beside them. */
export interface NestedTable<Fields extends string = string> {
  readonly list: Fields
  readonly rows: string
  readonly beside: readonly string[]
}

/** How a list is sent as a whole. Its input has `first`, `after` and `untilBlock`. */
export interface WholeTable {
  /** Rows that are read at a time. */
  readonly pageRows: number
}

interface Declaration<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject> {
  /** The tool's name, and the operation's in every document. Permanent. */
  readonly name: string
  /** `read` and `prepare` change nothing. `manage` changes what the service keeps: keys, webhooks, sessions, passes. */
  readonly effect: 'read' | 'prepare' | 'manage'
  /** One line: what the caller gets. */
  readonly summary: string
  /** When to use it and what to watch out for. */
  readonly description?: string
  /** `null` where there is only a tool. */
  readonly rest: RestRoute<Path> | null
  /** `false` where there is only a route. Without this field the tool is in no profile and answers only JSON. */
  readonly tool?: false | ToolFace<Output>
  /**
   * `anyone`: no credentials are looked at, for health checks. `guests`: none but Basic Auth. `visitors`: a session counts.
   */
  readonly audience?: 'anyone' | 'guests' | 'visitors'
  /** Pages of every origin may read it. Only for answers that are the same for everybody. */
  readonly crossOrigin?: true
  readonly metering?: Metering
  readonly buckets?: readonly Bucket[]
  /** Buckets that some inputs take beside those. */
  moreBuckets?(input: z.output<Input>): readonly Bucket[]
  /** The buckets of the tool, where they differ from those of the route. */
  readonly toolBuckets?: readonly Bucket[]
  /** The errors that this operation may throw, beside those that every operation may throw. */
  readonly errors?: readonly ErrorClass[]
  readonly input: WithPathParameters<Path, Input>
  /**
   * Input that the caller's lane may not send. It is refused, and charged, like invalid input.
   *
   * It is called for invalid input too, so that a caller far above the bound is told the bound of its lane.
   */
  beyondLane?(context: {
    readonly input: Readonly<Partial<Record<keyof Input['shape'], unknown>>>
    readonly lane: Lane
  }): readonly Issue[]
  readonly output: Output
  /** The list in the answer that callers can also have as CSV. Its rows become lines. */
  readonly table?: (keyof Output['shape'] & string) | NestedTable<keyof Output['shape'] & string>
  /** The table is sent as a whole, as CSV or NDJSON, to callers with a key. */
  readonly wholeTable?: WholeTable
  /** Files that are made of the answer. Their paths have the parameters of the route's path. */
  readonly files?: readonly AnswerFile<Output>[]
  /** The list goes on as a stream. Its input has `after`, `first` and `wait`, and its answer `events`, `next` and `hasMore`. */
  readonly stream?: EventStreamRoute
  /** What the service then posts to a URL of the caller's, by type. */
  readonly posts?: Readonly<Record<string, Post>>
}

/** A kind of message that is posted to a URL of a caller's. */
export interface Post {
  readonly schema: z.ZodObject
  /** In a few words. */
  readonly summary: string
  /** The status that is wanted, and what it means. */
  readonly answer: { readonly status: '200' | '2XX'; readonly description: string }
}

interface ServiceDeclaration<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject>
  extends Declaration<Path, Input, Output> {
  readonly scope: 'service'
  /** Also answered while the API is switched off. */
  readonly whileDisabled?: true
  /** The answer never changes while the process runs, so it is made and encoded once. */
  readonly unchanging?: true
  handle(context: ServiceContext & { readonly input: z.output<Input> }): Promise<HandlerResult<Output>>
}

interface KeysDeclaration<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject>
  extends Declaration<Path, Input, Output> {
  readonly scope: 'keys'
  readonly tool: false
  handle(context: KeysContext & { readonly input: z.output<Input> }): Promise<z.output<Output>>
}

interface WebhooksDeclaration<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject>
  extends Declaration<Path, Input, Output> {
  readonly scope: 'webhooks'
  handle(context: WebhooksContext & { readonly input: z.output<Input> }): Promise<z.output<Output>>
}

interface SessionDeclaration<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject>
  extends Declaration<Path, Input, Output> {
  readonly scope: 'session'
  readonly tool: false
  /** The network address pays, whatever key or session the request comes with. */
  readonly paidByAddress?: true
  handle(context: SessionContext & { readonly input: z.output<Input> }): Promise<z.output<Output>>
}

interface ChainDeclaration<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject, Rows>
  extends Declaration<Path, Input, Output> {
  readonly scope: 'chain'
  readonly atBlock?: undefined
  /**
   * Answered in a thread of its own where the process has one: it takes seconds of a processor where much is due. Then the
   * handler gets no index and no passes.
   */
  readonly apart?: true
  /** Answers instead where a view of the contract cannot be read (ViewFailedError). */
  readonly fromIndex?: IndexedPart<Input, Output, Rows>
  /** The answer before encoding. `chainId` and `asOf` are added to it. */
  handle(context: ChainContext & { readonly input: z.output<Input> }): Promise<HandlerResult<Output>>
}

interface BlockDeclaration<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject, Rows>
  extends Declaration<Path, Input, Output> {
  readonly scope: 'chain'
  readonly handle?: undefined
  readonly apart?: undefined
  /**
   * Answers instead where a view of the contract cannot be read (ViewFailedError). This answer is kept until the index or
   * the head moves.
   */
  readonly fromIndex?: KeptIndexedPart<Input, Output, Rows>
  /**
   * Instead of `handle`, for an answer that depends on nothing but its block, the day, the input and the lane. It is kept
   * until the head moves.
   */
  atBlock(context: BlockContext & { readonly input: z.output<Input> }): Promise<HandlerResult<Output>>
}

interface IndexDeclaration<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject, Rows>
  extends Declaration<Path, Input, Output>,
    IndexedPart<Input, Output, Rows> {
  readonly scope: 'index'
  readonly atBlock?: undefined
  readonly withoutIndex?: WithoutIndex<Rows>
}

interface IndexBlockDeclaration<
  Path extends string,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  Rows,
> extends Declaration<Path, Input, Output>,
    KeptIndexedPart<Input, Output, Rows> {
  readonly scope: 'index'
  readonly handle?: undefined
  readonly until?: undefined
  readonly withoutIndex?: WithoutIndex<Rows>
}

export type OperationDeclaration<
  Path extends string,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  Rows,
> =
  | ServiceDeclaration<Path, Input, Output>
  | KeysDeclaration<Path, Input, Output>
  | WebhooksDeclaration<Path, Input, Output>
  | SessionDeclaration<Path, Input, Output>
  | ChainDeclaration<Path, Input, Output, Rows>
  | BlockDeclaration<Path, Input, Output, Rows>
  | IndexDeclaration<Path, Input, Output, Rows>
  | IndexBlockDeclaration<Path, Input, Output, Rows>
