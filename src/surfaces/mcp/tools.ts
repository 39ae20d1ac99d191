import type { Tool } from '@modelcontextprotocol/server'
import * as z from 'zod'
import type { Operation } from '../../core/operation.ts'
import { chainParameters } from '../../core/pipeline.ts'

/** What a tool takes beside its operation's own input. */
export function toolParameters(operation: Operation): z.ZodObject {
  const { chainId, minBlock } = chainParameters
  // A chain id is a number to most callers, so a tool takes it as one too.
  const either = z.union([chainId.unwrap(), z.int().positive().describe('The same as a number.')]).optional()
  const shape = { chainId: either }
  return z.object(operation.onChain ? { ...shape, minBlock } : shape)
}

const ObjectSchema = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string(), z.looseObject({})).optional(),
})

const JsonObject = z.record(z.string(), z.json())

/** An operation as MCP clients see it. */
export function toTool(operation: Operation): Tool {
  const { name, summary, description } = operation
  const title = titleOf(name)
  return {
    name,
    title,
    description: description === undefined ? `${summary}.` : `${summary}. ${description}`,
    inputSchema: inputSchema(operation),
    outputSchema: { type: 'object', ...JsonObject.parse(z.toJSONSchema(operation.answer, { io: 'input' })) },
    annotations: {
      title,
      // A prepare makes calldata and changes nothing, here or on the chain.
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      // Chains hold what strangers wrote; the service's own facts do not.
      openWorldHint: operation.onChain,
    },
  }
}

function inputSchema(operation: Operation): Tool['inputSchema'] {
  const own = ObjectSchema.parse(z.toJSONSchema(operation.input, { io: 'input' }))
  const shared = ObjectSchema.parse(z.toJSONSchema(toolParameters(operation), { io: 'input' }))
  const whole = { ...own, properties: { ...own.properties, ...shared.properties } }
  return { type: 'object', ...JsonObject.parse(whole) }
}

/** "get_fee_balance" → "Get fee balance". */
function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
