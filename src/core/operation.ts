import * as z from 'zod'
import type { ErrorClass } from '../errors/base.ts'
import { IndexUnavailableError } from '../errors/history.ts'
import { inputSentence, ValidationError } from '../errors/input.ts'
import { AsOf, Warning } from '../schema/answer.ts'
import { ChainId } from '../schema/chainId.ts'
import { IndexPosition } from '../schema/indexPosition.ts'
import type { Audience } from './access.ts'
import type {
  ChainContext,
  IndexedPart,
  IndexState,
  KeysContext,
  OperationDeclaration,
  RestRoute,
  Scope,
  ServiceContext,
  WithoutIndex,
} from './declaration.ts'
import type { HistoryQueries } from './history.ts'
import type { Bucket, Lane, Metering } from './lanes.ts'

/** Input that fits, bound to what answers it in wire types. */
export interface BoundChain {
  readonly scope: 'chain'
  run(context: ChainContext): Promise<Record<string, unknown>>
  readonly fromIndex: BoundIndex | undefined
}

export interface BoundIndex {
  readonly scope: 'index'
  query(lane: Lane, history: HistoryQueries): Promise<unknown>
  /** @param rows what `query` gave, or those of `withoutIndex` */
  run(context: ChainContext, rows: unknown, index: IndexState): Promise<Record<string, unknown>>
  readonly withoutIndex: WithoutIndex<unknown> | undefined
}

export interface BoundService {
  readonly scope: 'service'
  run(context: ServiceContext): Promise<Record<string, unknown>>
}

export interface BoundKeys {
  readonly scope: 'keys'
  run(context: KeysContext): Promise<Record<string, unknown>>
}

export type Bound = BoundChain | BoundIndex | BoundService | BoundKeys

/** A declared operation. Surfaces see this and no more. */
export interface Operation {
  readonly name: string
  readonly effect: 'read' | 'prepare' | 'manage'
  readonly scope: Scope
  readonly audience: Audience
  /** Whether it is about one chain, with or without its index. */
  readonly onChain: boolean
  /** Whether it is answered while the API is switched off. */
  readonly whileDisabled: boolean
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
  /** Throws ValidationError naming every field that does not fit, or that the lane may not ask for. */
  bind(raw: unknown, lane: Lane): Bound
}

/**
 * Declares one operation: its REST route, its tool, its documents and its place in the catalog all follow.
 *
 * Input is strict: an unknown field is an error on every surface.
 */
export function defineOperation<
  Path extends string,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  Rows,
>(declaration: OperationDeclaration<Path, Input, Output, Rows>): Operation {
  // Safe: WithPathParameters is Input itself wherever the declaration compiles.
  const input = (declaration.input as Input).strict()
  const answer = answerSchema(declaration)
  return {
    name: declaration.name,
    effect: declaration.effect,
    scope: declaration.scope,
    audience: declaration.scope === 'keys' ? 'operators' : (declaration.audience ?? 'callers'),
    onChain: declaration.scope === 'chain' || declaration.scope === 'index',
    whileDisabled: declaration.scope === 'service' && declaration.whileDisabled === true,
    summary: declaration.summary,
    description: declaration.description,
    rest: declaration.rest,
    tool: declaration.tool ?? true,
    metering: declaration.metering ?? 'metered',
    buckets: declaration.buckets ?? [],
    toolBuckets: declaration.toolBuckets ?? declaration.buckets ?? [],
    errors: errorsOf(declaration),
    input,
    answer,
    bind(raw, lane) {
      const parsed = input.safeParse(raw, { error: inputSentence })
      const beyond = declaration.beyondLane?.({ input: Object(raw), lane }) ?? []
      if (!parsed.success) throw ValidationError.fromZod(parsed.error, beyond)
      // Safe: strict() changes what is refused, not what is parsed.
      const decoded = parsed.data as z.output<Input>
      if (beyond.length > 0) throw new ValidationError(beyond)
      const encode = (result: object) => z.encode(answer, result as z.output<typeof answer>)
      switch (declaration.scope) {
        case 'service':
          return {
            scope: 'service',
            run: async (context) => encode(await declaration.handle({ ...context, input: decoded })),
          }
        case 'keys':
          return {
            scope: 'keys',
            run: async (context) => encode(await declaration.handle({ ...context, input: decoded })),
          }
        case 'chain':
          return {
            scope: 'chain',
            run: async (context) =>
              encode({ ...(await declaration.handle({ ...context, input: decoded })), ...block(context) }),
            fromIndex: declaration.fromIndex && bindIndexed(declaration.fromIndex, decoded, encode),
          }
        case 'index':
          return bindIndexed(declaration, decoded, encode, declaration.withoutIndex)
      }
    },
  }
}

function bindIndexed<Input extends z.ZodObject, Output extends z.ZodObject, Rows>(
  part: IndexedPart<Input, Output, Rows>,
  input: z.output<Input>,
  encode: (result: object) => Record<string, unknown>,
  withoutIndex?: WithoutIndex<Rows>,
): BoundIndex {
  return {
    scope: 'index',
    query: (lane, history) => part.query({ input, lane, history }),
    async run(context, rows, { position, failure }) {
      // Safe: the pipeline hands back what `query` gave, or `withoutIndex`.
      const result = await part.handle({ ...context, input, rows: rows as Rows })
      const error = failure !== null && withoutIndex?.reported ? { error: failure } : {}
      return encode({ ...result, ...error, ...block(context), index: position })
    },
    withoutIndex,
  }
}

/** The one block of an answer. */
function block({ chain: { chainId, asOf } }: ChainContext) {
  return { chainId, asOf }
}

function answerSchema<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject, Rows>(
  declaration: OperationDeclaration<Path, Input, Output, Rows>,
): z.ZodObject {
  const { output, scope } = declaration
  if (scope === 'service' || scope === 'keys') return output
  const warnings = z.array(Warning).optional().describe('Only where there is something to mind.')
  // A prepare declares its own, which are always there.
  const added = 'warnings' in output.shape ? {} : { warnings }
  return z.object({ ...output.shape, ...added, ...indexFields(declaration), chainId: ChainId, asOf: AsOf })
}

function indexFields<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject, Rows>(
  declaration: OperationDeclaration<Path, Input, Output, Rows>,
): z.ZodRawShape {
  if (declaration.scope === 'service' || declaration.scope === 'keys') return {}
  if (declaration.scope === 'chain') {
    const index = IndexPosition.optional().describe('Only where the contract’s own view could not be read.')
    return declaration.fromIndex === undefined ? {} : { index }
  }
  if (declaration.withoutIndex === undefined) return { index: IndexPosition }
  const index = IndexPosition.nullable().describe('null where the index could not be read.')
  if (!declaration.withoutIndex.reported) return { index }
  const error = z.string().optional().describe('Why the index could not be read, or is behind.')
  return { error, index }
}

function errorsOf<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject, Rows>(
  declaration: OperationDeclaration<Path, Input, Output, Rows>,
): readonly ErrorClass[] {
  const own = declaration.errors ?? []
  const needsIndex = declaration.scope === 'index' && declaration.withoutIndex === undefined
  return needsIndex ? [...own, IndexUnavailableError] : own
}
