import * as z from 'zod'
import { inputSentence, ValidationError } from '../errors/input.ts'
import { ChainIdParam } from '../schema/chain.ts'
import { AsOf, type Issue, Warning } from '../schema/envelope.ts'
import { BlockNumber } from '../schema/numbers.ts'
import type { Access } from './access.ts'
import type { Lane } from './lanes.ts'
import type {
  Declaration,
  NamedSubscription,
  OperationMetadata,
  ReadAt,
  SubscriptionNames,
} from './operation.ts'

// Between the JSON of a call and its operation: `decode` makes the handler's input of what came in, `toAnswer` makes of the handler's
// result what goes out, as JSON, as words for a model, or as a file. Every surface (REST, MCP, the client over a node) uses both.

/** What a call asks for, decoded. */
export interface DecodedCall {
  readonly input: Readonly<Record<string, unknown>>
  readonly minBlock: number | undefined
  /** The key of a kept answer within its block: operation, lane and input; `undefined` if it is never kept. */
  readonly answerKey: string | undefined
}

/** What every operation on a chain accepts beside its own input. */
export const chainParameters = {
  chainId: ChainIdParam.optional(),
  minBlock: BlockNumber.optional().describe(
    'Wait up to 2 s until this block has been seen, so that a wallet reads its own writes.',
  ),
}

const MinBlock = z.object({ minBlock: chainParameters.minBlock })

/** Throws ValidationError naming every field that does not fit, or that the lane may not ask for. */
export function decode(
  operation: OperationMetadata,
  raw: { readonly input: unknown; readonly minBlock?: unknown },
  lane: Lane,
): DecodedCall {
  const minBlock = operation.onChain && raw.minBlock !== undefined ? decodeMinBlock(raw.minBlock) : undefined
  const parsed = operation.input.safeParse(raw.input, { error: inputSentence })
  const beyond = beyondLane(operation, raw.input, lane)
  if (!parsed.success) throw ValidationError.fromZod(parsed.error, beyond)
  if (beyond.length > 0) throw new ValidationError(beyond)
  // The raw input serves as key, because what it decodes to depends on nothing else.
  const answerKey = operation.keepsAnswers
    ? `${operation.name} ${lane} ${JSON.stringify(raw.input)}`
    : undefined
  return { input: parsed.data, minBlock, answerKey }
}

/**
 * What an input asks for beyond the caller's lane (free, or developer with an API key): more rows than it allows, or details. Input that
 * the schema refuses is checked too: the schema's bound is the highest of all lanes, and a caller far above it must learn its own.
 */
function beyondLane({ caps }: Access, raw: unknown, lane: Lane): Issue[] {
  if (caps === undefined) return []
  const { first, includeDetails }: { first?: unknown; includeDetails?: unknown } = Object(raw)
  const { first: mostRows, includeDetails: mayIncludeDetails } = caps[lane]
  const mostWithKey = caps.developer.first
  const hint = mostRows < mostWithKey ? `; with an API key it may be ${mostWithKey}` : ''
  return [
    ...(typeof first === 'number' && first > mostRows
      ? [
          {
            path: 'first',
            message: `must be at most ${mostRows} on the ${lane} lane${hint}`,
            limit: mostRows,
          },
        ]
      : []),
    ...(includeDetails === true && !mayIncludeDetails
      ? [
          {
            path: 'includeDetails',
            message: `must not be true on the ${lane} lane: send an API key, or read the details of one subscription`,
          },
        ]
      : []),
  ]
}

function decodeMinBlock(minBlock: unknown): number | undefined {
  const parsed = MinBlock.safeParse({ minBlock }, { error: inputSentence })
  if (!parsed.success) throw ValidationError.fromZod(parsed.error)
  return parsed.data.minBlock
}

/** An encoded answer. */
export interface Answer {
  readonly body: Record<string, unknown>
  /** What the body was encoded from. */
  readonly result: object
  /** The body as JSON. */
  json(): string
  /** The answer in a few words, for a model. Without a declared text, the body as JSON. */
  text(): string
  /** The answer as one of the operation's files. */
  file(path: string): RenderedFile
}

/** A file before the names of subscriptions in it are known. The caller looks up `names` in the index, and then renders. */
export interface RenderedFile {
  /** The subscriptions that it names. */
  readonly names: readonly NamedSubscription[]
  render(names: SubscriptionNames): string
}

/** The parts of an operation by which its answer is written: its schema, its words and its files. */
interface AnswerParts {
  readonly answer: z.ZodObject
  readonly declaration: Pick<Declaration<string, z.ZodObject, z.ZodObject>, 'tool' | 'files'>
}

/**
 * Encodes a result.
 * @param result what the handler gave, with what is added to it
 */
export function toAnswer({ answer: schema, declaration }: AnswerParts, result: object): Answer {
  const { tool, files = [] } = declaration
  const body = z.encode(schema, result as z.output<typeof schema>)
  let jsonText: string | undefined
  const json = () => {
    jsonText ??= JSON.stringify(body)
    return jsonText
  }
  return {
    body,
    result,
    json,
    // Safe: encoding has just found that the result is an output with something added.
    text: () => (tool ? withNotes(tool.text(result as z.output<z.ZodObject>), body) : json()),
    file(path) {
      const file = files.find((one) => one.path === path)
      if (file === undefined) throw new RangeError(`no file is served at ${path}`)
      // Safe as above; only answers about a chain have files, and those say where they were read.
      const given = result as z.output<z.ZodObject> & ReadAt
      return { names: file.names(given), render: (names) => file.render(given, names) }
    },
  }
}

/** What any answer may hold beside its own facts. A field of the same name with another form is the operation's own, and is left out. */
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
