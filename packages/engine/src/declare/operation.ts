import type { Address, Hex } from 'viem'
import * as z from 'zod'
import type { ErrorClass } from '../errors/base.ts'
import { IndexUnavailableError } from '../errors/history.ts'
import type { LastingToken } from '../ports/chainReads.ts'
import type { EventLog } from '../ports/events.ts'
import type { HistoryQueries } from '../ports/history.ts'
import { ChainId } from '../schema/chain.ts'
import { AsOf, IndexPosition, Warning } from '../schema/envelope.ts'
import { ACCESS, type Access, type AccessName } from './access.ts'
import type { BlockContext, ChainContext, PrepareContext } from './contexts.ts'
import type { Lane } from './lanes.ts'

// How an operation of a chain, a read or a prepare, is declared (`defineOperation`), and what surfaces see of it
// (`OperationMetadata`). The service adds operations of its own.

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

/** The input, if it has a field for each parameter of the path; else a type that no input fits. */
type WithPathParameters<Path extends string, Input extends z.ZodObject> =
  Exclude<PathParameter<Path>, keyof Input['shape']> extends never
    ? Input
    : { missingPathParameters: Exclude<PathParameter<Path>, keyof Input['shape']> }

type Result<Output extends z.ZodObject> = z.output<Output> & { warnings?: readonly Warning[] }

/** The lists of tools that an agent can choose by `/mcp?tools=`. The essential ones are listed by default. */
export const TOOL_PROFILES = ['essential', 'read', 'subscriber', 'provider', 'keeper'] as const

export type ToolProfile = (typeof TOOL_PROFILES)[number]

/** How an operation appears as a tool. */
interface ToolFace<Output extends z.ZodObject> {
  /** The lists that it is in. Of a prepare's two forms, only the by-id form is in a list. */
  readonly profiles: readonly ToolProfile[]
  /**
   * The answer in a few words: amounts, dates and ids. Text from the chain stands in quotes, because a stranger wrote
   * it. Warnings, a failure of the index and the block are added.
   */
  text(answer: z.output<Output>): string
}

/** A file of an operation, as surfaces see it. It costs what a document costs. */
export interface FileRoute {
  /** Its name in logs, metrics and documents. */
  readonly name: string
  readonly path: string
  /** The media type, with its charset. */
  readonly contentType: string
  readonly summary: string
  /** How many rows of the answer's lists it has where its reader asks for no number. */
  readonly first?: number
}

/** A file that is made of an operation's answer and served at a path of its own, over REST only. */
interface AnswerFile<Output extends z.ZodObject> extends FileRoute {
  /** The subscriptions that the file names. */
  names(answer: z.output<Output>): readonly NamedSubscription[]
  /**
   * @param answer with the block that it was read at, as callers get it, before it is encoded
   * @param names by id, of those that `names` gave; empty where the index cannot be read
   */
  render(answer: z.output<Output> & ReadAt, names: SubscriptionNames): string
}

/** A subscription whose name is looked up in the index. */
export interface NamedSubscription {
  readonly id: Hex
  readonly provider: Address
}

/** What strangers call a subscription: what its provider says of it, and what the provider calls itself. */
export interface SubscriptionName {
  readonly description: string | undefined
  readonly company: string | undefined
}

export type SubscriptionNames = ReadonlyMap<Hex, SubscriptionName>

/** The block that an answer was read at. */
export interface ReadAt {
  readonly chainId: number
  readonly asOf: { readonly timestamp: number }
}

/**
 * A list goes on where it ends: as a stream of server-sent events with a path of its own, over REST only, which takes the
 * list's input, and by the `wait` of its input, which has `after` and `first` too. Its answer has `events`, `next` and `hasMore`.
 */
export interface EventStreamRoute {
  /** Its name in logs, metrics and documents. */
  readonly name: string
  readonly path: string
  readonly summary: string
  readonly description: string
}

