import type * as z from 'zod'
import type { ErrorClass } from '../errors/base.ts'
import type { IndexPosition, Issue, Warning } from '../schema/answer.ts'
import type { Bucket, Lane, Metering } from './lanes.ts'
import type { ChainView } from './ports/chains.ts'
import type { HistoryQueries } from './ports/history.ts'
import type { KeysPort } from './ports/keys.ts'
import type { ServicePort } from './ports/service.ts'

/** What every handler is told, whatever surface called it: it never learns which. */
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

/** What an answer says of the index beside its rows. */
export interface IndexState {
  /** `null` where the index could not be read. */
  readonly position: IndexPosition | null
  /** Why it could not be read, or is behind. */
  readonly failure: string | null
}

/** How an answer comes out of the index: rows of one moment, and then the chain at that moment's block. */
export interface IndexedPart<Input extends z.ZodObject, Output extends z.ZodObject, Rows> {
  /** Reads one consistent state of the index, and waits for nothing else. */
  query(context: {
    readonly input: z.output<Input>
    readonly lane: Lane
    readonly history: HistoryQueries
  }): Promise<Rows>
  /** `chain` stands at the index's block; at its head where the index could not be read or has no such state. */
  handle(
    context: ChainContext & { readonly input: z.output<Input>; readonly rows: Rows },
  ): Promise<HandlerResult<Output>>
}

/** What an indexed operation answers where the index cannot be read; without it, it fails by name. */
export interface WithoutIndex<Rows> {
  readonly rows: Rows
  /** Whether the answer then has an `error`: `false` for one that is whole all the same. */
  readonly reported: boolean
}

export interface RestRoute<Path extends string = string> {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: Path
  /** Of a success, where it is not 200. */
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

/** The lists of tools that an agent can choose by `/mcp?tools=`, beside the whole one. */
export const TOOL_PROFILES = ['essential', 'read', 'subscriber', 'provider', 'keeper'] as const

export type ToolProfile = (typeof TOOL_PROFILES)[number]

/** How an operation shows itself to agents. */
export interface ToolFace<Output extends z.ZodObject> {
  /** The lists that it is in. Of a prepare's two forms, only the one by id is in any. */
  readonly profiles: readonly ToolProfile[]
  /**
   * The answer in a few words: the amounts, dates and ids that matter, and strangers' text in quotes.
   * Warnings, a failure of the index and the block are added to it.
   */
  text(answer: z.output<Output>): string
}

interface Declaration<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject> {
  /** The tool's name, and the operation's in every document. Permanent. */
  readonly name: string
  /** `read` tells, `prepare` makes unsigned transactions; neither changes anything. `manage` does: it is never a tool. */
  readonly effect: 'read' | 'prepare' | 'manage'
  /** One line: what the caller gets. */
  readonly summary: string
  /** What the summary cannot carry: when to use it, what to mind. */
  readonly description?: string
  /** `null` for an operation that is a tool only. */
  readonly rest: RestRoute<Path> | null
  /** `false` for an operation that is a route only; without it, the tool is in no profile and answers JSON alone. */
  readonly tool?: false | ToolFace<Output>
  /** `anyone`: not behind Basic Auth, for those who only ask whether it lives. Keys are for operators. */
  readonly audience?: 'anyone'
  readonly metering?: Metering
  readonly buckets?: readonly Bucket[]
  /** Where the tool takes other buckets than the route. */
  readonly toolBuckets?: readonly Bucket[]
  /** The errors that are this operation's own, beside those that any operation may have. */
  readonly errors?: readonly ErrorClass[]
  readonly input: WithPathParameters<Path, Input>
  /**
   * What the caller's lane may not ask for. It is refused, and charged, like input that does not fit.
   *
   * Asked of input that does not fit, too, so that whoever asks for far too much is told the lane's own bound.
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
  /** Answered while the API is switched off, too. */
  readonly whileDisabled?: true
  /** The answer takes no input and stays the same while the process runs: it is made and encoded once. */
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
  /** The plain answer, of inside types; `chainId` and `asOf` are added. */
  handle(context: ChainContext & { readonly input: z.output<Input> }): Promise<HandlerResult<Output>>
  /** Answers in the place of a view of the contract that cannot be read (ViewFailedError). */
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
