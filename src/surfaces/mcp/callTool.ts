import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Operation } from '../../core/operation.ts'
import type { Caller, Pipeline, RawCall } from '../../core/pipeline.ts'
import type { ValidationError } from '../../errors/input.ts'
import { toRemitError, toWire } from '../../errors/toWire.ts'

export interface ToolCall {
  readonly operation: Operation
  readonly caller: Caller
  readonly arguments: Readonly<Record<string, unknown>>
  /** What makes the whole message unfit, known from its text. */
  readonly flaw: ValidationError | undefined
}

/** Runs one tool call. Never throws: every error is a result with the body that REST would answer. */
export async function callTool(
  pipeline: Pipeline,
  call: ToolCall,
  report: (thrown: unknown) => void,
): Promise<CallToolResult> {
  try {
    const { body } = await pipeline.call(call.caller, call.operation, async () => toRawCall(pipeline, call))
    return toResult(body)
  } catch (thrown) {
    report(thrown)
    return { ...toResult(toWire(toRemitError(thrown), call.caller.requestId).body), isError: true }
  }
}

/** The same JSON as text, for clients that do not read structured content. */
function toResult(body: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(body) }], structuredContent: body }
}

function toRawCall(pipeline: Pipeline, { operation, arguments: given, flaw }: ToolCall): RawCall {
  if (flaw !== undefined) throw flaw
  const { chainId, ...rest } = given
  const chain = pipeline.chainId('mcp', typeof chainId === 'number' ? String(chainId) : chainId)
  if (!operation.onChain) return { chainId: chain, input: rest }
  const { minBlock, ...input } = rest
  return { chainId: chain, ...(minBlock === undefined ? {} : { minBlock }), input }
}