/** Counts the long polls that wait. `wait` returns a function that ends its count, or throws where too many wait already. */
export interface LongPollCounter {
  wait(): () => void
}

interface EventStream<Input extends z.ZodObject> extends EventStreamRoute {
  /**
   * Waits until there is something to answer. It must end soon after the signal aborts, and before the server's time
   * limit.
   */
  until(waiting: {
    readonly input: z.output<Input>
    readonly chainId: number
    readonly events: EventLog
    /** Counts it while it waits. */
    readonly streams: LongPollCounter
    readonly signal: AbortSignal | undefined
  }): Promise<void>
}

/** A table of nested rows: the field `rows` of each element of `list`, and beside each row these fields of that element. */
export interface NestedTable<Field extends string = string> {
  readonly list: Field
  readonly rows: string
  readonly outerFields: readonly string[]
}

/** A list that callers with a key have as a whole, as CSV or NDJSON. Its input has `first`, `after` and `untilBlock`. */
export interface WholeTable<Field extends string = string> {
  readonly list: Field
  /** Rows that are read at a time. */
  readonly pageRows: number
}

/** A kind of message that is posted to a URL of a caller's. */
export interface Post {
  readonly schema: z.ZodObject
  /** What it tells, in a few words. */
  readonly summary: string
  /** The status that is wanted, and what it means. */
  readonly answer: { readonly status: '200' | '2XX'; readonly description: string }
}

/** What every operation says of itself, however it is answered. */
export interface Declaration<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject> {
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
  /** What it costs and who may make it: its row in the table ACCESS (access.ts). */
  readonly access: AccessName
  /** The errors that this operation may throw, beside those that every operation may throw. */
  readonly errors?: readonly ErrorClass[]
  readonly input: WithPathParameters<Path, Input>
  readonly output: Output
  /** The list in the answer that callers can also have as CSV. Its rows become lines. */
  readonly table?: (keyof Output['shape'] & string) | TableOf<keyof Output['shape'] & string>
  /** Files that are made of the answer. Their paths have the parameters of the route's path. */
  readonly files?: readonly AnswerFile<Output>[]
  /** What the service then posts to a URL of the caller's, by type. */
  readonly posts?: Readonly<Record<string, Post>>
}

type TableOf<Field extends string> = NestedTable<Field> | WholeTable<Field>

/** Answers that depend on nothing but block, day, input and lane. They are kept for other callers while block and day are the newest. */
interface KeptHandler<Input extends z.ZodObject, Output extends z.ZodObject, Rows> {
  /** Whether the query needs the approved tokens of the chain, which are then read at the answer's block before the query. */
  readsTokens?(input: z.output<Input>): boolean
  /** Reads one consistent state of the index. It must not wait for anything else. */
  query?(asked: IndexQuestion<Input> & { readonly tokens: readonly LastingToken[] }): Promise<Rows>
  atBlock(
    context: BlockContext & { readonly input: z.output<Input>; readonly rows: Rows },
  ): Promise<Result<Output>>
  readonly handle?: undefined
}

/** Answers that are made for each call. */
interface PerCallHandler<Input extends z.ZodObject, Output extends z.ZodObject, Rows> {
  /** Reads one consistent state of the index, and may be told whose session it is. It must not wait for anything else. */
  query?(asked: IndexQuestion<Input> & { readonly subject?: string | undefined }): Promise<Rows>
  handle(
    context: ChainContext & { readonly input: z.output<Input>; readonly rows: Rows },
  ): Promise<Result<Output>>
  readonly atBlock?: undefined
  readonly readsTokens?: undefined
}

/** What the index is asked for an answer. */
interface IndexQuestion<Input extends z.ZodObject> {
  readonly input: z.output<Input>
  readonly lane: Lane
  /** The day of the chain's clock, or of the index's block where no head is known. It may change before the chain is read. */
  readonly today: number
  readonly history: HistoryQueries
}

