import * as z from 'zod'
import { AsOf, IndexPosition, Warning } from '../schema/answer.ts'
import { ChainId } from '../schema/chainId.ts'
import type { OperationDeclaration, ReadAt } from './declaration.ts'

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
  file(path: string): string
}

/** The declared output, and the fields that are added to it. */
export function answerSchema<
  Path extends string,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  Rows,
>(declaration: OperationDeclaration<Path, Input, Output, Rows>): z.ZodObject {
  const { output, scope } = declaration
  if (scope !== 'chain' && scope !== 'index') return output
  const warnings = z.array(Warning).optional().describe('Only where there is something to mind.')
  // A prepare declares its own, which are always there.
  const added = 'warnings' in output.shape ? {} : { warnings }
  return z.object({ ...output.shape, ...added, ...indexFields(declaration), chainId: ChainId, asOf: AsOf })
}

function indexFields<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject, Rows>(
  declaration: OperationDeclaration<Path, Input, Output, Rows>,
): z.ZodRawShape {
  if (declaration.scope !== 'chain' && declaration.scope !== 'index') return {}
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

/**
 * Encodes a result.
 * @param result what the handler gave, with what is added to it
 */
export function toAnswer<Path extends string, Input extends z.ZodObject, Output extends z.ZodObject, Rows>(
  { tool, files = [] }: OperationDeclaration<Path, Input, Output, Rows>,
  schema: z.ZodObject,
  result: object,
): Answer {
  const body = z.encode(schema, result as z.output<typeof schema>)
  let made: string | undefined
  const json = () => {
    made ??= JSON.stringify(body)
    return made
  }
  return {
    body,
    result,
    json,
    // Safe: encoding has just found that the result is an output with something added.
    text: () => (tool ? withNotes(tool.text(result as z.output<Output>), body) : json()),
    file(path) {
      const file = files.find((one) => one.path === path)
      if (file === undefined) throw new RangeError(`no file is served at ${path}`)
      // Safe as above; only answers about a chain have files, and those say where they were read.
      return file.render(result as z.output<Output> & ReadAt)
    },
  }
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
