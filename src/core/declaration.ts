import type * as z from 'zod'
import type { ErrorClass } from '../errors/base.ts'
import type { IndexPosition, Issue, Warning } from '../schema/answer.ts'
import type { Bucket, Lane, Metering } from './lanes.ts'
import type { ChainView } from './ports/chains.ts'
import type { HistoryQueries } from './ports/history.ts'
import type { KeysPort } from './ports/keys.ts'
import type { ServicePort } from './ports/service.ts'

/** What every handler is given. It does not learn which surface called it. */
export interface CallContext {
  readonly requestId: string
  readonly lane: Lane
  readonly signal: AbortSignal | undefined
}

export interface ChainContext extends CallContext {
  readonly chain: ChainView
}

export interface ServiceContext extends CallContext {
  readonly service: ServicePort
}

export interface KeysContext extends CallContext {
  readonly keys: KeysPort
}

interface Contexts {
  chain: ChainContext
  service: ServiceContext
  keys: KeysContext
}

/** What an operation is about: one chain at one block, that and its index, the service itself, or developers' keys. */
export type Scope = keyof Contexts | 'index'

/** The state of the index, as an answer reports it beside its rows. */
export interface IndexState {
  /** `null` where the index could not be read. */
  readonly position: IndexPosition | null
  /** Why it could not be read, or is behind. */
  readonly failure: string | null
}

/** An answer from the index: `query` reads its rows, then `handle` reads the chain at the same block. */
export interface IndexedPart<Input extends z.ZodObject, Output extends z.ZodObject, Rows> {
  /** Reads one consistent state of the index. It must not wait for anything else. */
  query(context: {
    readonly input: z.output<Input>
    readonly lane: Lane
    readonly history: HistoryQueries
  }): Promise<Rows>
  /** `chain` is read at the index's block, or at its head where the index failed or nodes lack that state. */
  handle(
    context: ChainContext & { readonly input: z.output<Input>; readonly rows: Rows },
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
export interface ToolFace<Output extends z.ZodObject> {
  /** The lists that it is in. Of a prepare's two forms, only the by-id form is in a list. */
  readonly profiles: readonly ToolProfile[]
  /**
   * The answer in a few words: amounts, dates and ids. Text from the chain stands in quotes, because a stranger wrote
   * it. Warnings, a failure of the index and the block are added.
   */
  text(answer: z.output<Output>): string
}

interface Declaration<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject> {
  /** The tool's name, and the operation's in every document. Permanent. */
  readonly name: string
  /** `read` and `prepare` change nothing. `manage` changes keys, and is never a tool. */
  readonly effect: 'read' | 'prepare' | 'manage'
  /** One line: what the caller gets. */
  readonly summary: string
  /** When to use it and what to watch out for. */
  readonly description?: string
  /** `null` where there is only a tool. */
  readonly rest: RestRoute<Path> | null
  /** `false` where there is only a route. Without this field the tool is in no profile and answers only JSON. */
  readonly tool?: false | ToolFace<Output>
  /** `anyone`: answered without Basic Auth, for health checks. */
  readonly audience?: 'anyone'
  readonly metering?: Metering
  readonly buckets?: readonly Bucket[]
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

interface ChainDeclaration<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject, Rows>
  extends Declaration<Path, Input, Output> {
  readonly scope: 'chain'
  /** The answer before encoding. `chainId` and `asOf` are added to it. */
  handle(context: ChainContext & { readonly input: z.output<Input> }): Promise<HandlerResult<Output>>
  /** Answers instead where a view of the contract cannot be read (ViewFailedError). */
  readonly fromIndex?: IndexedPart<Input, Output, Rows>
}

interface IndexDeclaration<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject, Rows>
  extends Declaration<Path, Input, Output>,
    IndexedPart<Input, Output, Rows> {
  readonly scope: 'index'
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
  | ChainDeclaration<Path, Input, Output, Rows>
  | IndexDeclaration<Path, Input, Output, Rows>
