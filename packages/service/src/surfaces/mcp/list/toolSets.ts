import type { Tool } from '@modelcontextprotocol/server'
import type { ToolProfile } from '@remit/engine/declare/operation'
import type { Operation } from '../../../calls/serviceOperation.ts'
import type { ToolView } from '../readView.ts'
import { toolInputSchema, toolOutputSchema } from './toolSchemas.ts'

/** The tools that a caller sees. */
interface ToolSet {
  readonly listed: { readonly tools: Tool[] }
  /** The tools that can be called: all of the caller's, or those of the profiles that it has chosen. */
  readonly byName: ReadonlyMap<string, Operation>
}

/** What is listed where a caller chooses nothing: a model reads the whole list before its first call. */
const BY_DEFAULT: readonly ToolProfile[] = ['essential']

/**
 * The tools by what a caller chooses (`readView`) and whether it has a key. Each set, and each tool's schemas, are made when
 * first asked for.
 */
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
  /** The sets that were made, by the choice that they are for. */
  const made = new Map<string, ToolSet>()
  return (profiles, withKey = false) => {
    const key = `${withKey} ${profiles ?? ''}`
    const known = made.get(key)
    if (known !== undefined) return known
    const all = offered.filter(({ tools: whose }) => withKey || whose === 'everybody')
    const chosen = all.filter(({ profiles: own }) => isChosen(own, profiles ?? BY_DEFAULT))
    // Without a choice the list is short, and yet every tool can be called.
    const callable = profiles === undefined ? all : chosen
    let listed: ToolSet['listed'] | undefined
    const set = {
      get listed() {
        const rest = callable.filter((operation) => !chosen.includes(operation))
        listed ??= { tools: namingRest(chosen.map(toolOf), rest) }
        return listed
      },
      byName: new Map(callable.map((operation) => [operation.name, operation])),
    }
    made.set(key, set)
    return set
  }
}

function isChosen(own: readonly ToolProfile[], profiles: NonNullable<ToolView['profiles']>): boolean {
  return profiles === 'all' || own.some((profile) => profiles.includes(profile))
}

/** The tools, of which the first one's description names those that can be called without being listed. */
function namingRest(tools: readonly Tool[], rest: readonly Operation[]): Tool[] {
  const [first, ...others] = tools
  if (first === undefined || rest.length === 0) return [...tools]
  const names = rest.map(({ name }) => name).join(', ')
  const description = `${first.description} These tools can be called too; /mcp?tools=all lists them with what they take: ${names}.`
  return [{ ...first, description }, ...others]
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
