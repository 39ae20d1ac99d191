import type { Tool } from '@modelcontextprotocol/server'
import { TOOL_PROFILES, type ToolProfile } from '../../core/declaration.ts'
import type { Operation } from '../../core/operation.ts'
import { ValidationError } from '../../errors/input.ts'
import type { TextForm } from './callTool.ts'
import { toTool } from './tools.ts'

/** What one request sees of the tools. */
export interface ToolView {
  /** Sorted, each once; `undefined` for all tools. */
  readonly profiles: readonly ToolProfile[] | undefined
  readonly textForm: TextForm
}

/** The tools of some profiles: no other can be called there. */
export interface ToolSet {
  readonly listed: { readonly tools: Tool[] }
  readonly byName: ReadonlyMap<string, Operation>
}

/** Since this version of the protocol, results have structured content. */
const FIRST_STRUCTURED = '2025-06-18'

/** Every query parameter of the endpoint. */
const PARAMETERS: ReadonlySet<string> = new Set(['tools', 'text'])

/** Reads what a request wants to see. Throws ValidationError for parameters and values that do not exist. */
export function readView(request: Request): ToolView {
  const { searchParams } = new URL(request.url)
  for (const name of searchParams.keys()) {
    if (!PARAMETERS.has(name))
      throw ValidationError.of(name, 'is not a query parameter of /mcp: there are tools and text')
    if (searchParams.getAll(name).length > 1) throw ValidationError.of(name, 'must be given once')
  }
  return {
    profiles: readProfiles(searchParams.get('tools')),
    textForm: readTextForm(searchParams.get('text'), request.headers.get('mcp-protocol-version')),
  }
}

function readProfiles(text: string | null): readonly ToolProfile[] | undefined {
  if (text === null) return undefined
  const names = new Set(text.split(','))
  const profiles = TOOL_PROFILES.filter((profile) => names.has(profile))
  if (profiles.length === names.size) return profiles
  throw ValidationError.of('tools', `must be one or more of ${TOOL_PROFILES.join(', ')}, with commas between`)
}

/** Clients from before structured content have nothing but the text, so it is the whole answer for them. */
function readTextForm(text: string | null, version: string | null): TextForm {
  if (text !== null && text !== 'json') throw ValidationError.of('text', 'must be json, or left out')
  return text === null && version !== null && version >= FIRST_STRUCTURED ? 'words' : 'json'
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
