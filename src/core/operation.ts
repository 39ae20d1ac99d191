import * as z from 'zod'
import type { ErrorClass } from '../errors/base.ts'
import { inputSentence, ValidationError } from '../errors/input.ts'
import { AsOf, Warning } from '../schema/answer.ts'
import { ChainId } from '../schema/chainId.ts'
import type { ChainView } from './chains.ts'
import type { Bucket, Lane, Metering } from './lanes.ts'
import type { ServicePort } from './service.ts'

/** What every handler is told, whatever surface called it: it never learns which. */
interface CallContext {
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

interface Contexts {
  chain: ChainContext
  service: ServiceContext
}

/** What an operation reads: one chain at one block, or the service itself. */
export type Scope = keyof Contexts

export interface RestRoute<Path extends string = string> {
  readonly method: 'GET' | 'POST'
  readonly path: Path
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

export interface OperationDeclaration<
  Of extends Scope,
  Path extends string,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
> {
  /** The tool's name, and the operation's in every document. Permanent. */
  readonly name: string
  /** `read` tells, `prepare` makes unsigned transactions; neither changes anything. Tool hints follow. */
  readonly effect: 'read' | 'prepare'
  readonly scope: Of
  /** One line: what the caller gets. */
  readonly summary: string
  /** What the summary cannot carry: when to use it, what to mind. */
  readonly description?: string
  /** `null` for an operation that is a tool only. */
  readonly rest: RestRoute<Path> | null
  /** `false` for an operation that is a route only. */
  readonly tool?: false
  readonly metering?: Metering
  readonly buckets?: readonly Bucket[]
  /** Where the tool takes other buckets than the route. */
  readonly toolBuckets?: readonly Bucket[]
  /** The errors that are this operation's own, beside those that any operation may have. */
  readonly errors?: readonly ErrorClass[]
  readonly input: WithPathParameters<Path, Input>
  readonly output: Output
  /** The plain answer, of inside types; `chainId` and `asOf` are added to a chain's answers. */
  handle(context: Contexts[Of] & { readonly input: z.output<Input> }): Promise<HandlerResult<Output>>
}

/** Input that fits, bound to its handler: give it the context and it answers in wire types. */
type Bound<Of extends Scope> = (context: Contexts[Of]) => Promise<Record<string, unknown>>

interface OperationOf<Of extends Scope> {
  readonly name: string
  readonly effect: 'read' | 'prepare'
  readonly scope: Of
  readonly summary: string
  readonly description: string | undefined
  readonly rest: RestRoute | null
  readonly tool: boolean
  readonly metering: Metering
  readonly buckets: readonly Bucket[]
  readonly toolBuckets: readonly Bucket[]
  readonly errors: readonly ErrorClass[]
  readonly input: z.ZodObject
  /** The whole answer, with what is added to the declared output. */
  readonly answer: z.ZodObject
  /** Throws ValidationError naming every field that does not fit. */
  bind(raw: unknown): Bound<Of>
}

/** A declared operation. Surfaces see this and no more. */
export type Operation = OperationOf<'chain'> | OperationOf<'service'>

/**
 * Declares one operation: its REST route, its tool, its documents and its place in the catalog all follow.
 *
 * Input is strict: an unknown field is an error on every surface.
 */
export function defineOperation<
  Of extends Scope,
  Path extends string,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
>(declaration: OperationDeclaration<Of, Path, Input, Output>): OperationOf<Of> {
  const { scope, output, handle } = declaration
  // Safe: WithPathParameters is Input itself wherever the declaration compiles.
  const input = (declaration.input as Input).strict()
  const answer = answerSchema(scope, output)
  return {
    name: declaration.name,
    effect: declaration.effect,
    scope,
    summary: declaration.summary,
    description: declaration.description,
    rest: declaration.rest,
    tool: declaration.tool ?? true,
    metering: declaration.metering ?? 'metered',
    buckets: declaration.buckets ?? [],
    toolBuckets: declaration.toolBuckets ?? declaration.buckets ?? [],
    errors: declaration.errors ?? [],
    input,
    answer,
    bind(raw) {
      const parsed = input.safeParse(raw, { error: inputSentence })
      if (!parsed.success) throw ValidationError.fromZod(parsed.error)
      // Safe: strict() changes what is refused, not what is parsed.
      const decoded = parsed.data as z.output<Input>
      return async (context) => {
        const result = await handle({ ...context, input: decoded })
        const block = 'chain' in context ? { chainId: context.chain.chainId, asOf: context.chain.asOf } : {}
        return z.encode(answer, { ...result, ...block })
      }
    },
  }
}

function answerSchema(scope: Scope, output: z.ZodObject): z.ZodObject {
  if (scope === 'service') return output
  const warnings = z.array(Warning).optional().describe('Only where there is something to mind.')
  // A prepare declares its own, which are always there.
  const added = 'warnings' in output.shape ? {} : { warnings }
  return z.object({ ...output.shape, ...added, chainId: ChainId, asOf: AsOf })
}
