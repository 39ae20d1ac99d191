import type * as z from 'zod'
import type { ErrorClass } from '../errors/base.ts'
import { IndexUnavailableError } from '../errors/history.ts'
import { inputSentence, ValidationError } from '../errors/input.ts'
import { type Answer, answerSchema, toAnswer } from './answer.ts'
import type { Bound, BoundIndex, Question } from './bound.ts'
import type { ChainContext, Scope } from './contexts.ts'
import type {
  AnswerFile,
  EventStreamRoute,
  IndexedPart,
  KeptIndexedPart,
  NestedTable,
  OperationDeclaration,
  Post,
  RestRoute,
  ToolProfile,
  WholeTable,
  WithoutIndex,
} from './declaration.ts'
import type { Bucket, Lane, Metering } from './lanes.ts'
import type { Audience } from './ports/access.ts'
import type { ServicePort } from './ports/service.ts'

/** A file of an operation, as surfaces see it. */
export type FileRoute = Omit<AnswerFile<z.ZodObject>, 'render'>

/** A declared operation, as surfaces see it. */
export interface Operation {
  readonly name: string
  readonly effect: 'read' | 'prepare' | 'manage'
  readonly scope: Scope
  readonly audience: Audience
  /** Whether the network address pays, whatever key or session a request comes with. */
  readonly paidByAddress: boolean
  /** Whether pages of every origin may read it. */
  readonly crossOrigin: boolean
  /** Whether it changes what is a wallet's own. Then the contract of a session's wallet is asked again before it. */
  readonly asksOwner: boolean
  /** Whether it reads one chain, with or without its index. */
  readonly onChain: boolean
  /** Whether it is answered while the API is switched off. */
  readonly whileDisabled: boolean
  /** Whether its answers depend on their block, the day, the lane and the input alone. */
  readonly keepsAnswers: boolean
  /** Whether its answer never changes while the process runs. */
  readonly unchanging: boolean
  readonly summary: string
  readonly description: string | undefined
  readonly rest: RestRoute | null
  readonly tool: boolean
  /** Whether the tool is for callers with an API key only. */
  readonly forKeys: boolean
  /** The lists of tools that it is in. */
  readonly profiles: readonly ToolProfile[]
  readonly metering: Metering
  readonly buckets: readonly Bucket[]
  readonly toolBuckets: readonly Bucket[]
  readonly errors: readonly ErrorClass[]
  readonly input: z.ZodObject
  /** The declared output and the fields that are added to it. */
  readonly answer: z.ZodObject
  /** The list of the answer that can be had as CSV. */
  readonly table: string | NestedTable | undefined
  /** Where the table is sent as a whole, and not by the page. */
  readonly wholeTable: WholeTable | undefined
  /** Files that are made of the answer, at paths of their own. */
  readonly files: readonly FileRoute[]
  /** A stream that goes on where the list ends, at a path of its own. */
  readonly stream: EventStreamRoute | undefined
  /** What the service posts to a URL of the caller's, by type. */
  readonly posts: Readonly<Record<string, Post>>
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
    audience: audienceOf(declaration),
    paidByAddress: declaration.scope === 'session' && declaration.paidByAddress === true,
    crossOrigin: declaration.crossOrigin === true,
    asksOwner:
      declaration.effect === 'manage' &&
      declaration.scope !== 'session' &&
      declaration.rest !== null &&
      declaration.rest.method !== 'GET',
    onChain: declaration.scope === 'chain' || declaration.scope === 'index',
    whileDisabled: declaration.scope === 'service' && declaration.whileDisabled === true,
    keepsAnswers: 'atBlock' in declaration && declaration.atBlock !== undefined,
    unchanging: declaration.scope === 'service' && declaration.unchanging === true,
    summary: declaration.summary,
    description: declaration.description,
    rest: declaration.rest,
    tool: declaration.tool !== false,
    forKeys:
      audienceOf(declaration) === 'developers' ||
      (declaration.tool ? declaration.tool.forKeys === true : false),
    profiles: declaration.tool ? declaration.tool.profiles : [],
    metering: declaration.metering ?? 'metered',
    buckets: declaration.buckets ?? [],
    toolBuckets: declaration.toolBuckets ?? declaration.buckets ?? [],
    errors: errorsOf(declaration),
    input,
    answer,
    table: declaration.table,
    wholeTable: declaration.wholeTable,
    files: (declaration.files ?? []).map(({ render: _, ...route }) => route),
    stream: declaration.stream,
    posts: declaration.posts ?? {},
    bind(raw, lane) {
      const parsed = input.safeParse(raw, { error: inputSentence })
      const beyond = declaration.beyondLane?.({ input: Object(raw), lane }) ?? []
      if (!parsed.success) throw ValidationError.fromZod(parsed.error, beyond)
      // Safe: strict() changes what is refused, not what is parsed.
      const decoded = parsed.data as z.output<Input>
      if (beyond.length > 0) throw new ValidationError(beyond)
      const encode = (result: object) => toAnswer(declaration, answer, result)
      const moreBuckets = declaration.moreBuckets?.(decoded) ?? []
      // Raw input is JSON, and decoding it depends on nothing else.
      const question = () => `${declaration.name} ${lane} ${JSON.stringify(raw)}`
      switch (declaration.scope) {
        case 'service':
          return {
            scope: 'service',
            moreBuckets,
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
            moreBuckets,
            run: async (context) => encode(await declaration.handle({ ...context, input: decoded })),
          }
        case 'webhooks':
          return {
            scope: 'webhooks',
            moreBuckets,
            run: async (context) => encode(await declaration.handle({ ...context, input: decoded })),
          }
        case 'session':
          return {
            scope: 'session',
            moreBuckets,
            run: async (context) => encode(await declaration.handle({ ...context, input: decoded })),
          }
        case 'chain': {
          const { fromIndex } = declaration
          const answerAt = declaration.atBlock ?? declaration.handle
          const asked = declaration.atBlock && question()
          return {
            scope: 'chain',
            moreBuckets,
            question: asked,
            async run(context) {
              const { apart } = context.chain
              const question = { operation: declaration.name, input: raw, requestId: context.requestId }
              const result =
                declaration.apart && apart !== undefined
                  ? await apart(question)
                  : { ...(await answerAt({ ...context, input: decoded })), ...block(context) }
              return encode(result)
            },
            fromIndex: fromIndex && bindIndexed(fromIndex, { input: decoded, question: asked, encode }),
          }
        }
        case 'index': {
          const { withoutIndex } = declaration
          const asked = declaration.atBlock && question()
          return {
            ...bindIndexed(declaration, { input: decoded, question: asked, encode, withoutIndex }),
            moreBuckets,
          }
        }
      }
    },
  }
}

