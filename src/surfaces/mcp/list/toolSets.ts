import type { Tool } from '@modelcontextprotocol/server'
import type { Operation } from '../../../core/operation.ts'
import type { ToolView } from '../query.ts'
import { toTool } from './tools.ts'

/** The tools of some profiles: no other can be called there. */
export interface ToolSet {
  readonly listed: { readonly tools: Tool[] }
  readonly byName: ReadonlyMap<string, Operation>
}

/** The sets of tools of a list of operations, each made when it is first asked for. */
export function toolSets(operations: readonly Operation[]): (profiles: ToolView['profiles']) => ToolSet {
  const offered = operations.filter(({ tool }) => tool)
  const tools = new Map(offered.map((operation) => [operation, toTool(operation)]))
  const made = new Map<string, ToolSet>()
  return (profiles) => {
    const key = profiles?.join() ?? ''
    const known = made.get(key)
    if (known !== undefined) return known
    const chosen = [...tools].filter(
      ([operation]) => profiles === undefined || operation.profiles.some((own) => profiles.includes(own)),
    )
    const set = {
      listed: { tools: chosen.map(([, tool]) => tool) },
      byName: new Map(chosen.map(([operation]) => [operation.name, operation])),
    }
    made.set(key, set)
    return set
  }
}
