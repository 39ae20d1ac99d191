import type { Tool } from '@modelcontextprotocol/server'
import type { Operation } from '../../../calls/serviceOperation.ts'
import type { ToolView } from '../readView.ts'
import { toolInputSchema, toolOutputSchema } from './toolSchemas.ts'

/** The tools of some profiles: no other can be called there. */
interface ToolSet {
  readonly listed: { readonly tools: Tool[] }
  readonly byName: ReadonlyMap<string, Operation>
}

/** The sets of tools of a list of operations, and their schemas, each made when it is first asked for. */
export function toolSets(
  operations: readonly Operation[],
): (profiles: ToolView['profiles'], withKey?: boolean) => ToolSet {
  const offered = operations.filter(({ tool }) => tool)
  const tools = new Map<Operation, Tool>()
  const toolOf = (operation: Operation) => {
    const tool = tools.get(operation) ?? toTool(operation)
    tools.set(operation, tool)
    return tool
  }
  const made = new Map<string, ToolSet>()
  return (profiles, withKey = false) => {
    const key = `${withKey} ${profiles?.join() ?? ''}`
    const known = made.get(key)
    if (known !== undefined) return known
    const chosen = offered.filter(
      (operation) =>
        (withKey || operation.tools === 'everybody') &&
        (profiles === undefined || operation.profiles.some((own) => profiles.includes(own))),
    )
    let listed: ToolSet['listed'] | undefined
    const set = {
      get listed() {
        listed ??= { tools: chosen.map(toolOf) }
        return listed
      },
      byName: new Map(chosen.map((operation) => [operation.name, operation])),
    }
    made.set(key, set)
    return set
  }
}

export function toTool(operation: Operation): Tool {
  const { name, summary, description, effect, rest } = operation
  const isDeletion = rest?.method === 'DELETE'
  return {
    name,
    description: description === undefined ? `${summary}.` : `${summary}. ${description}`,
    inputSchema: { ...toolInputSchema(operation), type: 'object' },
    outputSchema: { ...toolOutputSchema(operation), type: 'object' },
    annotations: {
      // A prepare makes calldata and changes nothing, here or on the chain.
      readOnlyHint: effect !== 'manage',
      destructiveHint: isDeletion,
      idempotentHint: effect !== 'manage' || isDeletion,
      // Chains hold what strangers wrote; the service's own facts do not.
      openWorldHint: operation.onChain,
    },
  }
}