function audienceOf({
  scope,
  audience = 'callers',
}: {
  readonly scope: Scope
  readonly audience?: Audience | undefined
}): Audience {
  switch (scope) {
    case 'keys':
      return 'operators'
    case 'webhooks':
      return 'developers'
    case 'session':
      return 'visitors'
    default:
      return audience
  }
}

function bindIndexed<Input extends z.ZodObject, Output extends z.ZodObject, Rows>(
  part:
    | (IndexedPart<Input, Output, Rows> & { readonly atBlock?: undefined })
    | (KeptIndexedPart<Input, Output, Rows> & { readonly until?: undefined; readonly handle?: undefined }),
  call: {
    readonly input: z.output<Input>
    readonly question: Question
    encode(result: object): Answer
    readonly withoutIndex?: WithoutIndex<Rows> | undefined
  },
): BoundIndex {
  const { input, question, encode, withoutIndex } = call
  const answerAt = part.atBlock ?? part.handle
  return {
    scope: 'index',
    question,
    until: async (waiting) => part.until?.({ ...waiting, input }),
    query: ({ lane, subject, today }, history) => part.query({ input, lane, subject, today, history }),
    async run(context, rows, { position, failure }) {
      // Safe: the pipeline hands back what `query` gave, or `withoutIndex`.
      const result = await answerAt({ ...context, input, rows: rows as Rows })
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

function errorsOf<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject, Rows>(
  declaration: OperationDeclaration<Path, Input, Output, Rows>,
): readonly ErrorClass[] {
  const own = declaration.errors ?? []
  const needsIndex = declaration.scope === 'index' && declaration.withoutIndex === undefined
  return needsIndex ? [...own, IndexUnavailableError] : own
}
