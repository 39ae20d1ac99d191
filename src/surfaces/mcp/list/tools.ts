import type { Tool } from '@modelcontextprotocol/server'
import type { Operation } from '../../../core/operation.ts'
import { toolInputSchema, toolOutputSchema } from './toolSchemas.ts'

/** An operation as MCP clients see it. */
export function toTool(operation: Operation): Tool {
  const { name, summary, description } = operation
  return {
    name,
    description: description === undefined ? `${summary}.` : `${summary}. ${description}`,
    inputSchema: { ...toolInputSchema(operation), type: 'object' },
    outputSchema: { ...toolOutputSchema(operation), type: 'object' },
    annotations: {
      // A prepare makes calldata and changes nothing, here or on the chain.
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      // Chains hold what strangers wrote; the service's own facts do not.
      openWorldHint: operation.onChain,
    },
  }
}