/** How an answer is made: with a `query`, from rows of the index and the chain at the index's block; without, from the chain at its head. */
export type QueryAndHandler<Input extends z.ZodObject, Output extends z.ZodObject, Rows> =
  | KeptHandler<Input, Output, Rows>
  | PerCallHandler<Input, Output, Rows>

/** What an operation with a `query` answers where the index cannot be read. Without this, it throws IndexUnavailableError. */
interface WithoutIndex<Rows> {
  /** What the handler gets as `rows` then. */
  readonly rows: Rows
  /** Whether the answer then has an `error`, which says why the index could not be read. `false` where it is complete without. */
  readonly reported: boolean
}

/** Reads one chain. `chainId` and `asOf` are added to its answer, and `index` where that was read. */
type ChainDeclaration<
  Path extends string,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  Rows,
  FallbackRows,
> = Declaration<Path, Input, Output> &
  QueryAndHandler<Input, Output, Rows> & {
    readonly kind: 'chain'
    readonly withoutIndex?: WithoutIndex<Rows>
    /** Answers in its place where a view of the contract cannot be read (ViewFailedError). Only where it has no `query` itself. */
    readonly fromIndex?: QueryAndHandler<Input, Output, FallbackRows>
    /** The answer's list as a stream, which goes on with what comes later. Only with a `query`. */
    readonly stream?: EventStream<Input>
  }

/** Finds what a transaction would do at the chain's newest block. `chainId` and `asOf` are added to its answer. */
interface PrepareDeclaration<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject>
  extends Declaration<Path, Input, Output> {
  readonly kind: 'prepare'
  readonly atBlock?: undefined
  /** Answered in a thread of its own where the process has one: it takes seconds of a processor where much is due. */
  readonly inThread?: true
  handle(context: PrepareContext & { readonly input: z.output<Input> }): Promise<Result<Output>>
}

export type OperationDeclaration<
  Path extends string,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  Rows,
  FallbackRows,
> = ChainDeclaration<Path, Input, Output, Rows, FallbackRows> | PrepareDeclaration<Path, Input, Output>

/** A declaration of any types. The pipeline hands it what its own schema has decoded, and its own rows. */
type AnyDeclaration = OperationDeclaration<string, z.ZodObject, z.ZodObject, unknown, unknown>
/** A declared operation, as surfaces (REST, MCP, documents) see it, with the fields of its row in the table ACCESS. */
export interface OperationMetadata
  extends Access,
    Pick<AnyDeclaration, 'name' | 'effect' | 'summary' | 'rest'> {
  /** Whether it changes what is a wallet's own. A session's contract wallet, whose owners may change, is asked again before it. */
  readonly asksOwner: boolean
  /** Whether it reads one chain, with or without its index. */
  readonly onChain: boolean
  /** Whether its answers depend on their block, the day, the lane and the input alone. */
  readonly keepsAnswers: boolean
  /** Whether its answer never changes while the process runs. */
  readonly unchanging: boolean
  /** Whether it is answered in a thread where the process has one. */
  readonly inThread: boolean
  readonly description: string | undefined
  readonly tool: boolean
  /** The lists of tools that it is in. */
  readonly profiles: readonly ToolProfile[]
  readonly errors: readonly ErrorClass[]
  readonly input: z.ZodObject
  /** The declared output and the fields that are added to it. */
  readonly answer: z.ZodObject
  /** The list of the answer that can be had as CSV. */
  readonly table: string | NestedTable | undefined
  /** Where the table is sent as a whole, and not by the page. */
  readonly wholeTable: WholeTable | undefined
  readonly files: readonly FileRoute[]
  readonly stream: EventStreamRoute | undefined
  /** What the service posts to a URL of the caller's, by type. */
  readonly posts: Readonly<Record<string, Post>>
}

/** An operation that reads a chain or prepares for one. */
export interface ChainOperation extends OperationMetadata, Pick<AnyDeclaration, 'kind'> {
  /** How it answers. */
  readonly declaration: AnyDeclaration
}

