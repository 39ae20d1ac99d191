import * as z from 'zod'
import type { ErrorClass } from '../errors/base.ts'
import { IndexUnavailableError } from '../errors/history.ts'
import { inputSentence, ValidationError } from '../errors/input.ts'
import { AsOf, IndexPosition, Warning } from '../schema/answer.ts'
import { ChainId } from '../schema/chainId.ts'
import type {
  ChainContext,
  IndexedPart,
  IndexState,
  KeysContext,
  OperationDeclaration,
  RestRoute,
  Scope,
  ServiceContext,
  ToolProfile,
  WithoutIndex,
} from './declaration.ts'
import type { Bucket, Lane, Metering } from './lanes.ts'
import type { Audience } from './ports/access.ts'
import type { HistoryQueries } from './ports/history.ts'
import type { ServicePort } from './ports/service.ts'

/** An encoded answer. */
export interface Answer {
  readonly body: Record<string, unknown>
  /** The answer in a few words, for a model. Without a declared text, the body as JSON. */
  text(): string
}

/** Valid input, bound to the handler. */
export interface BoundChain {
  readonly scope: 'chain'
  run(context: ChainContext): Promise<Answer>
  readonly fromIndex: BoundIndex | undefined
}

export interface BoundIndex {
  readonly scope: 'index'
  query(lane: Lane, history: HistoryQueries): Promise<unknown>
  /** @param rows what `query` gave, or those of `withoutIndex` */
  run(context: ChainContext, rows: unknown, index: IndexState): Promise<Answer>
  readonly withoutIndex: WithoutIndex<unknown> | undefined
}

export interface BoundService {
  readonly scope: 'service'
  run(context: ServiceContext): Promise<Answer>
}

export interface BoundKeys {
  readonly scope: 'keys'
  run(context: KeysContext): Promise<Answer>
}

export type Bound = BoundChain | BoundIndex | BoundService | BoundKeys

/** A declared operation, as surfaces see it. */
export interface Operation {
  readonly name: string
  readonly effect: 'read' | 'prepare' | 'manage'
  readonly scope: Scope
  readonly audience: Audience
  /** Whether it reads one chain, with or without its index. */
  readonly onChain: boolean
  /** Whether it is answered while the API is switched off. */
  readonly whileDisabled: boolean
  /** Whether its answer never changes while the process runs. */
  readonly unchanging: boolean
  readonly summary: string
  readonly description: string | undefined
  readonly rest: RestRoute | null
  readonly tool: boolean
  /** The lists of tools that it is in. */
  readonly profiles: readonly ToolProfile[]
  readonly metering: Metering
  readonly buckets: readonly Bucket[]
  readonly toolBuckets: readonly Bucket[]
  readonly errors: readonly ErrorClass[]
  readonly input: z.ZodObject
  /** The declared output and the fields that are added to it. */
  readonly answer: z.ZodObject
  /** Throws ValidationError naming every field that does not fit, or that the lane may not ask for. */
  bind(raw: unknown, lane: Lane): Bound
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
>(declaration: OperationDeclaration<Path, Input, Output, Rows>): Operation {
  // Safe: WithPathParameters is Input itself wherever the declaration compiles.
  const input = (declaration.input as Input).strict()
  const answer = answerSchema(declaration)
  const kept = new WeakMap<ServicePort, Promise<Answer>>()
  return {
    name: declaration.name,
    effect: declaration.effect,
    scope: declaration.scope,
    audience: declaration.scope === 'keys' ? 'operators' : (declaration.audience ?? 'callers'),
    onChain: declaration.scope === 'chain' || declaration.scope === 'index',
    whileDisabled: declaration.scope === 'service' && declaration.whileDisabled === true,
    unchanging: declaration.scope === 'service' && declaration.unchanging === true,
    summary: declaration.summary,
    description: declaration.description,
    rest: declaration.rest,
    tool: declaration.tool !== false,
    profiles: declaration.tool ? declaration.tool.profiles : [],
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
      const encode = (result: object) => toAnswer(declaration, answer, result)
      switch (declaration.scope) {
        case 'service':
          return {
            scope: 'service',
            run(context) {
              const made = async () => encode(await declaration.handle({ ...context, input: decoded }))
              if (declaration.unchanging !== true) return made()
              const first = kept.get(context.service) ?? made()
              kept.set(context.service, first)
              return first
            },
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
  encode: (result: object) => Answer,
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

/** @param result what the handler gave, with what is added to it */
function toAnswer<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject, Rows>(
  { tool }: OperationDeclaration<Path, Input, Output, Rows>,
  schema: z.ZodObject,
  result: object,
): Answer {
  const body = z.encode(schema, result as z.output<typeof schema>)
  return {
    body,
    // Safe: encoding has just found that the result is an output with something added.
    text: () => (tool ? withNotes(tool.text(result as z.output<Output>), body) : JSON.stringify(body)),
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

/** What any answer may hold beside its own facts. */
const Notes = z.object({
  warnings: z.array(Warning).optional().catch(undefined),
  error: z.string().optional().catch(undefined),
  chainId: z.number().optional().catch(undefined),
  asOf: AsOf.optional().catch(undefined),
})

/** Words about an answer, with its warnings, what failed, and the block that it was read at. */
function withNotes(words: string, body: Record<string, unknown>): string {
  const { warnings = [], error, chainId, asOf } = Notes.parse(body)
  return [
    words,
    ...warnings.map(({ code, message }) => `Warning ${code}: ${message}`),
    ...(error === undefined ? [] : [`Incomplete: ${error}`]),
    ...(asOf === undefined ? [] : [`Read on chain ${chainId} at block ${asOf.blockNumber}.`]),
  ].join('\n')
}
