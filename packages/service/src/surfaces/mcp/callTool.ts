import type { CallToolResult } from '@modelcontextprotocol/server'
import type { ValidationError } from '@remit/engine/errors/input'
import { toRemitError, toWire } from '@remit/engine/errors/toWire'
import { withoutRoutes } from '@remit/engine/presentation/byRoute'
import { Issue } from '@remit/engine/schema/envelope'
import * as z from 'zod'
import type { Caller, Pipeline, RawCall } from '../../calls/pipeline.ts'
import type { Operation } from '../../calls/serviceOperation.ts'
import type { RateLimitedError } from '../../errors/access.ts'
import { isPaged, TOOL_PAGE } from './list/toolSchemas.ts'
import { readArguments } from './readArguments.ts'

/** How the text of a result is written: in a few words, or as the whole answer in JSON. */
export type TextForm = 'words' | 'json'

interface ToolCall {
  readonly operation: Operation
  readonly caller: Caller
  readonly arguments: Readonly<Record<string, unknown>>
  /** The limit that its message has met: the call is refused before anything else is looked at. */
  readonly refusal?: RateLimitedError | undefined
  /** What makes the whole message unfit, known from its text. */
  readonly flaw: ValidationError | undefined
  readonly textForm: TextForm
}

/** Runs one tool call. Never throws: every error is a result with the body that REST would answer. */
export async function callTool(
  pipeline: Pipeline,
  call: ToolCall,
  report: (thrown: unknown) => void,
): Promise<CallToolResult> {
  const isJson = call.textForm === 'json'
  try {
    if (call.refusal !== undefined) throw call.refusal
    const { body, text } = await pipeline.call(call.caller, call.operation, async () =>
      toRawCall(pipeline, call),
    )
    return toResult(body, isJson ? JSON.stringify(body) : withoutRoutes(text()))
  } catch (thrown) {
    report(thrown)
    return toFailure(thrown, call)
  }
}

/** The result that says why a call is refused, or what became of it. */
export function toFailure(
  thrown: unknown,
  { caller, textForm }: Pick<ToolCall, 'caller' | 'textForm'>,
): CallToolResult {
  const { body } = toWire(toRemitError(thrown), caller.requestId)
  return {
    ...toResult(body, textForm === 'json' ? JSON.stringify(body) : withoutRoutes(errorText(body))),
    isError: true,
  }
}

function toResult(body: Record<string, unknown>, text: string): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: body }
}

function toRawCall(pipeline: Pipeline, { operation, arguments: given, flaw }: ToolCall): RawCall {
  if (flaw !== undefined) throw flaw
  const { chainId, ...rest } = readArguments(operation, given)
  const chain = pipeline.chainId('mcp', typeof chainId === 'number' ? String(chainId) : chainId)
  // Some operations have a field `chainId` of their own, which means something where it is left out: it gets no default.
  const own = 'chainId' in operation.input.shape && chainId !== undefined ? { ...rest, chainId } : rest
  const paged = isPaged(operation) ? { first: TOOL_PAGE, ...own } : own
  if (!operation.onChain) return { chainId: chain, input: paged }
  const { minBlock, ...input } = paged
  return { chainId: chain, ...(minBlock === undefined ? {} : { minBlock }), input }
}

const Failure = z.object({ error: z.string(), code: z.string(), issues: z.array(Issue).optional() })

/** The body of an error in a few words: the sentence, the code, and each field or precondition that fails. */
function errorText(body: Record<string, unknown>): string {
  const { error, code, issues = [] } = Failure.parse(body)
  const lines = issues.map((issue) => `- ${issue.code ?? issue.path ?? ''}: ${issue.message}`)
  return [`${code}: ${error}`, ...lines].join('\n')
}