/**
 * Declares one operation. Its REST route, tool, documents and catalog row are made from the declaration.
 *
 * Input is strict: an unknown field is an error on every surface.
 */
export function defineOperation<
  Path extends string,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  Rows,
  FallbackRows,
>(typed: OperationDeclaration<Path, Input, Output, Rows, FallbackRows>): ChainOperation {
  // Safe: a call hands each function what the declaration's own schema and query gave.
  const declaration = typed as unknown as AnyDeclaration
  const { kind } = declaration
  const reads = kind === 'chain' ? declaration : undefined
  const needsIndex = reads?.query !== undefined && reads.withoutIndex === undefined
  const metadata = metadataOf(declaration)
  return {
    ...metadata,
    kind,
    onChain: true,
    keepsAnswers: reads?.atBlock !== undefined,
    inThread: kind === 'prepare' && declaration.inThread === true,
    errors: needsIndex ? [...metadata.errors, IndexUnavailableError] : metadata.errors,
    answer: answerSchema(declaration),
    stream: reads?.stream,
    declaration,
  }
}

/** What surfaces see of a declaration, as far as it does not depend on how it is answered. */
export function metadataOf(declaration: Declaration<string, z.ZodObject, z.ZodObject>): OperationMetadata {
  const { name, effect, summary, description, rest, tool, errors = [], table, files = [] } = declaration
  const access: Access = ACCESS[declaration.access]
  const isWhole = typeof table === 'object' && 'pageRows' in table
  return {
    ...access,
    name,
    effect,
    asksOwner: effect === 'manage' && access.isOwn && rest !== null && rest.method !== 'GET',
    onChain: false,
    keepsAnswers: false,
    unchanging: false,
    inThread: false,
    summary,
    description,
    rest,
    tool: tool !== false && access.tools !== 'nobody',
    profiles: tool ? tool.profiles : [],
    errors,
    input: declaration.input.strict(),
    answer: declaration.output,
    table: isWhole ? table.list : table,
    wholeTable: isWhole ? table : undefined,
    files,
    stream: undefined,
    posts: declaration.posts ?? {},
  }
}

/**
 * The operation, with files that are made of its answer.
 * @param output the operation's own, for the types of what the files are made of. Throws RangeError for another one
 */
export function withFiles<Output extends z.ZodObject>(
  operation: ChainOperation,
  output: Output,
  files: readonly AnswerFile<Output>[],
): ChainOperation {
  if (operation.declaration.output !== output) throw new RangeError(`${operation.name} answers otherwise`)
  // Safe: files are rendered from answers of this output alone.
  const rendered = files as unknown as readonly AnswerFile<z.ZodObject>[]
  return { ...operation, files, declaration: { ...operation.declaration, files: rendered } }
}

/** The declared output, and the fields that are added to it. */
function answerSchema(declaration: AnyDeclaration): z.ZodObject {
  const { output } = declaration
  const warnings = z.array(Warning).optional().describe('Only where there is something to mind.')
  // A prepare declares warnings of its own, which are always there.
  const added = 'warnings' in output.shape ? {} : { warnings }
  return z.object({ ...output.shape, ...added, ...indexFields(declaration), chainId: ChainId, asOf: AsOf })
}

/** The fields that say where the index stood, if the operation reads it. */
function indexFields(declaration: AnyDeclaration): z.ZodRawShape {
  if (declaration.kind !== 'chain') return {}
  if (declaration.query === undefined) {
    const index = IndexPosition.optional().describe('Only where the contract’s own view could not be read.')
    return declaration.fromIndex === undefined ? {} : { index }
  }
  if (declaration.withoutIndex === undefined) return { index: IndexPosition }
  const index = IndexPosition.nullable().describe('null where the index could not be read.')
  if (!declaration.withoutIndex.reported) return { index }
  const error = z.string().optional().describe('Why the index could not be read, or is behind.')
  return { error, index }
}
